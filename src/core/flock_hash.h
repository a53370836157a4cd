/* flock_hash() adds up one term per agent: a hash of its index and state, from the mixing function of rng.h. Because
 * terms are added, agents may be visited in any order. */
#pragma once

#include "num.h"
#include "rng.h"

#include "flock/flock.h"

/** The term of one agent. The indices of predators follow those of boids. */
static inline uint64_t flock_hash_agent(const struct flock_agent *agent, uint32_t index)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = flock_rng_mix(index + golden);
    z = flock_rng_mix((z ^ num_bits(agent->position.x)) + golden);
    z = flock_rng_mix((z ^ num_bits(agent->position.y)) + golden);
    z = flock_rng_mix((z ^ num_bits(agent->velocity.x)) + golden);
    return flock_rng_mix((z ^ num_bits(agent->velocity.y)) + golden);
}

/** The sum of the terms of `count` agents; the first one has the index `first`. */
static inline uint64_t flock_hash_agents(const struct flock_agent *agents, uint32_t count, uint32_t first)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += flock_hash_agent(&agents[i], first + i);
    return sum;
}
