/* Distances from positions to bounding boxes, in SIMD lanes. */
#ifndef SIMD_BOXES_H
#define SIMD_BOXES_H

#include "simd_neighbours.h"

/** The distances along an axis from a position to intervals: lower bounds of the distances to boids in them. On a torus, the shorter way
 * counts. */
LANE_OP lane gaps_to(const struct flock_axis *axis, lane from, lane low, lane high)
{
    const lane zero = lane_set1(0), before = low - from, after = from - high;
    const lane gap = simd_max(zero, simd_max(before, after));
    const lane other = lane_set1(axis->length) + simd_min(before, after);
    return axis->is_torus ? simd_min(gap, simd_max(zero, other)) : gap;
}

#endif
