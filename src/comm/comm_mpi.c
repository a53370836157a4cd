/* Several processes, by MPI. The only file that knows it. */
#define _GNU_SOURCE // sched_getaffinity
#include "comm.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* Messages under way, and how many of them there is room for. */
struct post {
    MPI_Request *requests;
    int count, capacity;
};

static struct post posts;

/* MPI counts in ints: in words of eight bytes a message holds 16 GB. */
static int words_of(size_t size)
{
    return (int)(size / sizeof(uint64_t));
}

/* So that the order of words is that of signed numbers, and back. */
static void flip(uint64_t *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        words[k] ^= UINT64_C(1) << 63;
}

/* MPICH 4.0 takes the least and the most of unsigned words as if they had a sign. */
static void allreduce(const struct comm *comm, uint64_t *words, size_t count, enum comm_op how)
{
    (void)comm;
    if (how == COMM_SUM) {
        MPI_Allreduce(MPI_IN_PLACE, words, (int)count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        return;
    }
    flip(words, count);
    MPI_Allreduce(MPI_IN_PLACE, words, (int)count, MPI_INT64_T, how == COMM_MIN ? MPI_MIN : MPI_MAX,
                  MPI_COMM_WORLD);
    flip(words, count);
}

static void bcast(const struct comm *comm, int from, void *bytes, size_t size)
{
    (void)comm;
    MPI_Bcast(bytes, (int)size, MPI_BYTE, from, MPI_COMM_WORLD);
}

static void make_room(void)
{
    if (posts.count < posts.capacity)
        return;
    const int capacity = 2 * posts.capacity + 16;
    MPI_Request *requests = realloc(posts.requests, (size_t)capacity * sizeof *requests);
    if (!requests)
        comm_abort("there is no memory for messages");
    posts.requests = requests;
    posts.capacity = capacity;
}

static void isend(const struct comm *comm, int to, const void *bytes, size_t size)
{
    (void)comm;
    make_room();
    MPI_Isend(bytes, words_of(size), MPI_UINT64_T, to, 0, MPI_COMM_WORLD, &posts.requests[posts.count++]);
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
    MPI_Recv(bytes, words_of(size), MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void waitall(const struct comm *comm)
{
    (void)comm;
    for (int k = 0; k < posts.count; k++)
        MPI_Wait(&posts.requests[k], MPI_STATUS_IGNORE);
    posts.count = 0;
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

/* The processors that this rank is kept to, boiled down to a word (FNV-1a). Launchers bind ranks to processors of their own,
 * or leave them all of the machine. */
static uint64_t processors_word(void)
{
    cpu_set_t set;
    uint64_t word = UINT64_C(0xcbf29ce484222325);
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (size_t k = 0; k < CPU_SETSIZE; k++)
        word = (word ^ (uint64_t)CPU_ISSET(k, &set)) * UINT64_C(0x100000001b3);
    return word;
}

static int count_equal(MPI_Comm machine, int count)
{
    const uint64_t own = processors_word();
    uint64_t *words = calloc((size_t)count, sizeof *words);
    int equal = 0;
    if (!words)
        comm_abort("there is no memory to begin with");
    MPI_Allgather(&own, 1, MPI_UINT64_T, words, 1, MPI_UINT64_T, machine);
    for (int k = 0; k < count; k++)
        equal += words[k] == own;
    free(words);
    return equal;
}

static void look_beside(void)
{
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &world.node_size);
    MPI_Comm_rank(machine, &world.node_rank);
    world.cpu_sharers = count_equal(machine, world.node_size);
    MPI_Comm_free(&machine);
}

/* Threads of a team and the writer never call MPI. */
bool comm_init(struct fault *fault)
{
    int provided;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return fault_fail(fault, "MPI does not start");
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.count);
    look_beside();
    return true;
}

void comm_finalize(void)
{
    int is_begun;
    MPI_Initialized(&is_begun);
    if (is_begun)
        MPI_Finalize();
    free(posts.requests);
    posts = (struct post){0};
}

void comm_abort(const char *sentence)
{
    fprintf(stderr, "boids: rank %d: %s\n", world.rank, sentence);
    MPI_Abort(MPI_COMM_WORLD, FAULT_FAILED);
    exit(FAULT_FAILED);
}

const struct comm *comm_world(void)
{
    return &world;
}
