/* What was drawn is remembered as a place among the pixels, wiped out for everybody first, and then everybody is drawn
 * anew, those near the top first. The beam shows the first row of boids 180 000 cycles after the sync pulse, before a large
 * flock is drawn; it needs as long again for the rows near the top. The caption has rows of its own. */
#include "screen.h"

#include "caption.h"
#include "flight.h"
#include "num.h"
#include "vga.h"

enum { BOID = 2, PREDATOR = 6, TOP_ROWS = 64 };

/* A place in 32 bits: its word, and in the lowest five bits its shift. */
enum { NOWHERE = -1, SHIFT_BITS = 5 };

/* The bits of so many pixels. */
#define MASK(pixels) ((1u << VGA_PIXEL_BITS * (pixels)) - 1)

static struct {
    int32_t scale;       /* Q8 */
    int32_t left, top;   /* of the world */
    uint32_t wide, high; /* of the world, in whole numbers of it */
    int32_t top_end;     /* y in the world where the rows end that are drawn first */
} view;
static int32_t drawn[FLIGHT_BOIDS + FLIGHT_PREDATORS];

static int32_t scale_for(num length, int32_t pixels)
{
    return (int32_t)(((int64_t)pixels << 24) / length.raw);
}

void screen_start(const struct flock_params *params)
{
    const int32_t across = scale_for(params->x.length, VGA_WIDTH);
    const int32_t down = scale_for(params->y.length, VGA_HEIGHT);
    view.scale = across < down ? across : down;
    view.wide = (uint32_t)params->x.length.raw;
    view.high = (uint32_t)params->y.length.raw;
    view.left = (VGA_WIDTH - ((params->x.length.raw >> 8) * view.scale >> 16)) / 2;
    view.top = (VGA_HEIGHT - ((params->y.length.raw >> 8) * view.scale >> 16)) / 2;
    const int32_t top_end = (int32_t)(((int64_t)(TOP_ROWS - view.top) << 24) / view.scale);
    view.top_end = FLIGHT_Y_UP ? (int32_t)view.high - top_end : top_end;
    for (uint32_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        drawn[i] = NOWHERE;
    vga_start();
}

/* Whoever is outside of the world, in the caption or at the very edge is not shown. */
static int32_t place_of(struct flock_vec position, int32_t size)
{
    if ((uint32_t)position.x.raw > view.wide || (uint32_t)position.y.raw > view.high)
        return NOWHERE;
    const int32_t height = FLIGHT_Y_UP ? (int32_t)view.high - position.y.raw : position.y.raw;
    const int32_t x = view.left + ((position.x.raw >> 8) * view.scale >> 16);
    const int32_t y = view.top + ((height >> 8) * view.scale >> 16);
    if (x > VGA_WIDTH - size || y < CAPTION_ROWS || y > VGA_HEIGHT - size)
        return NOWHERE;
    const struct vga_place place = vga_place((uint32_t)x, (uint32_t)y);
    return (int32_t)(place.word << SHIFT_BITS | place.shift);
}

/* Six sectors of 60 degrees: 7/4 stands for the root of three. */
static uint32_t colour_of(struct flock_vec velocity)
{
    static const uint8_t colours[2][3] = {{VGA_RED, VGA_YELLOW, VGA_GREEN},
                                          {VGA_MAGENTA, VGA_BLUE, VGA_CYAN}};
    const int32_t x = (velocity.x.raw >> 4) * 7;
    const int32_t y = (velocity.y.raw >> 4) * 4;
    const uint8_t *half = colours[y < 0];
    const int32_t steep = y < 0 ? -y : y;
    return steep < x ? half[0] : steep < -x ? half[2] : half[1];
}

/* A square of so many pixels, all of a colour. */
static inline void square(int32_t at, uint32_t size, uint32_t colour)
{
    struct vga_place place = {(uint32_t)at >> SHIFT_BITS, (uint32_t)at & ((1u << SHIFT_BITS) - 1)};
    const uint32_t mask = MASK(size), pattern = mask / MASK(1) * colour;
    for (uint32_t row = 0; row < size; row++, place.word += VGA_ROW)
        vga_paint(place, mask, pattern);
}

static void wipe_all(const struct flock *flock)
{
    for (uint32_t i = 0; i < flock->count; i++)
        if (drawn[i] != NOWHERE)
            square(drawn[i], BOID, VGA_BLACK);
    for (uint32_t k = flock->count; k < flock->count + flock->predator_count; k++)
        if (drawn[k] != NOWHERE)
            square(drawn[k], PREDATOR, VGA_BLACK);
}

/* Those near the top, or those below. */
static void draw_boids(const struct flock *flock, bool is_top)
{
    for (uint32_t i = 0; i < flock->count; i++) {
        const int32_t y = flock->boids[i].position.y.raw;
        if ((FLIGHT_Y_UP ? y > view.top_end : y < view.top_end) != is_top)
            continue;
        drawn[i] = place_of(flock->boids[i].position, BOID);
        if (drawn[i] != NOWHERE)
            square(drawn[i], BOID, colour_of(flock->boids[i].velocity));
    }
}

static void draw_predators(const struct flock *flock)
{
    for (uint32_t k = 0; k < flock->predator_count; k++) {
        int32_t *place = &drawn[flock->count + k];
        *place = place_of(flock->predators[k].position, PREDATOR);
        if (*place != NOWHERE)
            square(*place, PREDATOR, VGA_WHITE);
    }
}

void screen_draw(const struct flock *flock)
{
    wipe_all(flock);
    draw_boids(flock, true);
    draw_boids(flock, false);
    draw_predators(flock);
}
