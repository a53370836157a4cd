/* What all turns of a step have in common. */
#ifndef FLOCK_SCENE_H
#define FLOCK_SCENE_H

#include "flock/flock.h"

struct flock_scene {
    const struct flock_params *params;
    uint64_t
        step; /**< the frame that the step starts from: with the seed and an id the key of a random number */
    const struct flock_agent *predators; /**< where they stood then */
    uint32_t predator_count;
};

static inline struct flock_scene flock_scene_of(const struct flock *flock, const struct flock_params *params)
{
    return (struct flock_scene){params, flock->step, flock->predators, flock->predator_count};
}

#endif
