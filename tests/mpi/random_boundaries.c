/* Linked into boids-mpi-test: with BOIDS_TEST_PARTITION=SEED in the environment of all ranks, the boundaries between subdomains
 * are random after each step. */
#include "../random_boundaries.h"

void partition_randomise(struct partition *partition, uint64_t step)
{
    const char *seed = getenv("BOIDS_TEST_PARTITION");
    if (seed)
        set_random_boundaries(partition, strtoull(seed, NULL, 10), step);
}
