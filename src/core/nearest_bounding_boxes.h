/* The bounding boxes of the index for rules with `nearest` (nearest.c) that a search must visit. */
#ifndef FLOCK_NEAREST_BOUNDING_BOXES_H
#define FLOCK_NEAREST_BOUNDING_BOXES_H

#include "num.h"

#include "flock/flock.h"

/** A box on the plane, edges included. */
struct box {
    struct flock_vec low, high;
};

/** Store box number `at` in an array of groups of boxes. */
static inline void store_box(struct flock_boxes *boxes, uint32_t at, const struct box *box)
{
    const uint32_t k = at % FLOCK_NEAREST_FAN_OUT;
    boxes += at / FLOCK_NEAREST_FAN_OUT;
    boxes->low_x[k] = box->low.x;
    boxes->low_y[k] = box->low.y;
    boxes->high_x[k] = box->high.x;
    boxes->high_y[k] = box->high.y;
}

/** The region of a search: all positions at a squared distance of at most `farthest` from the box [low, high]. */
struct nearest_reach {
    const struct flock_axis *x, *y;
    struct flock_vec low, high; /* equal in a search for one boid */
    num_square farthest;
};

/** An axis for a search. A torus may be searched as a plane, which is faster, if the neighbours of all boids from `low` to `high` are
 * nearer than the seam and nearer than half the world. */
static inline struct flock_axis axis_of_search(const struct flock_axis *axis, num low, num high,
                                               num_square farthest)
{
    struct flock_axis found = *axis;
    if (!axis->is_torus)
        return found;
    num room = num_subtract(axis->length, high);
    room = num_less(low, room) ? low : room;
    room = num_less(axis->half, room) ? axis->half : room;
    /* A larger square, to allow for rounding errors. */
    found.is_torus = !num_square_less(num_square_widen(farthest), num_norm_squared(room, num_zero()));
    return found;
}

static inline num larger_num(num a, num b)
{
    return num_less(a, b) ? b : a;
}

/* The distances along an axis from the interval [from, to] to the intervals [low[k], high[k]]: lower bounds of the
 * distances between boids in them. On a torus, the shorter way counts. The loops have no branches, so that compilers
 * generate SIMD instructions. */
static inline void gaps_between(const struct flock_axis *axis, num from, num to, const num *low,
                                const num *high, num *gaps)
{
    const num length = axis->length, zero = num_zero();
    for (uint32_t k = 0; k < FLOCK_NEAREST_FAN_OUT; k++)
        gaps[k] = larger_num(zero, larger_num(num_subtract(low[k], to), num_subtract(from, high[k])));
    if (!axis->is_torus)
        return;
    for (uint32_t k = 0; k < FLOCK_NEAREST_FAN_OUT; k++) {
        const num max = larger_num(num_subtract(high[k], from), num_subtract(to, low[k]));
        const num other = num_subtract(length, max);
        gaps[k] = num_less(other, gaps[k]) ? larger_num(zero, other) : gaps[k];
    }
}

/** A bit mask of the first `count` boxes: bit k is set if box k may contain a boid within reach. Boxes whose boids are at the limit of the
 * reach and have ids above `high_id` are left out. */
static inline unsigned boxes_in_reach(const struct nearest_reach *reach, const struct flock_boxes *boxes,
                                      uint32_t count, uint32_t high_id)
{
    num x[FLOCK_NEAREST_FAN_OUT], y[FLOCK_NEAREST_FAN_OUT];
    unsigned bits = 0;
    gaps_between(reach->x, reach->low.x, reach->high.x, boxes->low_x, boxes->high_x, x);
    gaps_between(reach->y, reach->low.y, reach->high.y, boxes->low_y, boxes->high_y, y);
    for (uint32_t k = 0; k < FLOCK_NEAREST_FAN_OUT; k++)
        bits |= (unsigned)!num_square_less(reach->farthest, num_norm_squared(x[k], y[k])) << k;
    for (uint32_t k = 0; k < FLOCK_NEAREST_FAN_OUT && high_id != UINT32_MAX; k++)
        if (boxes->low_id[k] > high_id && !num_square_less(num_norm_squared(x[k], y[k]), reach->farthest))
            bits &= ~(1U << k);
    return count < FLOCK_NEAREST_FAN_OUT ? bits & ((1U << count) - 1) : bits;
}

/** A bit for each node of a group of eight that may contain a boid within reach. */
static inline unsigned nodes_in_reach(const struct nearest_reach *reach,
                                      const struct flock_nearest_index *index, uint32_t level, uint32_t group,
                                      uint32_t high_id)
{
    return boxes_in_reach(reach, &index->boxes[level][group],
                          index->nodes[level] - group * FLOCK_NEAREST_FAN_OUT, high_id);
}

#endif
