/* Communication of several processes with MPI. Only this file includes mpi.h. */
#define _GNU_SOURCE // sched_getaffinity
#include "comm.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* The requests of the messages that are being sent. */
struct sends {
    MPI_Request *requests;
    int count, capacity;
};

static struct sends sends;

/* The length of a message in words of eight bytes. MPI uses int for lengths, so a message has at most 2^31 - 1
 * words, which are 16 GB. */
static int word_count(size_t size)
{
    return (int)(size / sizeof(uint64_t));
}

/* Map unsigned numbers to signed numbers with the same order, or back. */
static void flip(uint64_t *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        words[k] ^= UINT64_C(1) << 63;
}

/* MPICH 4.0 computes MPI_MIN and MPI_MAX of unsigned words as if they were signed. */
static void allreduce(const struct comm *comm, uint64_t *words, size_t count, enum comm_op op)
{
    (void)comm;
    if (op == COMM_SUM) {
        MPI_Allreduce(MPI_IN_PLACE, words, (int)count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        return;
    }
    flip(words, count);
    MPI_Allreduce(MPI_IN_PLACE, words, (int)count, MPI_INT64_T, op == COMM_MIN ? MPI_MIN : MPI_MAX,
                  MPI_COMM_WORLD);
    flip(words, count);
}

static void bcast(const struct comm *comm, int from, void *bytes, size_t size)
{
    (void)comm;
    MPI_Bcast(bytes, (int)size, MPI_BYTE, from, MPI_COMM_WORLD);
}

static void isend(const struct comm *comm, int to, const void *bytes, size_t size)
{
    (void)comm;
    if (sends.count == sends.capacity) {
        const int capacity = 2 * sends.capacity + 16;
        MPI_Request *requests = realloc(sends.requests, (size_t)capacity * sizeof *requests);
        if (!requests)
            comm_abort("out of memory for messages");
        sends.requests = requests;
        sends.capacity = capacity;
    }
    MPI_Isend(bytes, word_count(size), MPI_UINT64_T, to, 0, MPI_COMM_WORLD, &sends.requests[sends.count++]);
}

static size_t probe(const struct comm *comm, int *from)
{
    MPI_Status status;
    int words;
    (void)comm;
    MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &words);
    *from = status.MPI_SOURCE;
    return (size_t)words * sizeof(uint64_t);
}

static void recv(const struct comm *comm, int from, void *bytes, size_t size)
{
    (void)comm;
    MPI_Recv(bytes, word_count(size), MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void waitall(const struct comm *comm)
{
    (void)comm;
    for (int k = 0; k < sends.count; k++)
        MPI_Wait(&sends.requests[k], MPI_STATUS_IGNORE);
    sends.count = 0;
}

static struct comm world = {.count = 1,
                            .node_size = 1,
                            .cpu_sharers = 1,
                            .allreduce = allreduce,
                            .bcast = bcast,
                            .isend = isend,
                            .probe = probe,
                            .recv = recv,
                            .waitall = waitall};

/* Only the main thread calls MPI. */
bool comm_init(struct error *error)
{
    int provided;
    MPI_Comm node;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return error_fail(error, "MPI does not start");
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &world.node_size);
    /* Launchers either bind each rank to its own processors, or let all ranks use all processors of the machine. */
    cpu_set_t own, *sets = calloc((size_t)world.node_size, sizeof *sets);
    if (!sets)
        comm_abort("out of memory at the start");
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, sets, sizeof own, MPI_BYTE, node);
    world.cpu_sharers = 0;
    for (int k = 0; k < world.node_size; k++)
        world.cpu_sharers += CPU_EQUAL(&sets[k], &own) != 0;
    free(sets);
    MPI_Comm_free(&node);
    return true;
}

void comm_finalize(void)
{
    int is_begun;
    MPI_Initialized(&is_begun);
    if (is_begun)
        MPI_Finalize();
    free(sends.requests);
    sends = (struct sends){0};
}

void comm_abort(const char *sentence)
{
    fprintf(stderr, "boids: rank %d: %s\n", world.rank, sentence);
    MPI_Abort(MPI_COMM_WORLD, ERROR_FAILED);
    exit(ERROR_FAILED);
}

const struct comm *comm_world(void)
{
    return &world;
}
