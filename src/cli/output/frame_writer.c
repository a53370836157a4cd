/* Frames are numbered in order; frame k is in buffer k % BUFFERS until it is done. So the thread that steps and the
 * thread that writes share two counts: a frame that was submitted and is not done belongs to the writer, a buffer
 * without one to the stepper. Only one thread may call HDF5 at a time: the writer while it has frames, else the thread
 * that opens and closes. */
#include "frame_writer.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* Two threads that share work. Only one of the two shares at a time, and while it waits for the last piece the other is
 * at that piece; so they never both wait, and one condition is enough. */

#ifndef TEAM_WITHOUT_THREADS

#include <pthread.h>
#include <signal.h>

struct io_helper {
    pthread_t other;
    bool has_other;
    void (*task)(void *context); /* of the other thread */
    void *task_context;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*work)(void *context, size_t piece); /* the current work */
    void *work_context;
    size_t pieces, begun, done;
};

/* Create it with one thread, that of the caller. NULL: no memory, or a build without threads. */
static struct io_helper *io_helper_create(void)
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

/* A new thread blocks the signals that its creator blocks. */
/* Start the other thread. It blocks all signals, so that they reach the caller. False if the system cannot start one. */
static bool io_helper_start(struct io_helper *helper, void (*task)(void *context), void *context)
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

static void io_helper_lock(struct io_helper *helper)
{
    pthread_mutex_lock(&helper->lock);
}

static void io_helper_unlock(struct io_helper *helper)
{
    pthread_mutex_unlock(&helper->lock);
}

/* Signal a change that the other thread may wait for. The lock is held. */
static void io_helper_signal(struct io_helper *helper)
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

/* Wait until a condition is true, and help meanwhile. The lock is held, except while waiting or helping. */
static void io_helper_await(struct io_helper *helper, bool (*claim)(const void *context), const void *context)
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

/* Join the other thread, if it was started. NULL is accepted. */
static void io_helper_free(struct io_helper *helper)
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

/* A build without threads. */

static struct io_helper *io_helper_create(void)
{
    return NULL;
}

static bool io_helper_start(struct io_helper *helper, void (*task)(void *context), void *context)
{
    (void)helper;
    (void)task;
    (void)context;
    return false;
}

static void io_helper_lock(struct io_helper *helper)
{
    (void)helper;
}

static void io_helper_unlock(struct io_helper *helper)
{
    (void)helper;
}

static void io_helper_signal(struct io_helper *helper)
{
    (void)helper;
}

static void io_helper_await(struct io_helper *helper, bool (*claim)(const void *context), const void *context)
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

static void io_helper_free(struct io_helper *helper)
{
    free(helper);
}

#endif

/* Frames. */

/* A frame of fewer than FEW agents is written before another thread wakes up. */
enum { BUFFERS = 2, FEW = 500 };

struct frame_writer {
    struct frame_writer_plan plan;
    struct agent *buffers[BUFFERS]; /* only the first one if there is no thread */
    struct io_helper *helper;       /* NULL: there is no thread, and frames are written at once */
    /* The following is under the lock of the helper. */
    struct frame_task requests[BUFFERS];
    uint64_t taken, done; /* frames */
    bool is_over;         /* no frame will follow */
    bool is_closed;       /* every reader has gone */
    struct fault fault;   /* of the writing thread */
};

static bool is_shared(size_t agents, int threads)
{
    return agents >= FEW && engine_count_threads(threads) > 1;
}

size_t frame_writer_memory(size_t agents, int threads)
{
    return (is_shared(agents, threads) ? BUFFERS : 1) * agents * sizeof(struct agent);
}

static bool record(struct frame_writer *writer, const struct frame_task *request, struct agent *agents,
                   struct fault *fault)
{
    const struct frame_writer_plan *plan = &writer->plan;
    double measured[MEASURE_COUNT], chosen[MEASURE_COUNT];
    const double *observables = request->observables ? request->observables : measured;
    struct frame frame = {.step = request->step,
                          .agents = request->is_written ? agents : NULL,
                          .first = request->first,
                          .count = request->count};
    if (request->is_measured && plan->measure) {
        if (!request->observables)
            measure_frame(plan->measure, agents, measured);
        summary_sample(plan->summary, observables, request->step >= plan->mean_from);
        observable_set_copy(plan->observables, observables, chosen);
        frame.observables = chosen;
    }
    /* A slab is written as it is: targets_take_slabs(). */
    if (frame.agents && frame.count == 0)
        agent_selection_gather(plan->selection, agents);
    return writers_write(plan->writers, &frame, fault);
}

/* The thread that writes. */

static bool has_news(const void *context)
{
    const struct frame_writer *writer = context;
    return writer->done < writer->taken || writer->is_over;
}

