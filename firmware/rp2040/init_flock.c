/* The initial state; it runs once, so it stays in flash. */
#include "flock_state.h"

#include "disc_sum.h"

#include "core/init_state.c"

static const struct flock_init_params beginning = SIM_START;

void sim_init(void)
{
    flock_randomise(&sim_flock, &sim_params, &beginning);
    if (DISC_SUM_IS_ON)
        disc_sum_start(&sim_flock, &sim_params);
}
