/* Convert agents from the host's doubles to the core's numbers, and back. */
#pragma once

#include "base/agent.h"
#include "flock/flock.h"
#include "num.h"

static inline struct flock_agent agent_to_core(const struct agent *agent)
{
    return (struct flock_agent){{num_from_double(agent->x), num_from_double(agent->y)},
                                {num_from_double(agent->vx), num_from_double(agent->vy)}};
}

static inline struct agent agent_from_core(const struct flock_agent *agent)
{
    return (struct agent){num_to_double(agent->position.x), num_to_double(agent->position.y),
                          num_to_double(agent->velocity.x), num_to_double(agent->velocity.y)};
}

static inline void agents_to_core(struct flock_agent *to, const struct agent *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = agent_to_core(&from[i]);
}

static inline void agents_from_core(struct agent *to, const struct flock_agent *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = agent_from_core(&from[i]);
}
