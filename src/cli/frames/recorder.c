/* Frames are numbered as they come; frame k stands in room k % ROOMS until it is done. So two counts are all that stepper
 * and writer need to share: a frame that is handed over and not done is the writer's, a room without one the stepper's.
 * HDF5 may be called by one thread at a time: between hand-overs that is the writer, else whoever opens and closes. */
#include "recorder.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* Below FEW agents a frame is done sooner than another thread wakes up. */
enum { ROOMS = 2, FEW = 500 };

struct recorder {
    struct recorder_plan plan;
    struct agent *rooms[ROOMS]; /* without a writer only the first */
    struct workbench *bench;    /* where the writer is the other one; NULL: there is no writer */
    /* What follows is under the bench's lock. */
    struct recorder_wish wishes[ROOMS];
    uint64_t taken, done; /* frames */
    bool is_over;         /* no frame will follow */
    bool is_closed;       /* every reader has gone */
    struct fault fault;   /* the writer's */
};

static bool is_shared(size_t agents, int threads)
{
    return agents >= FEW && engine_count_threads(threads) > 1;
}

size_t recorder_memory(size_t agents, int threads)
{
    return (is_shared(agents, threads) ? ROOMS : 1) * agents * sizeof(struct agent);
}

static bool record(struct recorder *recorder, const struct recorder_wish *wish, struct agent *agents,
                   struct fault *fault)
{
    const struct recorder_plan *plan = &recorder->plan;
    double measured[MEASURE_COUNT], chosen[MEASURE_COUNT];
    const double *observables = wish->observables ? wish->observables : measured;
    struct frame frame = {.step = wish->step,
                          .agents = wish->is_written ? agents : NULL,
                          .first = wish->first,
                          .count = wish->count};
    if (wish->is_measured && plan->measure) {
        if (!wish->observables)
            measure_frame(plan->measure, agents, measured);
        summary_sample(plan->summary, observables, wish->step >= plan->mean_from);
        choice_pick(plan->choice, observables, chosen);
        frame.observables = chosen;
    }
    /* A slab is written as it is: places_take_slabs(). */
    if (frame.agents && frame.count == 0)
        roster_gather(plan->roster, agents);
    return outputs_write(plan->outputs, &frame, fault);
}

/* The writer. */

static bool has_news(const void *context)
{
    const struct recorder *recorder = context;
    return recorder->done < recorder->taken || recorder->is_over;
}

static void record_next(struct recorder *recorder)
{
    const uint64_t room = recorder->done % ROOMS;
    const struct recorder_wish wish = recorder->wishes[room];
    struct fault fault = recorder->fault;
    workbench_unlock(recorder->bench);
    if (fault.status == FAULT_NONE)
        record(recorder, &wish, recorder->rooms[room], &fault);
    const bool is_closed = outputs_are_closed(recorder->plan.outputs);
    workbench_lock(recorder->bench);
    recorder->fault = fault;
    recorder->is_closed = is_closed;
    recorder->done++;
    workbench_tell(recorder->bench);
}

static void write_frames(void *context)
{
    struct recorder *recorder = context;
    workbench_lock(recorder->bench);
    for (;;) {
        workbench_await(recorder->bench, has_news, recorder);
        if (recorder->done == recorder->taken)
            break;
        record_next(recorder);
    }
    workbench_unlock(recorder->bench);
}

/* The stepper. */

/* A thread that cannot be had is done without. */
static void start_writer(struct recorder *recorder)
{
    recorder->bench = workbench_create();
    if (recorder->bench && !workbench_start(recorder->bench, write_frames, recorder)) {
        workbench_free(recorder->bench);
        recorder->bench = NULL;
    }
}

/* Where several ranks have the agents, it is for all of them to work between steps. */
static bool prepare(struct recorder *recorder, size_t agents, bool wants_writer)
{
    if (agents == 0)
        return true;
    for (int i = 0; i < (wants_writer ? ROOMS : 1); i++)
        if (!(recorder->rooms[i] = calloc(agents, sizeof **recorder->rooms)))
            return false;
    if (wants_writer)
        start_writer(recorder);
    return true;
}

struct recorder *recorder_create(const struct recorder_plan *plan, size_t agents, int threads,
                                 struct fault *fault)
{
    struct recorder *recorder = malloc(sizeof *recorder);
    if (recorder) {
        *recorder = (struct recorder){.plan = *plan};
        if (prepare(recorder, agents, is_shared(agents, threads)))
            return recorder;
    }
    recorder_free(recorder);
    fault_fail(fault, "there is no memory for %zu boids and predators", agents);
    return NULL;
}

struct workbench *recorder_bench(struct recorder *recorder)
{
    return recorder ? recorder->bench : NULL;
}

static bool has_room(const void *context)
{
    const struct recorder *recorder = context;
    return recorder->taken - recorder->done < ROOMS;
}

static bool is_done(const void *context)
{
    const struct recorder *recorder = context;
    return recorder->taken == recorder->done;
}

struct agent *recorder_room(struct recorder *recorder)
{
    if (!recorder->bench)
        return recorder->rooms[0];
    workbench_lock(recorder->bench);
    workbench_await(recorder->bench, has_room, recorder);
    struct agent *room = recorder->rooms[recorder->taken % ROOMS];
    workbench_unlock(recorder->bench);
    return room;
}

static bool tell(const struct recorder *recorder, struct fault *fault)
{
    if (recorder->fault.status != FAULT_NONE && fault->status == FAULT_NONE)
        *fault = recorder->fault;
    return recorder->fault.status == FAULT_NONE;
}

bool recorder_take_over(struct recorder *recorder, const struct recorder_wish *wish, struct fault *fault)
{
    if (!recorder->bench)
        return record(recorder, wish, recorder->rooms[0], fault);
    workbench_lock(recorder->bench);
    recorder->wishes[recorder->taken++ % ROOMS] = *wish;
    workbench_tell(recorder->bench);
    const bool is_good = tell(recorder, fault);
    workbench_unlock(recorder->bench);
    return is_good;
}

bool recorder_settle(struct recorder *recorder, struct fault *fault)
{
    if (!recorder || !recorder->bench)
        return true;
    workbench_lock(recorder->bench);
    workbench_await(recorder->bench, is_done, recorder);
    const bool is_good = tell(recorder, fault);
    workbench_unlock(recorder->bench);
    return is_good;
}

void recorder_use(struct recorder *recorder, struct measure *measure)
{
    recorder->plan.measure = measure;
}

bool recorder_is_closed(struct recorder *recorder)
{
    if (!recorder)
        return false;
    if (!recorder->bench)
        return outputs_are_closed(recorder->plan.outputs);
    workbench_lock(recorder->bench);
    const bool is_closed = recorder->is_closed;
    workbench_unlock(recorder->bench);
    return is_closed;
}

bool recorder_has_failed(struct recorder *recorder)
{
    if (!recorder || !recorder->bench)
        return false;
    workbench_lock(recorder->bench);
    const bool has_failed = recorder->fault.status != FAULT_NONE;
    workbench_unlock(recorder->bench);
    return has_failed;
}

static void end_writer(struct recorder *recorder)
{
    workbench_lock(recorder->bench);
    recorder->is_over = true;
    workbench_tell(recorder->bench);
    workbench_unlock(recorder->bench);
    workbench_free(recorder->bench);
}

void recorder_free(struct recorder *recorder)
{
    if (!recorder)
        return;
    if (recorder->bench)
        end_writer(recorder);
    for (int i = 0; i < ROOMS; i++)
        free(recorder->rooms[i]);
    free(recorder);
}
