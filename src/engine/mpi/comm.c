/* The functions that are the same with and without MPI. */
#include "comm.h"

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

struct error comm_name_fault(const struct comm *comm, const struct error *error)
{
    struct error whole = {0};
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    error_set(&whole, error->status, "rank %d on %s: %s", comm->rank, host, error->sentence);
    return whole;
}

bool comm_agree(const struct comm *comm, bool is_good, struct error *error)
{
    const uint64_t count = (uint64_t)comm->count;
    if (comm->count == 1)
        return is_good;
    /* Each rank has a vote, and the lowest vote is used. The lowest votes are those of ranks with an error, then come
     * those of ranks that only know that another rank failed, and then those of ranks without an error. */
    const uint64_t rank = (uint64_t)comm->rank;
    uint64_t vote = is_good ? 2 * count : error->status != ERROR_NONE ? rank : count + rank;
    comm->allreduce(comm, &vote, 1, COMM_MIN);
    if (vote == 2 * count)
        return true;
    const int from = (int)(vote % count);
    struct error first = {0};
    if (comm->rank == from)
        first = comm_is_root(comm) ? *error : comm_name_fault(comm, error);
    comm->bcast(comm, from, &first, sizeof first);
    *error = first;
    return false;
}
