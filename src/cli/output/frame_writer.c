/* Frames are numbered as they come; frame k stands in buffer k % BUFFERS until it is done. So two counts are all that stepper
 * and writer need to share: a frame that is handed over and not done is the writer's, a buffer without one the stepper's.
 * HDF5 may be called by one thread at a time: between hand-overs that is the writer, else whoever opens and closes. */
#include "frame_writer.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* Below FEW agents a frame is done sooner than another thread wakes up. */
enum { BUFFERS = 2, FEW = 500 };

struct frame_writer {
    struct frame_writer_plan plan;
    struct agent *buffers[BUFFERS]; /* without a writer only the first */
    struct io_helper *helper;       /* where the writer is the other one; NULL: there is no writer */
    /* What follows is under the helper's lock. */
    struct frame_task requests[BUFFERS];
    uint64_t taken, done; /* frames */
    bool is_over;         /* no frame will follow */
    bool is_closed;       /* every reader has gone */
    struct fault fault;   /* the writer's */
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

/* The writer. */

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

/* The stepper. */

/* A thread that cannot be had is done without. */
static void start_writer(struct frame_writer *writer)
{
    writer->helper = io_helper_create();
    if (writer->helper && !io_helper_start(writer->helper, write_frames, writer)) {
        io_helper_free(writer->helper);
        writer->helper = NULL;
    }
}

/* Where several ranks have the agents, it is for all of them to work between steps. */
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

static bool is_done(const void *context)
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

static bool tell(const struct frame_writer *writer, struct fault *fault)
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
    const bool is_good = tell(writer, fault);
    io_helper_unlock(writer->helper);
    return is_good;
}

bool frame_writer_drain(struct frame_writer *writer, struct fault *fault)
{
    if (!writer || !writer->helper)
        return true;
    io_helper_lock(writer->helper);
    io_helper_await(writer->helper, is_done, writer);
    const bool is_good = tell(writer, fault);
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
