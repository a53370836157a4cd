/* Each thread has a queue of pieces, a counter of those that are left, and begins with its own. Taking a piece is one
 * compare-and-swap that succeeds only while some are left, so a thread that comes late, when its work is long done and
 * other work is in hand, takes a piece of that or nothing.
 *
 *     caller    fills the queues, rings `work`, takes pieces ... waits until the last one is done
 *     helper    hears it, takes pieces ... waits for the next ring         who does the last piece rings `done`
 *
 * Phases of a step follow each other within microseconds, so waiting begins with a spin. It is a short one: when nothing
 * comes, the one waited for has lost its processor, and may be waiting for this one.
 */
#define _GNU_SOURCE // seats.h: processor sets
#include "team.h"

#ifndef TEAM_WITHOUT_THREADS

#include "arena.h"
#include "bell.h"
#include "seats.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct queue {
    _Alignas(BELL_CACHE_LINE) atomic_int left;
    int end; /* left == 1: piece end - 1 */
};

struct helper {
    struct team *team;
    int member;
    atomic_bool is_at_work;
    double run_time; /* when it was last looked at */
};

struct team {
    int size;
    bool has_begun;
    team_task *task;
    void *context;
    struct bell work, done;
    atomic_bool is_over;
    struct seats seats;
    _Alignas(BELL_CACHE_LINE) atomic_int unfinished; /* pieces of the work in hand */
    struct queue queues[TEAM_MOST];
    struct helper helpers[TEAM_MOST]; /* the first of both is the caller's, and unused */
    pthread_t threads[TEAM_MOST];
};

/* Pieces. */

/* The next piece of a queue; -1: there is none. What describes it may be read only when there is one: then the caller
 * cannot go on to other work before it is done. */
static int take_piece(struct queue *queue)
{
    int left = atomic_load(&queue->left);
    while (left > 0)
        if (atomic_compare_exchange_weak(&queue->left, &left, left - 1))
            return queue->end - left;
    return -1;
}

static void work_off(struct team *team, struct queue *queue)
{
    for (int piece; (piece = take_piece(queue)) >= 0;) {
        team->task(team->context, piece);
        if (atomic_fetch_sub(&team->unfinished, 1) == 1)
            bell_ring(&team->done);
    }
}

/* The own queue, then the others'. */
static void take_part(struct team *team, int member)
{
    const int size = team->size;
    for (int k = 0; k < size; k++)
        work_off(team, &team->queues[(member + k) % size]);
}

/* Helpers. */

static void *help(void *argument)
{
    struct helper *self = argument;
    struct team *team = self->team;
    for (unsigned heard = 0; !atomic_load(&team->is_over);) {
        if (!bell_rings_soon(&team->work, heard))
            bell_sleep(&team->work, heard);
        heard = atomic_load(&team->work.rings);
        atomic_store(&self->is_at_work, true);
        take_part(team, self->member);
        atomic_store(&self->is_at_work, false);
    }
    return NULL;
}

static bool start_helper(struct team *team, int member)
{
    struct helper *helper = &team->helpers[member];
    helper->team = team;
    helper->member = member;
    return pthread_create(&team->threads[member], NULL, help, helper) == 0;
}

/* A thread blocks the signals that the one blocked who started it. */
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
    seats_init(&team->seats);
}

/* The caller waits for the last pieces. */

static void look_at_clocks(struct team *team)
{
    for (int k = 1; k < team->size; k++)
        if (atomic_load(&team->helpers[k].is_at_work))
            team->helpers[k].run_time = seats_run_time(team->threads[k]);
}

/* Whose clock has stood still is not running, though it has work. */
static void invite_the_stalled(struct team *team)
{
    for (int k = 1; k < team->size; k++)
        if (atomic_load(&team->helpers[k].is_at_work) &&
            seats_run_time(team->threads[k]) == team->helpers[k].run_time)
            seats_invite(&team->seats, team->threads[k]);
}

static void wait_until_done(struct team *team, unsigned heard)
{
    if (bell_rings_soon(&team->done, heard))
        return;
    look_at_clocks(team);
    if (bell_rings_soon(&team->done, heard))
        return;
    invite_the_stalled(team);
    bell_sleep(&team->done, heard);
}

/* What the caller sees. */

struct team *team_create(int size)
{
    struct team *team = arena_create_block(sizeof *team);
    if (!team)
        return NULL;
    memset(team, 0, sizeof *team);
    team->size = size;
    bell_init(&team->work);
    bell_init(&team->done);
    return team;
}

int team_size(const struct team *team)
{
    return team->size;
}

static void hand_out(struct team *team, int pieces)
{
    atomic_store(&team->unfinished, pieces);
    for (int k = 0; k < team->size; k++) {
        const int begin = (int)((int64_t)pieces * k / team->size);
        team->queues[k].end = (int)((int64_t)pieces * (k + 1) / team->size);
        atomic_store(&team->queues[k].left, team->queues[k].end - begin);
    }
    bell_ring(&team->work);
}

static void do_together(struct team *team, team_task *task, void *context, int pieces)
{
    const unsigned heard = atomic_load(&team->done.rings);
    team->task = task;
    team->context = context;
    seats_keep_apart(&team->seats, team->threads + 1, team->size - 1);
    hand_out(team, pieces);
    take_part(team, 0);
    wait_until_done(team, heard);
}

void team_do(struct team *team, team_task *task, void *context, int pieces)
{
    if (pieces > 1 && !team->has_begun)
        start_helpers(team);
    if (pieces > 1 && team->size > 1)
        do_together(team, task, context, pieces);
    else
        for (int piece = 0; piece < pieces; piece++)
            task(context, piece);
}

void team_free(struct team *team)
{
    if (!team)
        return;
    atomic_store(&team->is_over, true);
    bell_ring(&team->work);
    for (int k = 1; team->has_begun && k < team->size; k++)
        pthread_join(team->threads[k], NULL);
    bell_destroy(&team->done);
    bell_destroy(&team->work);
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

void team_do(struct team *team, team_task *task, void *context, int pieces)
{
    (void)team;
    for (int piece = 0; piece < pieces; piece++)
        task(context, piece);
}

void team_free(struct team *team)
{
    free(team);
}

#endif
