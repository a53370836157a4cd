/* Ranks as threads of one process, and their mailbox in memory: what is written for ranks does not know (ranks/ranks.h). */
#ifndef MAILBOX_H
#define MAILBOX_H

#include "ranks/ranks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 7, MOST_MESSAGES = 64 };

struct message {
    int from;
    size_t size;
    void *bytes;
};

struct mailbox {
    int count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_barrier_t all;
    struct message messages[MOST_RANKS][MOST_MESSAGES];
    int waiting[MOST_RANKS];
    const uint64_t *words[MOST_RANKS];
    const void *spread;
    atomic_bool is_deaf; /* what is posted never arrives: for a control that must fail */
};

static struct mailbox *mailbox_of(const struct ranks *ranks)
{
    return ranks->context;
}

static uint64_t merged(uint64_t a, uint64_t b, enum ranks_merge how)
{
    switch (how) {
    case RANKS_SUM: return a + b;
    case RANKS_LEAST: return a < b ? a : b;
    case RANKS_MOST: break;
    }
    return a > b ? a : b;
}

static void merge(const struct ranks *ranks, uint64_t *words, size_t count, enum ranks_merge how)
{
    struct mailbox *box = mailbox_of(ranks);
    uint64_t *result = calloc(count, sizeof *result);
    box->words[ranks->rank] = words;
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

static void spread(const struct ranks *ranks, int from, void *bytes, size_t size)
{
    struct mailbox *box = mailbox_of(ranks);
    if (ranks->rank == from)
        box->spread = bytes;
    pthread_barrier_wait(&box->all);
    if (ranks->rank != from)
        memcpy(bytes, box->spread, size);
    pthread_barrier_wait(&box->all);
}

static void post(const struct ranks *ranks, int to, const void *bytes, size_t size)
{
    struct mailbox *box = mailbox_of(ranks);
    const size_t sent = box->is_deaf ? 0 : size;
    struct message message = {ranks->rank, sent, malloc(sent + 1)};
    if (sent > 0)
        memcpy(message.bytes, bytes, sent);
    pthread_mutex_lock(&box->lock);
    box->messages[to][box->waiting[to]++] = message;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

static size_t await(const struct ranks *ranks, int *from)
{
    struct mailbox *box = mailbox_of(ranks);
    pthread_mutex_lock(&box->lock);
    while (box->waiting[ranks->rank] == 0)
        pthread_cond_wait(&box->changed, &box->lock);
    /* The last one first: in what order they come does not matter. */
    const struct message *message = &box->messages[ranks->rank][box->waiting[ranks->rank] - 1];
    *from = message->from;
    const size_t size = message->size;
    pthread_mutex_unlock(&box->lock);
    return size;
}

static void take(const struct ranks *ranks, int from, void *bytes, size_t size)
{
    struct mailbox *box = mailbox_of(ranks);
    pthread_mutex_lock(&box->lock);
    int k = box->waiting[ranks->rank] - 1;
    while (box->messages[ranks->rank][k].from != from)
        k--;
    struct message *message = &box->messages[ranks->rank][k];
    if (size > 0)
        memcpy(bytes, message->bytes, size);
    free(message->bytes);
    *message = box->messages[ranks->rank][--box->waiting[ranks->rank]];
    pthread_mutex_unlock(&box->lock);
}

static void settle(const struct ranks *ranks)
{
    (void)ranks;
}

static void mailbox_init(struct mailbox *box, int count)
{
    *box = (struct mailbox){.count = count};
    pthread_mutex_init(&box->lock, NULL);
    pthread_cond_init(&box->changed, NULL);
    pthread_barrier_init(&box->all, NULL, (unsigned)count);
}

static void mailbox_free(struct mailbox *box)
{
    pthread_barrier_destroy(&box->all);
    pthread_cond_destroy(&box->changed);
    pthread_mutex_destroy(&box->lock);
}

static struct ranks mailbox_ranks(struct mailbox *box, int rank)
{
    return (struct ranks){.rank = rank,
                          .count = box->count,
                          .beside = 1,
                          .sharing = 1,
                          .context = box,
                          .merge = merge,
                          .spread = spread,
                          .post = post,
                          .await = await,
                          .take = take,
                          .settle = settle};
}

#endif
