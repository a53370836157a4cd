/* Linked into boids-mpi-test: with BOIDS_TEST_PARTITION=SEED in the environment of all ranks, the boundaries between subdomains
 * are random after each step, so that many boids migrate all the time. */
#include "engine/engine.h"

#include <stdlib.h>

static void __attribute__((constructor)) read_seed(void)
{
    const char *text = getenv("BOIDS_TEST_PARTITION");
    engine_test_partition_seed = text ? strtoull(text, NULL, 10) : 0;
}
