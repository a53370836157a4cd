/* A picture of 640 by 480 pixels in 8 colours on five pins, 59.5 times a second, without any work for the processor:
 *
 *     GPIO16 horizontal sync   GPIO17 vertical sync   GPIO18, 19, 20 red, green, blue
 */
#ifndef VGA_H
#define VGA_H

#include <stdint.h>

enum { VGA_WIDTH = 640, VGA_HEIGHT = 480, VGA_ROW = VGA_WIDTH / 2, VGA_FRAME_MICROS = 16800 };
enum { VGA_BLACK, VGA_RED, VGA_GREEN, VGA_YELLOW, VGA_BLUE, VGA_MAGENTA, VGA_CYAN, VGA_WHITE };

/** Two pixels a byte, the left one in its lower half. */
extern uint8_t vga_pixels[VGA_ROW * VGA_HEIGHT] __attribute__((aligned(4)));

void vga_start(void);

/** Wait for the vertical sync pulse: 1.1 ms from there the first row is shown again. */
void vga_await_sync(void);

#endif
