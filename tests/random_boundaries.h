/* Random boundaries between the subdomains of ranks, so that many boids migrate all the time. */
#ifndef RANDOM_BOUNDARIES_H
#define RANDOM_BOUNDARIES_H

#include "core/rng.h"
#include "engine/mpi/domain_partition.h"

#include <stdlib.h>

static int compare_rows(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

/* Distribute the rows beyond the minimum at random. */
static void set_random_boundaries(struct partition *partition, uint64_t seed, uint64_t step)
{
    const uint32_t spare = partition->rows - PARTITION_MIN_ROWS * partition->ranks;
    uint32_t *first = partition->trial;
    first[0] = 0;
    for (uint32_t r = 1; r < partition->ranks; r++)
        first[r] = (uint32_t)(flock_rng_mix(flock_rng_mix(seed + step) + r) % (spare + 1));
    qsort(first + 1, partition->ranks - 1, sizeof *first, compare_rows);
    for (uint32_t r = 1; r < partition->ranks; r++)
        first[r] += PARTITION_MIN_ROWS * r;
    first[partition->ranks] = partition->rows;
    partition_apply(partition);
}

#endif
