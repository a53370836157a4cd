/* How many others a boid is compared with: all in its own cell and those around it. Steps cost as much. Compiled once per
 * number type.
 *
 * Cells keep that low while boids keep apart. In a crowd nothing does: with everybody in one cell each is compared with
 * all others. */
#ifndef ENGINE_CROWD_H
#define ENGINE_CROWD_H

#include "flock/flock.h"

#define crowd_of       FLOCK_TAGGED(crowd_of)
#define crowd_expected FLOCK_TAGGED(crowd_expected)

/** The mean over `count` boids. `size_of` tells how many of them are in a cell of the table. */
double crowd_of(const struct flock_params *params, uint32_t count,
                uint32_t (*size_of)(const void *context, uint32_t cell), const void *context);

/** What it is expected to be when `count` boids are spread evenly over the world. */
double crowd_expected(const struct flock_params *params, uint32_t count);

#endif
