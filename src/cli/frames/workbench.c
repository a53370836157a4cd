/* One of the two shares at a time, and while it waits for the last piece the other is at that piece: so never do both
 * wait, and one condition is enough. */
#include "workbench.h"

#include <stdlib.h>

#ifndef TEAM_WITHOUT_THREADS

#include <pthread.h>
#include <signal.h>

struct workbench {
    pthread_t other;
    bool has_other;
    void (*task)(void *context); /* the other's */
    void *task_context;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*work)(void *context, size_t piece); /* the work in hand */
    void *work_context;
    size_t pieces, begun, done;
};

struct workbench *workbench_create(void)
{
    struct workbench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return NULL;
    pthread_mutex_init(&bench->lock, NULL);
    pthread_cond_init(&bench->changed, NULL);
    return bench;
}

static void *do_task(void *argument)
{
    struct workbench *bench = argument;
    bench->task(bench->task_context);
    return NULL;
}

/* A thread blocks the signals that the one blocked who started it. */
bool workbench_start(struct workbench *bench, void (*task)(void *context), void *context)
{
    sigset_t all, before;
    bench->task = task;
    bench->task_context = context;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bench->has_other = pthread_create(&bench->other, NULL, do_task, bench) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return bench->has_other;
}

void workbench_lock(struct workbench *bench)
{
    pthread_mutex_lock(&bench->lock);
}

void workbench_unlock(struct workbench *bench)
{
    pthread_mutex_unlock(&bench->lock);
}

void workbench_tell(struct workbench *bench)
{
    pthread_cond_signal(&bench->changed);
}

static void do_piece(struct workbench *bench)
{
    const size_t piece = bench->begun++;
    pthread_mutex_unlock(&bench->lock);
    bench->work(bench->work_context, piece);
    pthread_mutex_lock(&bench->lock);
    if (++bench->done == bench->pieces)
        workbench_tell(bench);
}

void workbench_await(struct workbench *bench, bool (*claim)(const void *context), const void *context)
{
    while (!claim(context))
        if (bench->begun < bench->pieces)
            do_piece(bench);
        else
            pthread_cond_wait(&bench->changed, &bench->lock);
}

static bool is_done(const void *context)
{
    const struct workbench *bench = context;
    return bench->done == bench->pieces;
}

void workbench_share(void *shared, void (*work)(void *context, size_t piece), void *context, size_t pieces)
{
    struct workbench *bench = shared;
    pthread_mutex_lock(&bench->lock);
    bench->work = work;
    bench->work_context = context;
    bench->pieces = pieces;
    bench->begun = bench->done = 0;
    workbench_tell(bench);
    workbench_await(bench, is_done, bench);
    pthread_mutex_unlock(&bench->lock);
}

void workbench_free(struct workbench *bench)
{
    if (!bench)
        return;
    if (bench->has_other)
        pthread_join(bench->other, NULL);
    pthread_cond_destroy(&bench->changed);
    pthread_mutex_destroy(&bench->lock);
    free(bench);
}

#else

/* There is none. */

struct workbench *workbench_create(void)
{
    return NULL;
}

bool workbench_start(struct workbench *bench, void (*task)(void *context), void *context)
{
    (void)bench;
    (void)task;
    (void)context;
    return false;
}

void workbench_lock(struct workbench *bench)
{
    (void)bench;
}

void workbench_unlock(struct workbench *bench)
{
    (void)bench;
}

void workbench_tell(struct workbench *bench)
{
    (void)bench;
}

void workbench_await(struct workbench *bench, bool (*claim)(const void *context), const void *context)
{
    (void)bench;
    (void)claim;
    (void)context;
}

void workbench_share(void *bench, void (*work)(void *context, size_t piece), void *context, size_t pieces)
{
    (void)bench;
    for (size_t piece = 0; piece < pieces; piece++)
        work(context, piece);
}

void workbench_free(struct workbench *bench)
{
    free(bench);
}

#endif
