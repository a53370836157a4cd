/* The hash of the flock, on both cores. Boids may be added in any order, so each core has its own sum. The hash is
 * computed in parts, because the step of a large flock leaves little time in a frame. */
#include "core/flock_hash.h"

#include "core1.h"
#include "sim.h"

enum { PART = 32 };

static uint64_t sums[2];
static uint32_t hashed = SIM_BOIDS;

static void add_range(uint32_t begin, uint32_t end)
{
    const uint32_t first = hashed + begin;
    sums[core_number()] += flock_hash_agents(&sim_flock.boids[first], end - begin, first);
}

void sim_hash_begin(void)
{
    hashed = 0;
    sums[0] = flock_hash_agents(sim_flock.predators, SIM_PREDATORS, SIM_BOIDS);
    sums[1] = 0;
}

bool sim_hash_part(void)
{
    const uint32_t rest = SIM_BOIDS - hashed, count = rest < PART ? rest : PART;
    if (SIM_IS_SHARED && count > 0)
        core1_share(add_range, count);
    else
        add_range(0, count);
    hashed += count;
    return hashed < SIM_BOIDS;
}

uint64_t sim_hash(void)
{
    while (sim_hash_part())
        ;
    return sums[0] + sums[1];
}
