/* What firmware/rp2040/sim.h declares, for float32: the portable core, on one core. */
#include "sim.h"

#include <stdlib.h>

/* Lists that SIM_PARAMS refers to, if the configuration has obstacles or goals. */
#if defined SIM_OBSTACLES
static const struct flock_obstacle sim_obstacles[] = SIM_OBSTACLES;
#endif
#if defined SIM_GOALS
static const struct flock_vec sim_goals[] = SIM_GOALS;
#endif

SIM_CONSTANT struct flock_params sim_params = SIM_PARAMS;
static const struct flock_init_params start = SIM_START;
struct flock sim_flock;

void sim_init(uint32_t more)
{
    (void)more;
    void *memory = malloc(flock_memory(&sim_params, SIM_BOIDS, SIM_PREDATORS));
    if (!memory)
        abort();
    flock_init(&sim_flock, &sim_params, SIM_BOIDS, SIM_PREDATORS, memory);
    flock_randomise(&sim_flock, &sim_params, &start);
}

void sim_step(void)
{
    if (flock_step(&sim_flock, &sim_params) != FLOCK_OK)
        abort(); /* an agent has left the range of numbers */
}

void sim_hash_begin(void)
{
}

uint64_t sim_hash(void)
{
    return flock_hash(&sim_flock);
}
