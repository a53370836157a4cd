/* Predators that hunt. */
#pragma once

#include "flock/flock.h"

#define flock_hunt_prey FLOCK_TYPED(flock_hunt_prey)

/** True if predators hunt; then flock_end_step() needs the boids in order of id. */
static inline bool flock_is_hunted(const struct flock *flock, const struct flock_params *params)
{
    return params->hunt != FLOCK_HUNT_NONE && flock->predator_count > 0;
}

/** The velocity of a predator of a hunted flock after it has turned towards its prey, which is found among the current positions of all
 * boids. */
struct flock_vec flock_hunt_prey(const struct flock *flock, const struct flock_params *params,
                                 const struct flock_agent *predator);