static void record_next(struct frame_writer *writer)
{
    const uint64_t buffer = writer->done % BUFFERS;
    const struct frame_task request = writer->requests[buffer];
    struct fault fault = writer->fault;
    io_helper_unlock(writer->helper);
    if (fault.status == FAULT_NONE)
        record(writer, &request, writer->buffers[buffer], &fault);
    const bool is_closed = writers_are_closed(writer->plan.writers);
    io_helper_lock(writer->helper);
    writer->fault = fault;
    writer->is_closed = is_closed;
    writer->done++;
    io_helper_signal(writer->helper);
}

static void write_frames(void *context)
{
    struct frame_writer *writer = context;
    io_helper_lock(writer->helper);
    for (;;) {
        io_helper_await(writer->helper, has_news, writer);
        if (writer->done == writer->taken)
            break;
        record_next(writer);
    }
    io_helper_unlock(writer->helper);
}

/* The thread that steps. */

/* If no thread can be started, frames are written at once. */
static void start_writer(struct frame_writer *writer)
{
    writer->helper = io_helper_create();
    if (writer->helper && !io_helper_start(writer->helper, write_frames, writer)) {
        io_helper_free(writer->helper);
        writer->helper = NULL;
    }
}

static bool prepare(struct frame_writer *writer, size_t agents, bool wants_writer)
{
    if (agents == 0)
        return true;
    for (int i = 0; i < (wants_writer ? BUFFERS : 1); i++)
        if (!(writer->buffers[i] = calloc(agents, sizeof **writer->buffers)))
            return false;
    if (wants_writer)
        start_writer(writer);
    return true;
}

struct frame_writer *frame_writer_create(const struct frame_writer_plan *plan, size_t agents, int threads,
                                         struct fault *fault)
{
    struct frame_writer *writer = malloc(sizeof *writer);
    if (writer) {
        *writer = (struct frame_writer){.plan = *plan};
        if (prepare(writer, agents, is_shared(agents, threads)))
            return writer;
    }
    frame_writer_free(writer);
    fault_fail(fault, "there is no memory for %zu boids and predators", agents);
    return NULL;
}

struct io_helper *frame_writer_helper(struct frame_writer *writer)
{
    return writer ? writer->helper : NULL;
}

static bool has_room(const void *context)
{
    const struct frame_writer *writer = context;
    return writer->taken - writer->done < BUFFERS;
}

static bool are_all_written(const void *context)
{
    const struct frame_writer *writer = context;
    return writer->taken == writer->done;
}

struct agent *frame_writer_buffer(struct frame_writer *writer)
{
    if (!writer->helper)
        return writer->buffers[0];
    io_helper_lock(writer->helper);
    io_helper_await(writer->helper, has_room, writer);
    struct agent *buffer = writer->buffers[writer->taken % BUFFERS];
    io_helper_unlock(writer->helper);
    return buffer;
}

static bool copy_fault(const struct frame_writer *writer, struct fault *fault)
{
    if (writer->fault.status != FAULT_NONE && fault->status == FAULT_NONE)
        *fault = writer->fault;
    return writer->fault.status == FAULT_NONE;
}

bool frame_writer_submit(struct frame_writer *writer, const struct frame_task *request, struct fault *fault)
{
    if (!writer->helper)
        return record(writer, request, writer->buffers[0], fault);
    io_helper_lock(writer->helper);
    writer->requests[writer->taken++ % BUFFERS] = *request;
    io_helper_signal(writer->helper);
    const bool is_good = copy_fault(writer, fault);
    io_helper_unlock(writer->helper);
    return is_good;
}

bool frame_writer_drain(struct frame_writer *writer, struct fault *fault)
{
    if (!writer || !writer->helper)
        return true;
    io_helper_lock(writer->helper);
    io_helper_await(writer->helper, are_all_written, writer);
    const bool is_good = copy_fault(writer, fault);
    io_helper_unlock(writer->helper);
    return is_good;
}

void frame_writer_set_measure(struct frame_writer *writer, struct measure *measure)
{
    writer->plan.measure = measure;
}

bool frame_writer_is_closed(struct frame_writer *writer)
{
    if (!writer)
        return false;
    if (!writer->helper)
        return writers_are_closed(writer->plan.writers);
    io_helper_lock(writer->helper);
    const bool is_closed = writer->is_closed;
    io_helper_unlock(writer->helper);
    return is_closed;
}

bool frame_writer_has_failed(struct frame_writer *writer)
{
    if (!writer || !writer->helper)
        return false;
    io_helper_lock(writer->helper);
    const bool has_failed = writer->fault.status != FAULT_NONE;
    io_helper_unlock(writer->helper);
    return has_failed;
}

static void end_writer(struct frame_writer *writer)
{
    io_helper_lock(writer->helper);
    writer->is_over = true;
    io_helper_signal(writer->helper);
    io_helper_unlock(writer->helper);
    io_helper_free(writer->helper);
}

void frame_writer_free(struct frame_writer *writer)
{
    if (!writer)
        return;
    if (writer->helper)
        end_writer(writer);
    for (int i = 0; i < BUFFERS; i++)
        free(writer->buffers[i]);
    free(writer);
}
