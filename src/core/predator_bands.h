/* Which predators may be near a boid, for flocks with many predators. The world is divided into bands along each axis. Each band has a
 * mask of the predators within reach of it; the predators within reach of a boid are in the masks of its band in x and its band in y. */
#ifndef FLOCK_PREDATOR_BANDS_H
#define FLOCK_PREDATOR_BANDS_H

#include "num.h"

#include "flock/flock.h"

#define flock_predator_bands_build FLOCK_TYPED(flock_predator_bands_build)

enum { PREDATOR_BANDS = 64 };

struct flock_predator_bands {
    uint32_t group; /* predators per bit of a mask */
    num_ratio x, y; /* bands per length */
    uint64_t near_x[PREDATOR_BANDS], near_y[PREDATOR_BANDS];
};

/** Fill `bands`. Returns it; NULL if the predators are so few that it is faster to compare a boid with all of them. */
const struct flock_predator_bands *flock_predator_bands_build(struct flock_predator_bands *bands,
                                                              const struct flock_params *params,
                                                              const struct flock_agent *predators,
                                                              uint32_t count);

/** The band of a boid along an axis. A boid outside the world is in the first or the last band. */
static inline uint32_t predator_band(num a, num_ratio ratio)
{
    const int32_t band = num_ratio_floor(a, ratio);
    return band < 0 ? 0 : band < PREDATOR_BANDS ? (uint32_t)band : PREDATOR_BANDS - 1;
}

#endif
