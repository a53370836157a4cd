/* The first state of a flock: made once, so not worth RAM. */
#include "flock_state.h"

#include "disc_sum.h"

#include "core/place.c"

static const struct flock_start beginning = SIM_START;

void sim_init(void)
{
    flock_place(&sim_flock, &sim_params, &beginning);
    if (DISC_SUM_IS_ON)
        disc_sum_start(&sim_flock, &sim_params);
}
