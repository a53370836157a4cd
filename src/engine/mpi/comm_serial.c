/* Communication for one process. A program that was built without MPI refuses to run as one of several processes,
 * because all of them would write the same files. */
#include "comm.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

static struct comm serial = {.count = 1, .node_size = 1, .cpu_sharers = 1};

/* Environment variables of launchers: of Open MPI, of PMI (MPICH, Slurm) and of PMIx (Slurm). Slurm numbers the
 * tasks of a job step even without MPI. Such tasks have no PMIx rank, and each of them may run its own flock. The first
 * launcher whose variables are set is used. */
static const struct {
    const char *rank, *count;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"PMI_RANK", "PMI_SIZE"},
                 {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}};

bool comm_init(struct error *error)
{
    FOR_EACH (launcher, launchers) {
        const char *rank = getenv(launcher->rank), *count = getenv(launcher->count);
        if (!rank || !count)
            continue;
        if (atoi(count) < 2)
            return true;
        /* Only rank 0 prints the message, so that it appears once. */
        serial.rank = atoi(rank);
        return error_refuse(error,
                            "started as one of %d ranks, but this program runs alone: make MPI=1 builds "
                            "boids-mpi; if each rank is to run a flock of its own, unset %s",
                            atoi(count), launcher->count);
    }
    return true;
}

void comm_finalize(void)
{
}

void comm_abort(const char *sentence)
{
    fprintf(stderr, "boids: %s\n", sentence);
    exit(ERROR_FAILED);
}

const struct comm *comm_world(void)
{
    return &serial;
}
