/* How many others a boid is compared with: all in its own cell and those around it. Steps cost as much. Compiled once per
 * number type.
 *
 * Cells keep that low while boids keep apart. In a crowd nothing does: with everybody in one cell each is compared with
 * all others. */
#ifndef ENGINE_CANDIDATES_H
#define ENGINE_CANDIDATES_H

#include "flock/flock.h"

#define candidates_mean     FLOCK_TYPED(candidates_mean)
#define candidates_expected FLOCK_TYPED(candidates_expected)

/** The mean over `count` boids. `size_of` tells how many of them are in a cell of the table. */
double candidates_mean(const struct flock_params *params, uint32_t count,
                       uint32_t (*size_of)(const void *context, uint32_t cell), const void *context);

/** What it is expected to be when `count` boids are spread evenly over the world. */
double candidates_expected(const struct flock_params *params, uint32_t count);

#endif
