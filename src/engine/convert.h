/* Agents between the host's doubles and the core's numbers. */
#ifndef ENGINE_CONVERT_H
#define ENGINE_CONVERT_H

#include "agent.h"
#include "flock/flock.h"
#include "num.h"

static inline struct flock_agent agent_in(const struct agent *agent)
{
    return (struct flock_agent){{num_from_double(agent->x), num_from_double(agent->y)},
                                {num_from_double(agent->vx), num_from_double(agent->vy)}};
}

static inline struct agent agent_out(const struct flock_agent *agent)
{
    return (struct agent){num_to_double(agent->position.x), num_to_double(agent->position.y),
                          num_to_double(agent->velocity.x), num_to_double(agent->velocity.y)};
}

static inline void agents_in(struct flock_agent *to, const struct agent *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = agent_in(&from[i]);
}

static inline void agents_out(struct agent *to, const struct flock_agent *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = agent_out(&from[i]);
}

#endif
