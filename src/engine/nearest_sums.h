/* Sums over the nearest neighbours of a synchronous flock, for its rules with `nearest`: computed at the start of a step, in SIMD lanes
 * (simd_nearest.h), and read by the step. Compiled once per number type. */
#ifndef NEAREST_SUMS_H
#define NEAREST_SUMS_H

#include "base/arena.h"
#include "engine/simd/simd_step.h"
#include "engine/threads/team.h"
#include "flock/flock.h"

struct nearest_sums {
    const struct flock_params *params;
    struct flock flock; /* the boids in order of id, and their index */
    /* Sums of separation, alignment and cohesion, by id; NULL for a rule without `nearest`. */
    struct nearest_sum *sums[3];
    const struct simd_kernels *kernels;
};

#define nearest_sums_are_needed FLOCK_TYPED(nearest_sums_are_needed)
#define nearest_sums_allocate   FLOCK_TYPED(nearest_sums_allocate)
#define nearest_index_allocate  FLOCK_TYPED(nearest_index_allocate)
#define nearest_sums_compute    FLOCK_TYPED(nearest_sums_compute)

/** True if any rule of the flock has `nearest`. */
bool nearest_sums_are_needed(const struct flock_params *params);

/** Take memory for `count` boids and an index of them from the arena (which only counts the bytes if its base is NULL). */
void nearest_index_allocate(struct flock *flock, uint32_t count, struct arena *arena);

/** Take memory for the sums of `count` boids from the arena (which only counts the bytes if its base is NULL). */
void nearest_sums_allocate(struct nearest_sums *nearest, const struct flock_params *params, uint32_t count,
                           struct arena *arena);

/** Compute the sums from the boids in nearest->flock.boids. `team`: the threads that share the work, or NULL. */
void nearest_sums_compute(struct nearest_sums *nearest, struct team *team);

#endif
