/* What all turns of a step have in common. */
#ifndef FLOCK_SCENE_H
#define FLOCK_SCENE_H

#include "rng.h"

#include "flock/flock.h"

struct flock_scene {
    const struct flock_params *params;
    struct flock_moment noise;           /**< of the frame that the step starts from, where there is noise */
    const struct flock_agent *predators; /**< where they stood then */
    uint32_t predator_count;
    const struct flock_vec
        *goals; /**< of which the nearest is a boid's: all of them, or the one whose turn it is */
    uint32_t goal_count;
};

static inline struct flock_scene flock_scene_of(const struct flock *flock, const struct flock_params *params)
{
    struct flock_scene scene = {
        .params = params,
        .predators = flock->predators,
        .predator_count = flock->predator_count,
        .goals = params->goals,
        .goal_count = params->goal_count,
    };
    if (params->has_noise)
        scene.noise = flock_rng_moment(params->seed, FLOCK_NOISE, flock->step);
    if (params->goal_count > 0 && params->goal_every > 0) {
        scene.goals += flock->step / params->goal_every % params->goal_count;
        scene.goal_count = 1;
    }
    return scene;
}

#endif
