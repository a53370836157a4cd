/* flock_hash() adds up one term per agent: a hash of its index and state, from the mixing function of rng.h. Because
 * terms are added, agents may be visited in any order. */
#pragma once

#include "num.h"
#include "rng.h"

#include "flock/flock.h"

/** The term of one agent. The indices of predators follow those of boids. */
static inline uint64_t flock_hash_agent(const struct flock_agent *agent, uint32_t index)
{
    uint64_t hash = flock_rng_add(0, index);
    hash = flock_rng_add(hash, num_bits(agent->position.x));
    hash = flock_rng_add(hash, num_bits(agent->position.y));
    hash = flock_rng_add(hash, num_bits(agent->velocity.x));
    return flock_rng_add(hash, num_bits(agent->velocity.y));
}

/** The sum of the terms of `count` agents; the first one has the index `first`. */
static inline uint64_t flock_hash_agents(const struct flock_agent *agents, uint32_t count, uint32_t first)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += flock_hash_agent(&agents[i], first + i);
    return sum;
}
