/* One of the two shares at a time, and while it waits for the last piece the other is at that piece: so never do both
 * wait, and one condition is enough. */
#include "io_helper.h"

#include <stdlib.h>

#ifndef TEAM_WITHOUT_THREADS

#include <pthread.h>
#include <signal.h>

struct io_helper {
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

struct io_helper *io_helper_create(void)
{
    struct io_helper *helper = calloc(1, sizeof *helper);
    if (!helper)
        return NULL;
    pthread_mutex_init(&helper->lock, NULL);
    pthread_cond_init(&helper->changed, NULL);
    return helper;
}

static void *do_task(void *argument)
{
    struct io_helper *helper = argument;
    helper->task(helper->task_context);
    return NULL;
}

/* A thread blocks the signals that the one blocked who started it. */
bool io_helper_start(struct io_helper *helper, void (*task)(void *context), void *context)
{
    sigset_t all, before;
    helper->task = task;
    helper->task_context = context;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    helper->has_other = pthread_create(&helper->other, NULL, do_task, helper) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return helper->has_other;
}

void io_helper_lock(struct io_helper *helper)
{
    pthread_mutex_lock(&helper->lock);
}

void io_helper_unlock(struct io_helper *helper)
{
    pthread_mutex_unlock(&helper->lock);
}

void io_helper_signal(struct io_helper *helper)
{
    pthread_cond_signal(&helper->changed);
}

static void do_piece(struct io_helper *helper)
{
    const size_t piece = helper->begun++;
    pthread_mutex_unlock(&helper->lock);
    helper->work(helper->work_context, piece);
    pthread_mutex_lock(&helper->lock);
    if (++helper->done == helper->pieces)
        io_helper_signal(helper);
}

void io_helper_await(struct io_helper *helper, bool (*claim)(const void *context), const void *context)
{
    while (!claim(context))
        if (helper->begun < helper->pieces)
            do_piece(helper);
        else
            pthread_cond_wait(&helper->changed, &helper->lock);
}

static bool is_done(const void *context)
{
    const struct io_helper *helper = context;
    return helper->done == helper->pieces;
}

void io_helper_share(void *shared, void (*work)(void *context, size_t piece), void *context, size_t pieces)
{
    struct io_helper *helper = shared;
    pthread_mutex_lock(&helper->lock);
    helper->work = work;
    helper->work_context = context;
    helper->pieces = pieces;
    helper->begun = helper->done = 0;
    io_helper_signal(helper);
    io_helper_await(helper, is_done, helper);
    pthread_mutex_unlock(&helper->lock);
}

void io_helper_free(struct io_helper *helper)
{
    if (!helper)
        return;
    if (helper->has_other)
        pthread_join(helper->other, NULL);
    pthread_cond_destroy(&helper->changed);
    pthread_mutex_destroy(&helper->lock);
    free(helper);
}

#else

/* There is none. */

struct io_helper *io_helper_create(void)
{
    return NULL;
}

bool io_helper_start(struct io_helper *helper, void (*task)(void *context), void *context)
{
    (void)helper;
    (void)task;
    (void)context;
    return false;
}

void io_helper_lock(struct io_helper *helper)
{
    (void)helper;
}

void io_helper_unlock(struct io_helper *helper)
{
    (void)helper;
}

void io_helper_signal(struct io_helper *helper)
{
    (void)helper;
}

void io_helper_await(struct io_helper *helper, bool (*claim)(const void *context), const void *context)
{
    (void)helper;
    (void)claim;
    (void)context;
}

void io_helper_share(void *helper, void (*work)(void *context, size_t piece), void *context, size_t pieces)
{
    (void)helper;
    for (size_t piece = 0; piece < pieces; piece++)
        work(context, piece);
}

void io_helper_free(struct io_helper *helper)
{
    free(helper);
}

#endif
