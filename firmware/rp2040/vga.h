/* A picture of 640 by 480 pixels in 8 colours on five pins, 59.5 times per second, without work for the processor:
 *
 *     GPIO16 horizontal sync   GPIO17 vertical sync
 *     WIRING_CLASSIC           GPIO18, 19, 20 red, green, blue
 *     WIRING_VHA               GPIO19, 20, 21 green, blue, red; GPIO18, a second green, is not driven
 */
#ifndef VGA_H
#define VGA_H

#include "configuration.h"

#include <stdint.h>

enum { VGA_WIDTH = 640, VGA_HEIGHT = 480, VGA_FRAME_MICROS = 16800 };
/* A word holds ten pixels. */
enum { VGA_PIXEL_BITS = 3, VGA_PER_WORD = 10, VGA_ROW = VGA_WIDTH / VGA_PER_WORD };
enum { WIRING_CLASSIC, WIRING_VHA };
/* Each of the three pins is a bit. Blue alone is nearly invisible on black, so it is not used. */
enum {
    VGA_BLACK = 0,
    VGA_RED = SIM_WIRING == WIRING_VHA ? 4 : 1,
    VGA_GREEN = SIM_WIRING == WIRING_VHA ? 1 : 2,
    VGA_WHITE = 7,
    VGA_YELLOW = VGA_RED + VGA_GREEN,
    VGA_MAGENTA = VGA_WHITE - VGA_GREEN,
    VGA_CYAN = VGA_WHITE - VGA_RED,
};

/** The left pixel of a word is in its lowest three bits; the two highest bits are not used. */
extern uint32_t vga_pixels[VGA_ROW * VGA_HEIGHT];

/** The position of a pixel: its word, and the number of bits to its right in that word. */
struct vga_place {
    uint32_t word, shift;
};

static inline struct vga_place vga_place(uint32_t x, uint32_t y)
{
    /* n / 10, exact for any n below 16384. */
    const uint32_t word = x * 6554 >> 16;
    return (struct vga_place){y * VGA_ROW + word, (x - word * VGA_PER_WORD) * VGA_PIXEL_BITS};
}

/** Replace the bits of `mask` by those of `pattern`, from this pixel on: up to ten pixels of one row. */
static inline void vga_paint(struct vga_place place, uint32_t mask, uint32_t pattern)
{
    uint32_t *word = &vga_pixels[place.word];
    const uint32_t rest = VGA_PER_WORD * VGA_PIXEL_BITS - place.shift;
    word[0] = (word[0] & ~(mask << place.shift)) | pattern << place.shift;
    if (mask >> rest)
        word[1] = (word[1] & ~(mask >> rest)) | pattern >> rest;
}

void vga_start(void);

/** Wait for the vertical sync pulse. The first row is shown 1.1 ms after it. */
void vga_await_sync(void);

#endif
