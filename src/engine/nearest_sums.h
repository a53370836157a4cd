/* What a synchronous flock needs for its rules with `nearest`: simd_nearest.h searches in SIMD lanes, and the core repeats a few
 * searches. Compiled once per number type. */
#pragma once

#include "base/arena.h"
#include "engine/simd/simd_step.h"
#include "flock/flock.h"

struct nearest_sums {
    const struct flock_params *params;
    struct flock flock;    /* the boids in the cells of the store, for searches by the core */
    unsigned rule_sets[3]; /* sets of rules that choose the same neighbours; the others are 0 */
    /* For each set, by id: the squared distance of the farthest of the nearest neighbours in the last step; 0 if unknown. */
    num *farthest[3];
};

#define nearest_sums_allocate FLOCK_TYPED(nearest_sums_allocate)
#define nearest_sums_search   FLOCK_TYPED(nearest_sums_search)

/** Take memory for `count` boids from the arena (which only counts the bytes if its base is NULL). Returns `nearest`; NULL if no rule of
 * the flock has `nearest`. */
struct nearest_sums *nearest_sums_allocate(struct nearest_sums *nearest, const struct flock_params *params,
                                           uint32_t count, struct arena *arena);

/** Search with core/nearest.c, which compares ids and finds all neighbours within the radius of the rule.
 *
 * @param rules   one of the `rule_sets`.
 * @param sums    the sums of these rules for the boid in `slot`.
 * @return the squared distance of its farthest neighbour.
 */
num nearest_sums_search(const struct nearest_sums *nearest, uint32_t slot, unsigned rules,
                        struct nearest_sum sums[3]);
