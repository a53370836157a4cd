/* One process. Started as one of several it would race the others to the same files. */
#include "comm.h"

#include <stdio.h>
#include <stdlib.h>

static struct comm alone = {.count = 1, .node_size = 1, .cpu_sharers = 1};

/* What launchers tell each of the processes that they start: Open MPI, the PMI of MPICH and Slurm, and Slurm where it starts
 * them by PMIx. Slurm numbers the tasks of a step that is not for MPI as well, but those have no rank of PMIx: they may be
 * as many flocks. The first that has told anything counts: a launcher of one inside of a larger one is of one. */
static const struct {
    const char *rank, *count;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"PMI_RANK", "PMI_SIZE"},
                 {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}};

struct told {
    const char *rank, *count, *name; /* of the count */
};

static struct told ask_launchers(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct told told = {getenv(launchers[i].rank), getenv(launchers[i].count), launchers[i].count};
        if (told.rank && told.count)
            return told;
    }
    return (struct told){"0", "1", ""};
}

bool comm_init(struct fault *fault)
{
    const struct told told = ask_launchers();
    const int count = atoi(told.count);
    if (count < 2)
        return true;
    /* So that the first of them alone says it. */
    alone.rank = atoi(told.rank);
    return fault_refuse(fault,
                        "started as one of %d ranks, but this program flies alone: make MPI=1 builds "
                        "boids-mpi; where each rank is to fly a flock of its own, unset %s",
                        count, told.name);
}

void comm_finalize(void)
{
}

void comm_abort(const char *sentence)
{
    fprintf(stderr, "boids: %s\n", sentence);
    exit(FAULT_FAILED);
}

const struct comm *comm_world(void)
{
    return &alone;
}
