/* The initial state. This code runs once, so it is not copied to RAM. */
#include "sim.h"

#include "disc_sum.h"

#include "core/memory_and_random_start.c"

static const struct flock_init_params beginning = SIM_START;

void sim_init(uint32_t more)
{
    struct flock_params params = sim_params;
    params.seed += more;
    sim_flock.step = 0;
    flock_randomise(&sim_flock, &params, &beginning);
    if (DISC_SUM_IS_ON)
        disc_sum_start(&sim_flock);
}
