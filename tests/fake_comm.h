/* Ranks that are threads of one process, with messages in memory, behind the same functions as MPI (engine/mpi/comm.h). */
#ifndef FAKE_COMM_H
#define FAKE_COMM_H

#include "engine/mpi/comm.h"
#include "suite.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_RANKS = 7, MAX_MESSAGES = 64 };

struct message {
    int from;
    size_t size;
    void *bytes;
};

struct fake_comm {
    int count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_barrier_t all;
    struct message messages[MAX_RANKS][MAX_MESSAGES];
    int waiting[MAX_RANKS];
    const uint64_t *words[MAX_RANKS];
    const void *spread;
    atomic_bool drops_messages; /* messages never arrive: for a control that must fail */
};

static struct fake_comm *fake_comm_of(const struct comm *comm)
{
    return comm->context;
}

static uint64_t merged(uint64_t a, uint64_t b, enum comm_op how)
{
    switch (how) {
    case COMM_SUM: return a + b;
    case COMM_MIN: return a < b ? a : b;
    case COMM_MAX: break;
    }
    return a > b ? a : b;
}

static void allreduce(const struct comm *comm, uint64_t *words, size_t count, enum comm_op how)
{
    struct fake_comm *box = fake_comm_of(comm);
    uint64_t *result = calloc(count, sizeof *result);
    box->words[comm->rank] = words;
    pthread_barrier_wait(&box->all);
    for (size_t k = 0; k < count; k++) {
        result[k] = box->words[0][k];
        for (int r = 1; r < box->count; r++)
            result[k] = merged(result[k], box->words[r][k], how);
    }
    pthread_barrier_wait(&box->all);
    memcpy(words, result, count * sizeof *words);
    free(result);
}

static void bcast(const struct comm *comm, int from, void *bytes, size_t size)
{
    struct fake_comm *box = fake_comm_of(comm);
    if (comm->rank == from)
        box->spread = bytes;
    pthread_barrier_wait(&box->all);
    if (comm->rank != from)
        memcpy(bytes, box->spread, size);
    pthread_barrier_wait(&box->all);
}

static void isend(const struct comm *comm, int to, const void *bytes, size_t size)
{
    struct fake_comm *box = fake_comm_of(comm);
    const size_t sent = box->drops_messages ? 0 : size;
    struct message message = {comm->rank, sent, malloc(sent + 1)};
    if (sent > 0)
        memcpy(message.bytes, bytes, sent);
    pthread_mutex_lock(&box->lock);
    box->messages[to][box->waiting[to]++] = message;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

static size_t probe(const struct comm *comm, int *from)
{
    struct fake_comm *box = fake_comm_of(comm);
    pthread_mutex_lock(&box->lock);
    while (box->waiting[comm->rank] == 0)
        pthread_cond_wait(&box->changed, &box->lock);
    /* The last message first: the order of messages must not matter. */
    const struct message *message = &box->messages[comm->rank][box->waiting[comm->rank] - 1];
    *from = message->from;
    const size_t size = message->size;
    pthread_mutex_unlock(&box->lock);
    return size;
}

static void recv(const struct comm *comm, int from, void *bytes, size_t size)
{
    struct fake_comm *box = fake_comm_of(comm);
    pthread_mutex_lock(&box->lock);
    int k = box->waiting[comm->rank] - 1;
    while (box->messages[comm->rank][k].from != from)
        k--;
    struct message *message = &box->messages[comm->rank][k];
    if (size > 0)
        memcpy(bytes, message->bytes, size);
    free(message->bytes);
    *message = box->messages[comm->rank][--box->waiting[comm->rank]];
    pthread_mutex_unlock(&box->lock);
}

static void waitall(const struct comm *comm)
{
    (void)comm;
}

static void fake_comm_init(struct fake_comm *box, int count)
{
    *box = (struct fake_comm){.count = count};
    pthread_mutex_init(&box->lock, NULL);
    pthread_cond_init(&box->changed, NULL);
    pthread_barrier_init(&box->all, NULL, (unsigned)count);
}

static void fake_comm_free(struct fake_comm *box)
{
    pthread_barrier_destroy(&box->all);
    pthread_cond_destroy(&box->changed);
    pthread_mutex_destroy(&box->lock);
}

static struct comm fake_comm_rank(struct fake_comm *box, int rank)
{
    return (struct comm){.rank = rank,
                         .count = box->count,
                         .node_size = 1,
                         .cpu_sharers = 1,
                         .context = box,
                         .allreduce = allreduce,
                         .bcast = bcast,
                         .isend = isend,
                         .probe = probe,
                         .recv = recv,
                         .waitall = waitall};
}

#endif
