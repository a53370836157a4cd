/* The data that all updates of a step share. */
#pragma once

#include "rng.h"

#include "flock/flock.h"

struct flock_step_context {
    const struct flock_params *params;
    struct flock_rng_key noise; /**< key of the noise in this step, if there is noise */
    /** Key of the random speed limits, if each boid has its own limits. It is the same in all steps. */
    struct flock_rng_key speed;
    const struct flock_agent *predators; /**< at the start of the step */
    uint32_t predator_count;
    /** All goals, if boids seek the nearest one; otherwise only the goal of this step. */
    const struct flock_vec *goals;
    uint32_t goal_count;             /**< 0: boids seek nothing */
    const struct flock_vec *changes; /**< changes of velocities, by id, or NULL */
    bool is_simple_motion;           /**< true if the rules have it and `changes` is NULL */
};

/* The firmware has no changes by a program, and no room for code that only they need. */
#ifndef FLOCK_HAS_CHANGES
#define FLOCK_HAS_CHANGES true
#endif

static inline struct flock_step_context flock_step_context_of(const struct flock *flock,
                                                              const struct flock_params *params)
{
    struct flock_step_context context = {
        .params = params,
        .predators = flock->predators,
        .predator_count = flock->predator_count,
        .goals = params->goals,
        .goal_count = params->goal_count,
        .changes = FLOCK_HAS_CHANGES ? flock->changes : NULL,
        .is_simple_motion = params->is_simple_motion && !(FLOCK_HAS_CHANGES && flock->changes),
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
