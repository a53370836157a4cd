/* The number of candidates of a boid: the boids with which it is compared, which are those in its cell and in the
 * adjacent cells. It determines the time of a step. If all boids are in one cell, each is compared with all others.
 * Compiled once per number type. */
#ifndef ENGINE_CANDIDATE_COUNT_H
#define ENGINE_CANDIDATE_COUNT_H

#include "flock/flock.h"

#define candidates_mean     FLOCK_TYPED(candidates_mean)
#define candidates_expected FLOCK_TYPED(candidates_expected)

/** The mean over `count` boids. `size_of` returns the number of boids in a cell. */
double candidates_mean(const struct flock_params *params, uint32_t count,
                       uint32_t (*size_of)(const void *context, uint32_t cell), const void *context);

/** The mean for `count` boids spread evenly over the world. */
double candidates_expected(const struct flock_params *params, uint32_t count);

#endif
