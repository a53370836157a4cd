/* The functions that are the same with and without MPI. */
#include "comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool comm_is_root(const struct comm *comm)
{
    return comm->rank == 0;
}

bool comm_all(const struct comm *comm, bool is_true)
{
    uint64_t word = is_true;
    if (comm->count > 1)
        comm->allreduce(comm, &word, 1, COMM_MIN);
    return word != 0;
}

struct fault comm_name_fault(const struct comm *comm, const struct fault *fault)
{
    struct fault whole = {0};
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (fault->status == FAULT_REFUSED)
        fault_refuse(&whole, "rank %d on %s: %s", comm->rank, host, fault->sentence);
    else
        fault_fail(&whole, "rank %d on %s: %s", comm->rank, host, fault->sentence);
    return whole;
}

bool comm_agree(const struct comm *comm, bool is_good, struct fault *fault)
{
    const uint64_t count = (uint64_t)comm->count;
    if (comm->count == 1)
        return is_good;
    /* Each rank has a vote, and the lowest vote is used. The lowest votes are those of ranks with a fault, then come
     * those of ranks that only know that another rank failed, and then those of ranks without a fault. */
    const uint64_t rank = (uint64_t)comm->rank;
    uint64_t vote = is_good ? 2 * count : fault->status != FAULT_NONE ? rank : count + rank;
    comm->allreduce(comm, &vote, 1, COMM_MIN);
    if (vote == 2 * count)
        return true;
    const int from = (int)(vote % count);
    struct fault first = {0};
    if (comm->rank == from)
        first = comm_is_root(comm) ? *fault : comm_name_fault(comm, fault);
    comm->bcast(comm, from, &first, sizeof first);
    *fault = first;
    return false;
}

char *comm_bcast_text(const struct comm *comm, const char *text)
{
    uint64_t size = text ? strlen(text) + 1 : 0;
    if (comm->count == 1)
        return text ? strdup(text) : NULL;
    comm->bcast(comm, 0, &size, sizeof size);
    char *copy = malloc(size);
    if (copy && text)
        memcpy(copy, text, size);
    if (!comm_all(comm, copy != NULL)) {
        free(copy);
        return NULL;
    }
    comm->bcast(comm, 0, copy, size);
    return copy;
}
