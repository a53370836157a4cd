/* Each thread has a queue of chunks with a counter of the remaining ones, and begins with its own queue. A thread
 * takes a chunk by one compare-and-swap, which succeeds only if chunks are left. So a late thread takes either a
 * chunk of the current work or nothing.
 *
 *     caller    fills the queues, signals `work`, takes chunks ... waits until the last one is done
 *     helper    wakes up, takes chunks ... waits for the next signal       the thread that does the last chunk signals `done`
 *
 * The phases of a step follow each other within microseconds, so a waiting thread first spins for a short time. If no
 * signal comes, the other thread has lost its processor and may be waiting for this thread's processor, so this
 * thread sleeps. */
#define _GNU_SOURCE // affinity.h: processor sets
#include "team.h"

#ifndef TEAM_WITHOUT_THREADS

#include "affinity.h"
#include "arena.h"
#include "wake_event.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct queue {
    _Alignas(WAKE_EVENT_CACHE_LINE) atomic_int left;
    int end; /* the next chunk is end - left */
};

struct helper {
    struct team *team;
    int member;
    atomic_bool is_at_work;
    double run_time; /* CPU time at the last check */
};

struct team {
    int size;
    bool has_begun;
    team_task *task;
    void *context;
    struct wake_event work, done;
    atomic_bool is_over;
    struct affinity affinity;
    _Alignas(WAKE_EVENT_CACHE_LINE) atomic_int unfinished; /* chunks of the current work */
    struct queue queues[TEAM_MAX];
    struct helper
        helpers[TEAM_MAX]; /* in both arrays, the first element stands for the calling thread and is unused */
    pthread_t threads[TEAM_MAX];
};

/* Chunks. */

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

static void run_queue(struct team *team, struct queue *queue)
{
    for (int chunk; (chunk = take_chunk(queue)) >= 0;) {
        team->task(team->context, chunk);
        if (atomic_fetch_sub(&team->unfinished, 1) == 1)
            wake_event_signal(&team->done);
    }
}

/* Do the chunks in the thread's own queue, then those in the queues of other threads. */
static void run_all_queues(struct team *team, int member)
{
    const int size = team->size;
    for (int k = 0; k < size; k++)
        run_queue(team, &team->queues[(member + k) % size]);
}

/* Helpers. */

static void *helper_main(void *argument)
{
    struct helper *self = argument;
    struct team *team = self->team;
    for (unsigned seen = 0; !atomic_load(&team->is_over);) {
        if (!wake_event_spin_wait(&team->work, seen))
            wake_event_sleep(&team->work, seen);
        seen = atomic_load(&team->work.signals);
        atomic_store(&self->is_at_work, true);
        run_all_queues(team, self->member);
        atomic_store(&self->is_at_work, false);
    }
    return NULL;
}

static bool start_helper(struct team *team, int member)
{
    struct helper *helper = &team->helpers[member];
    helper->team = team;
    helper->member = member;
    return pthread_create(&team->threads[member], NULL, helper_main, helper) == 0;
}

/* A new thread blocks the same signals as the thread that created it. */
static void start_helpers(struct team *team)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int size = 1;
    while (size < team->size && start_helper(team, size))
        size++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    team->size = size;
    team->has_begun = true;
    affinity_init(&team->affinity);
}

/* The caller waits for the last chunks. */

static void note_progress(struct team *team)
{
    for (int k = 1; k < team->size; k++)
        if (atomic_load(&team->helpers[k].is_at_work))
            team->helpers[k].run_time = affinity_thread_seconds(team->threads[k]);
}

/* A helper whose CPU time has not changed is not running, although it has work. */
static void move_stalled_helpers(struct team *team)
{
    for (int k = 1; k < team->size; k++)
        if (atomic_load(&team->helpers[k].is_at_work) &&
            affinity_thread_seconds(team->threads[k]) == team->helpers[k].run_time)
            affinity_move_to_caller(&team->affinity, team->threads[k]);
}

static void wait_until_done(struct team *team, unsigned seen)
{
    if (wake_event_spin_wait(&team->done, seen))
        return;
    note_progress(team);
    if (wake_event_spin_wait(&team->done, seen))
        return;
    move_stalled_helpers(team);
    wake_event_sleep(&team->done, seen);
}

/* What the caller sees. */

struct team *team_create(int size)
{
    struct team *team = arena_create_block(sizeof *team);
    if (!team)
        return NULL;
    memset(team, 0, sizeof *team);
    team->size = size;
    wake_event_init(&team->work);
    wake_event_init(&team->done);
    return team;
}

int team_size(const struct team *team)
{
    return team->size;
}

static void distribute_chunks(struct team *team, int chunks)
{
    atomic_store(&team->unfinished, chunks);
    for (int k = 0; k < team->size; k++) {
        const int begin = (int)((int64_t)chunks * k / team->size);
        team->queues[k].end = (int)((int64_t)chunks * (k + 1) / team->size);
        atomic_store(&team->queues[k].left, team->queues[k].end - begin);
    }
    wake_event_signal(&team->work);
}

static void run_with_helpers(struct team *team, team_task *task, void *context, int chunks)
{
    const unsigned seen = atomic_load(&team->done.signals);
    team->task = task;
    team->context = context;
    affinity_avoid_caller(&team->affinity, team->threads + 1, team->size - 1);
    distribute_chunks(team, chunks);
    run_all_queues(team, 0);
    wait_until_done(team, seen);
}

void team_parallel_for(struct team *team, team_task *task, void *context, int chunks)
{
    if (chunks > 1 && !team->has_begun)
        start_helpers(team);
    if (chunks > 1 && team->size > 1)
        run_with_helpers(team, task, context, chunks);
    else
        for (int chunk = 0; chunk < chunks; chunk++)
            task(context, chunk);
}

void team_free(struct team *team)
{
    if (!team)
        return;
    atomic_store(&team->is_over, true);
    wake_event_signal(&team->work);
    for (int k = 1; team->has_begun && k < team->size; k++)
        pthread_join(team->threads[k], NULL);
    wake_event_destroy(&team->done);
    wake_event_destroy(&team->work);
    free(team);
}

#else

/* The caller alone. */
#include <stdlib.h>

struct team {
    int size;
};

struct team *team_create(int size)
{
    (void)size;
    struct team *team = malloc(sizeof *team);
    if (team)
        team->size = 1;
    return team;
}

int team_size(const struct team *team)
{
    return team->size;
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
