/* The hash of the flock, on both cores: boids may be added in any order, and each core has a sum of its own. */
#include "core/flock_hash.h"

#include "core1.h"
#include "flock_state.h"
#include "rp2040.h"

static uint64_t sums[2];

static void add_part(uint32_t begin, uint32_t end)
{
    sums[REGISTER(SIO_CPUID)] += flock_hash_agents(&sim_flock.boids[begin], end - begin, begin);
}

uint64_t sim_hash(void)
{
    const struct flock *flock = &sim_flock;
    sums[0] = sums[1] = 0;
    if (SIM_IS_SHARED)
        core1_share(add_part, flock->count);
    else
        add_part(0, flock->count);
    return sums[0] + sums[1] + flock_hash_agents(flock->predators, flock->predator_count, flock->count);
}
