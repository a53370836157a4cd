/* One process. Started as one of several it would race the others to the same files. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>

static struct ranks alone = {.count = 1, .beside = 1, .sharing = 1};

/* What launchers tell each of the processes that they start: Open MPI, and the PMI of MPICH and Slurm. */
static const struct {
    const char *rank, *count;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}};

static int number_in(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

bool ranks_begin(struct fault *fault)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const int count = number_in(launchers[i].count);
        if (count < 2)
            continue;
        /* So that the first of them alone says it. */
        alone.rank = number_in(launchers[i].rank);
        return fault_refuse(fault,
                            "started as one of %d ranks, but this program flies alone: make MPI=1 builds "
                            "boids-mpi; where each rank is to fly a flock of its own, unset %s",
                            count, launchers[i].count);
    }
    return true;
}

void ranks_end(void)
{
}

void ranks_give_up(const char *sentence)
{
    fprintf(stderr, "boids: %s\n", sentence);
    exit(FAULT_FAILED);
}

const struct ranks *ranks_world(void)
{
    return &alone;
}
