/* What all turns of a step have in common. */
#ifndef FLOCK_STEP_CONTEXT_H
#define FLOCK_STEP_CONTEXT_H

#include "rng.h"

#include "flock/flock.h"

struct flock_step_context {
    const struct flock_params *params;
    struct flock_rng_key noise;          /**< of the frame that the step starts from, where there is noise */
    const struct flock_agent *predators; /**< where they stood then */
    uint32_t predator_count;
    const struct flock_vec
        *goals; /**< of which the nearest is a boid's: all of them, or the one whose turn it is */
    uint32_t goal_count;
};

static inline struct flock_step_context flock_step_context_of(const struct flock *flock,
                                                              const struct flock_params *params)
{
    struct flock_step_context context = {
        .params = params,
        .predators = flock->predators,
        .predator_count = flock->predator_count,
        .goals = params->goals,
        .goal_count = params->goal_count,
    };
    if (params->has_noise)
        context.noise = flock_rng_key_for_step(params->seed, FLOCK_NOISE, flock->step);
    if (params->goal_count > 0 && params->goal_every > 0) {
        context.goals += flock->step / params->goal_every % params->goal_count;
        context.goal_count = 1;
    }
    return context;
}

#endif
