/* The data that all updates of a step share. */
#ifndef FLOCK_STEP_CONTEXT_H
#define FLOCK_STEP_CONTEXT_H

#include "predator_bands.h"
#include "rng.h"

#include "flock/flock.h"

struct flock_step_context {
    const struct flock_params *params;
    struct flock_rng_key noise; /**< key of the noise in this step, if there is noise */
    /** Key of the speed limits, if each boid has its own; the same in all steps. */
    struct flock_rng_key speed;
    const struct flock_agent *predators; /**< at the start of the step */
    uint32_t predator_count;
    const struct flock_predator_bands *bands; /**< NULL: each boid is compared with all predators */
    /** All goals, if boids seek the nearest one; otherwise only the goal of this step. */
    const struct flock_vec *goals;
    uint32_t goal_count; /**< 0: boids seek nothing */
};

/** `bands`: memory for them, or NULL. */
static inline struct flock_step_context flock_step_context_of(const struct flock *flock,
                                                              const struct flock_params *params,
                                                              struct flock_predator_bands *bands)
{
    struct flock_step_context context = {
        .params = params,
        .predators = flock->predators,
        .predator_count = flock->predator_count,
        .bands =
            bands ? flock_predator_bands_build(bands, params, flock->predators, flock->predator_count) : NULL,
        .goals = params->goals,
        .goal_count = params->goal_count,
    };
    if (params->has_noise)
        context.noise = flock_rng_key_for_step(params->seed, FLOCK_NOISE, flock->step);
    if (params->has_speed_spread)
        context.speed = flock_rng_key_for_step(params->seed, FLOCK_BOID_SPEED, 0);
    if (params->goal_count > 0 && params->goal_every > 0) {
        context.goals += flock->step / params->goal_every % params->goal_count;
        context.goal_count = 1;
    }
    if (params->has_goal_direction)
        context.goal_count = 1;
    return context;
}

/* The firmware has no room for the code of predator_bands.h. */
#ifndef FLOCK_HAS_PREDATOR_BANDS
#define FLOCK_HAS_PREDATOR_BANDS true
#endif

static inline bool flock_has_bands(const struct flock_step_context *context)
{
    return FLOCK_HAS_PREDATOR_BANDS && context->bands;
}

/** True if motion.h may skip the code that only few flocks need. */
static inline bool flock_has_simple_motion(const struct flock_step_context *context)
{
    return context->params->is_simple_motion && !flock_has_bands(context);
}

#endif
