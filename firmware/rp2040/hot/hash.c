/* The hash of the flock, on both cores: boids are added up in any order, each core to a sum of its own. */
#include "core/hash.h"

#include "flight.h"
#include "rp2040.h"
#include "second.h"

static uint64_t sums[2];

static void add_part(uint32_t begin, uint32_t end)
{
    sums[REGISTER(SIO_CPUID)] += flock_hash_agents(&flight_flock.boids[begin], end - begin, begin);
}

uint64_t flight_hash(void)
{
    const struct flock *flock = &flight_flock;
    sums[0] = sums[1] = 0;
    if (FLIGHT_IS_SHARED)
        second_share(add_part, flock->count);
    else
        add_part(0, flock->count);
    return sums[0] + sums[1] + flock_hash_agents(flock->predators, flock->predator_count, flock->count);
}
