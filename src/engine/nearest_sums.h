/* Sums over the nearest neighbours of a synchronous flock, for its rules with `nearest`: computed at the start of a step, in SIMD lanes
 * (simd_nearest.h), and read by the step. Compiled once per number type. */
#pragma once

#include "base/arena.h"
#include "engine/simd/nearest_tree.h"
#include "engine/simd/simd_step.h"
#include "engine/threads/team.h"
#include "flock/flock.h"

struct nearest_sums {
    const struct flock_params *params;
    struct nearest_tree tree;
    struct flock
        flock; /* the boids in order of id and, for searches by the core, in the cells of the store */
    /* Sums of separation, alignment and cohesion, by id; NULL for a rule without `nearest`. */
    struct nearest_sum *sums[3];
    const struct simd_kernels *kernels;
};

#define nearest_sums_are_needed FLOCK_TYPED(nearest_sums_are_needed)
#define nearest_sums_allocate   FLOCK_TYPED(nearest_sums_allocate)
#define nearest_sums_compute    FLOCK_TYPED(nearest_sums_compute)

/** True if any rule of the flock has `nearest`. */
bool nearest_sums_are_needed(const struct flock_params *params);

/** Take memory for the tree and the sums of `count` boids from the arena (which only counts the bytes if its base is NULL). */
void nearest_sums_allocate(struct nearest_sums *nearest, const struct flock_params *params, uint32_t count,
                           struct arena *arena);

/** Compute the sums from the boids and cells in nearest->flock. `team`: the threads that share the work, or NULL. */
void nearest_sums_compute(struct nearest_sums *nearest, struct team *team);
