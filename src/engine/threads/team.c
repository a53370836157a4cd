/* Each thread has a queue of adjacent chunks with a counter of the remaining ones, and begins with its own queue. A
 * thread takes a chunk by one compare-and-swap, which succeeds only if chunks are left. So a late thread takes either a
 * chunk of the current work or nothing.
 *
 *     caller    fills the queues, counts `begun`, takes chunks ... waits for `done`
 *     helper    waits for `begun`, takes chunks ...          the thread that does the last chunk counts `done`
 *
 * The phases of a step follow each other within microseconds, so a waiting thread first spins for a short time. After
 * that, the other thread is probably not running and may need this processor, so this thread sleeps. */
#define _GNU_SOURCE // affinity.h: processor sets
#include "team.h"

#include <stdlib.h>

_Atomic bool team_lends_processor;

#ifndef TEAM_WITHOUT_THREADS

#include "affinity.h"
#include "base/arena.h"
#include "base/clock.h"
#include "thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { CACHE_LINE = 64, LOADS_PER_CLOCK = 16 };

static const double spin_seconds = 50e-6;

struct queue {
    _Alignas(CACHE_LINE) atomic_int left;
    int end; /* the next chunk is end - left */
};

struct helper {
    struct team *team;
    int member;
    pthread_t thread;
};

struct team {
    int size;
    bool has_begun;
    pid_t process; /* the process to which the helpers belong */
    team_task *task;
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool is_over;
    int avoided;                                  /* the processor that helpers may not use; -1: none */
    _Alignas(CACHE_LINE) atomic_uint begun, done; /* numbers of parallel loops */
    _Alignas(CACHE_LINE) atomic_int unfinished;   /* chunks of the current loop */
    struct queue queues[TEAM_MAX];
    struct helper helpers[TEAM_MAX]; /* the first element stands for the calling thread and is unused */
};

/* Spin for a moment. Returns true if the count changes. */
static bool spin(atomic_uint *count, unsigned seen)
{
    const double begun = clock_seconds();
    while (clock_seconds() - begun < spin_seconds)
        for (int load = 0; load < LOADS_PER_CLOCK; load++)
            if (atomic_load(count) != seen)
                return true;
    return false;
}

/* Sleep until a count changes. */
static void sleep_until_changed(struct team *team, atomic_uint *count, unsigned seen)
{
    pthread_mutex_lock(&team->lock);
    while (atomic_load(count) == seen)
        pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

/* Increment a count and wake the threads that wait for this. */
static void increment(struct team *team, atomic_uint *count)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(count, 1);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

/* Take the next chunk of a queue; return -1 if there is none. Read the description of the work only after a chunk
 * was taken: the caller cannot begin other work before that chunk is done. */
static int take_chunk(struct queue *queue)
{
    int left = atomic_load(&queue->left);
    while (left > 0)
        if (atomic_compare_exchange_weak(&queue->left, &left, left - 1))
            return queue->end - left;
    return -1;
}

/* Do the chunks in the thread's own queue, then those in the queues of other threads. */
static void run_all_queues(struct team *team, int member)
{
    for (int k = 0, chunk; k < team->size; k++)
        while ((chunk = take_chunk(&team->queues[(member + k) % team->size])) >= 0) {
            team->task(team->context, chunk);
            if (atomic_fetch_sub(&team->unfinished, 1) == 1)
                increment(team, &team->done);
        }
}

static void *helper_main(void *argument)
{
    struct helper *self = argument;
    struct team *team = self->team;
    for (unsigned seen = 0; !atomic_load(&team->is_over);) {
        if (!spin(&team->begun, seen))
            sleep_until_changed(team, &team->begun, seen);
        seen = atomic_load(&team->begun);
        if (self->member < team->size - team_lends_processor)
            run_all_queues(team, self->member);
    }
    return NULL;
}

static void start_helpers(struct team *team)
{
    int size = 1;
    for (; size < team->size; size++) {
        team->helpers[size] = (struct helper){.team = team, .member = size};
        if (!thread_start(&team->helpers[size].thread, helper_main, &team->helpers[size]))
            break;
    }
    team->size = size;
    team->has_begun = true;
    team->process = getpid();
    team->avoided = -1;
}

/* fork() copies a team without its helpers, and perhaps with a locked mutex. The child starts its own helpers. */
static void forget_helpers_of_parent(struct team *team)
{
    if (!team->has_begun || team->process == getpid())
        return;
    team->has_begun = false;
    atomic_store(&team->begun, 0);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
}

/* Keep helpers off the processor of the caller. */
static void separate_helpers(struct team *team)
{
    const int here = affinity_processor();
    if (here == team->avoided)
        return;
    team->avoided = here;
    for (int k = 1; k < team->size; k++)
        affinity_exclude(team->helpers[k].thread, here);
}

/* If the CPU time of a helper does not grow, it has lost its processor or sleeps. Until the next loop, it may then run only on the
 * processor of the caller, which waits. */
static void wait_until_done(struct team *team, unsigned seen)
{
    double before[TEAM_MAX] = {0};
    if (spin(&team->done, seen))
        return;
    for (int k = 1; k < team->size; k++)
        before[k] = affinity_thread_seconds(team->helpers[k].thread);
    if (spin(&team->done, seen))
        return;
    for (int k = 1; k < team->size; k++)
        if (affinity_thread_seconds(team->helpers[k].thread) == before[k]) {
            affinity_confine(team->helpers[k].thread, affinity_processor());
            team->avoided = -1;
        }
    sleep_until_changed(team, &team->done, seen);
}

struct team *team_create(int size)
{
    struct team *team = arena_create_block(sizeof *team);
    if (!team)
        return NULL;
    memset(team, 0, sizeof *team);
    team->size = size;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
    return team;
}

int team_size(const struct team *team)
{
    return team->size;
}

void team_parallel_for(struct team *team, team_task *task, void *context, int chunks)
{
    forget_helpers_of_parent(team);
    if (chunks > 1 && !team->has_begun)
        start_helpers(team);
    if (chunks <= 1 || team->size - team_lends_processor <= 1) {
        for (int chunk = 0; chunk < chunks; chunk++)
            task(context, chunk);
        return;
    }
    const unsigned seen = atomic_load(&team->done);
    team->task = task;
    team->context = context;
    atomic_store(&team->unfinished, chunks);
    for (int k = 0; k < team->size; k++) {
        const int begin = (int)((int64_t)chunks * k / team->size);
        team->queues[k].end = (int)((int64_t)chunks * (k + 1) / team->size);
        atomic_store(&team->queues[k].left, team->queues[k].end - begin);
    }
    separate_helpers(team);
    increment(team, &team->begun);
    run_all_queues(team, 0);
    wait_until_done(team, seen);
}

void team_free(struct team *team)
{
    if (!team)
        return;
    forget_helpers_of_parent(team);
    atomic_store(&team->is_over, true);
    increment(team, &team->begun);
    for (int k = 1; team->has_begun && k < team->size; k++)
        pthread_join(team->helpers[k].thread, NULL);
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

#else

/* The caller alone. */
struct team *team_create(int size)
{
    (void)size;
    return malloc(1);
}

int team_size(const struct team *team)
{
    (void)team;
    return 1;
}

void team_parallel_for(struct team *team, team_task *task, void *context, int chunks)
{
    (void)team;
    for (int chunk = 0; chunk < chunks; chunk++)
        task(context, chunk);
}

void team_free(struct team *team)
{
    free(team);
}

#endif
