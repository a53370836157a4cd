/* The stored positions of the last picture are cleared first. Then all boids are drawn, those near the top first:
 * the first row of boids is shown 180,000 cycles after the sync pulse, when a large flock is not yet drawn
 * completely. The other rows near the top take 180,000 cycles more. The caption has its own rows. */
#include "draw_flock.h"

#include "caption.h"
#include "num.h"
#include "sim.h"
#include "vga.h"

enum { BOID = 2, PREDATOR = 6, TOP_ROWS = 64 };

/* A position has 32 bits: the index of its word and, in the lowest five bits, the shift. */
enum { NOWHERE = -1, SHIFT_BITS = 5 };

/* The bits of a number of pixels. */
#define MASK(pixels) ((1u << VGA_PIXEL_BITS * (pixels)) - 1)

static struct {
    int32_t scale;       /* Q8 */
    int32_t left, top;   /* of the world */
    uint32_t wide, high; /* in multiples of the size of the world */
    int32_t top_end;     /* the y in the world up to which boids are drawn first */
} view;
static int32_t drawn[SIM_BOIDS + SIM_PREDATORS];

/* Obstacles and goals (radius 0), in pixels. In a wrapped world, objects at one edge have images at the other edge.
 */
enum { CROSS = 3, IMAGES = SIM_WRAPS ? 9 : 1 };
struct ring {
    int16_t x, y, radius;
};
static struct ring rings[SIM_OBSTACLE_COUNT * IMAGES + SIM_GOAL_COUNT + 1];
static uint32_t ring_count;

static int32_t scale_for(num length, int32_t pixels)
{
    return (int32_t)(((int64_t)pixels << 24) / length.raw);
}

/* True if any part of an obstacle or goal is visible. Coordinates of invisible objects may not fit into 16 bits. */
static bool is_on_screen(int64_t x, int64_t y, int64_t radius)
{
    return x > -radius && x < VGA_WIDTH + radius && y > -radius && y < VGA_HEIGHT + radius &&
           radius < VGA_WIDTH;
}

static int64_t pixels_of(int64_t raw)
{
    return raw * view.scale >> 24;
}

/* The image of an obstacle or goal, shifted by multiples of the size of the world. */
static void note_ring(struct flock_vec place, num radius, int32_t across, int32_t along)
{
    const int64_t raw_x = place.x.raw + across * (int64_t)view.wide,
                  raw_y = place.y.raw + along * (int64_t)view.high;
    const int64_t x = view.left + pixels_of(raw_x), wide = pixels_of(radius.raw);
    const int64_t y = view.top + pixels_of(SIM_Y_UP ? view.high - raw_y : raw_y);
    if (is_on_screen(x, y, wide + CROSS))
        rings[ring_count++] = (struct ring){(int16_t)x, (int16_t)y, (int16_t)wide};
}

/* The numbers of obstacles and goals are known at compile time, so firmware without obstacles or goals has no code
 * for them. */
static void note_rings(const struct flock_params *params)
{
    for (int32_t k = 0; k < SIM_OBSTACLE_COUNT; k++)
        for (int32_t image = 0; image < IMAGES; image++)
            note_ring(params->obstacles[k].centre, params->obstacles[k].radius,
                      IMAGES > 1 ? image % 3 - 1 : 0, IMAGES > 1 ? image / 3 - 1 : 0);
    for (int32_t k = 0; k < SIM_GOAL_COUNT; k++)
        note_ring(params->goals[k], num_zero(), 0, 0);
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
    view.top_end = SIM_Y_UP ? (int32_t)view.high - top_end : top_end;
    for (uint32_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        drawn[i] = NOWHERE;
    note_rings(params);
    vga_start();
}

/* Agents outside of the world, in the caption or exactly at the edge are not shown. */
static int32_t place_of(struct flock_vec position, int32_t size)
{
    if ((uint32_t)position.x.raw > view.wide || (uint32_t)position.y.raw > view.high)
        return NOWHERE;
    const int32_t height = SIM_Y_UP ? (int32_t)view.high - position.y.raw : position.y.raw;
    const int32_t x = view.left + ((position.x.raw >> 8) * view.scale >> 16);
    const int32_t y = view.top + ((height >> 8) * view.scale >> 16);
    if (x > VGA_WIDTH - size || y < CAPTION_ROWS || y > VGA_HEIGHT - size)
        return NOWHERE;
    const struct vga_place place = vga_place((uint32_t)x, (uint32_t)y);
    return (int32_t)(place.word << SHIFT_BITS | place.shift);
}

/* Two sectors of 90 degrees and three of 60: 7/4 approximates the square root of three. */
static uint32_t colour_of(struct flock_vec velocity)
{
    const int32_t x = (velocity.x.raw >> 4) * 7;
    const int32_t y = (velocity.y.raw >> 4) * 4;
    if (y < 0)
        return x < 0 ? VGA_CYAN : VGA_MAGENTA;
    return y < x ? VGA_RED : y < -x ? VGA_GREEN : VGA_YELLOW;
}

/* A square of pixels of one colour. */
static inline void square(int32_t at, uint32_t size, uint32_t colour)
{
    struct vga_place place = {(uint32_t)at >> SHIFT_BITS, (uint32_t)at & ((1u << SHIFT_BITS) - 1)};
    const uint32_t mask = MASK(size), pattern = mask / MASK(1) * colour;
    for (uint32_t row = 0; row < size; row++, place.word += VGA_ROW)
        vga_paint(place, mask, pattern);
}

/* Draw a pixel if it is within the world and below the caption. */
static void dot(int32_t x, int32_t y)
{
    if (x >= view.left && x < VGA_WIDTH - view.left && y >= view.top && y < VGA_HEIGHT - view.top &&
        y >= CAPTION_ROWS)
        vga_paint(vga_place((uint32_t)x, (uint32_t)y), MASK(1), VGA_WHITE);
}

static void mirrored_dots(const struct ring *ring, int32_t a, int32_t b)
{
    dot(ring->x + a, ring->y + b);
    dot(ring->x - a, ring->y + b);
    dot(ring->x + a, ring->y - b);
    dot(ring->x - a, ring->y - b);
}

/* The midpoint circle algorithm: one eighth of the circle is computed and mirrored. */
static void draw_circle(const struct ring *ring)
{
    int32_t a = ring->radius, error = 1 - a;
    for (int32_t b = 0; b <= a; b++) {
        mirrored_dots(ring, a, b);
        mirrored_dots(ring, b, a);
        error += error < 0 ? 2 * b + 3 : 2 * (b - --a) + 3;
    }
}

static void draw_cross(const struct ring *ring)
{
    for (int32_t arm = 0; arm <= CROSS; arm++) {
        mirrored_dots(ring, arm, 0);
        mirrored_dots(ring, 0, arm);
    }
}

/* Draw all obstacles and goals again, because clearing the boids near them may have removed parts of them. */
static void draw_rings(void)
{
    for (const struct ring *ring = rings; ring < rings + ring_count; ring++)
        if (ring->radius > 0)
            draw_circle(ring);
        else
            draw_cross(ring);
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

/* Draw the boids near the top, or all others. */
static void draw_boids(const struct flock *flock, bool is_top)
{
    for (uint32_t i = 0; i < flock->count; i++) {
        const int32_t y = flock->boids[i].position.y.raw;
        if ((SIM_Y_UP ? y > view.top_end : y < view.top_end) != is_top)
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
    if (SIM_OBSTACLE_COUNT + SIM_GOAL_COUNT > 0)
        draw_rings();
    draw_boids(flock, false);
    draw_predators(flock);
}
