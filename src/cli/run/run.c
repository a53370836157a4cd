/* A batch run, from the start to the last frame. Everything is sized before the first step; frames are written on the
 * `every` grid, and the last state always is, whether the run was to end there or was asked to.
 *
 * Several ranks (comm/comm.h) go through all of this side by side. Rank 0 alone has outputs, a measure and words to
 * say; the others learn from it what decides which functions of the engine are called. What fails on one rank ends all,
 * before the next step. */
#include "run.h"

#include "cli/run/run_internal.h"
#include "clock.h"
#include "platform/signals.h"

#include <inttypes.h>
#include <stdlib.h>

/* The frames before it come first, and so does what went wrong with them. */
static bool refuse_step(struct run *run, struct fault *fault)
{
    const struct flock_model *model = &run->config->model;
    const size_t lost = engine_lost(run->engine);
    return frame_writer_drain(run->output.writer, fault) &&
           fault_fail(fault, "step %" PRIu64 ": %s %" PRId32 " has left what %s can hold; %s", run->step + 1,
                      lost < model->boid_count ? "boid" : "predator",
                      run->output.ids ? run->output.ids[lost] : (int32_t)lost,
                      engine_arithmetic_name(model->arithmetic),
                      run->output.targets.count > 0 ? "the frames before it are kept"
                                                    : "nothing was written");
}

/* Other rules for the steps from here on. The frame they start from may have to be measured yet, by the old ones. */
static bool change(struct run *run, struct flock_model *model, struct fault *fault)
{
    struct config *changed = malloc(sizeof *changed);
    bool is_good = changed ? config_schedule_apply(changed, run->config, run->step, fault)
                           : fault_fail(fault, "there is no memory for a configuration");
    is_good = comm_agree(run->comm, is_good, fault) && changed &&
              engine_retune(run->engine, &changed->model, run->step, fault);
    if (is_good)
        *model = changed->model;
    run->next_change = config_schedule_next(run->config, run->step + 1);
    free(changed);
    return is_good;
}

/* While a step is flown, by whoever flies it (struct watch). */
static bool is_still_wanted(void *context, uint32_t flown)
{
    struct run *run = context;
    const struct flock_model *model = &run->config->model;
    const uint64_t rounds = model->update == FLOCK_PASSES ? 3 : 1;
    const uint32_t ranks = (uint32_t)run->comm->count;
    progress_bar_within(&run->progress, flown * ranks, rounds * model->boid_count);
    return signals_stop_reason().reason == STOP_NONE;
}

/* The frame that was reached is kept, to go on from with more memory. Ranks have nobody of their neighbours' any more: where they
 * would measure it together, and where it would have to be measured by other rules than the last, those before it are. */
static bool end_without_memory(struct run *run, bool is_changed, struct fault *fault)
{
    const bool is_recorded = is_changed || run_record_last(run, fault);
    return engine_refuse_room(run->engine, fault) && is_recorded;
}

/* A step that is not wanted any more is dropped: the last frame is the one before it. */
static bool take_step(struct run *run, struct fault *fault)
{
    const bool is_changed = run->step >= run->next_change;
    struct flock_model model;
    if (is_changed && !change(run, &model, fault))
        return false;
    const double begun = clock_seconds();
    const enum flock_status status = engine_step(run->engine);
    const double seconds = clock_seconds() - begun;
    run->output.summary.step_seconds += seconds;
    run->is_beyond = status == FLOCK_E_RANGE;
    if (run->is_beyond)
        return refuse_step(run, fault);
    if (status == FLOCK_E_DROPPED)
        return true;
    run->step++;
    if (!engine_has_room(run->engine))
        return end_without_memory(run, is_changed, fault);
    run_report_density_after(run, seconds);
    run_print_hash(run);
    return (!is_changed || (!run->output.measure || pipeline_measure(&run->output, &model, fault))) &&
           run_record_on_grids(run, fault);
}

/* A summary is wanted even when all other readers have gone. Frames may be long in coming, so a failed one is asked for
 * between them. */
static bool has_readers(const struct run *run)
{
    return !frame_writer_has_failed(run->output.writer) &&
           (run->options->has_summary || !frame_writer_is_closed(run->output.writer));
}

/* Why this rank would stop before the last step. */
static struct stop wish_to_stop(struct run *run)
{
    if (stop_condition_is_met(&run->until))
        return (struct stop){STOP_UNTIL, 0};
    if (run->step == run->config->steps)
        return (struct stop){STOP_NONE, 0};
    const struct stop stop = signals_stop_reason();
    if (stop.reason == STOP_NONE && !has_readers(run))
        return (struct stop){STOP_READERS, 0};
    return stop;
}

/* One word from each rank, of which the largest counts: a fault, a reason, nothing. */
static bool agree_to_go_on(struct run *run, bool is_good, struct fault *fault)
{
    enum { REASON = 1 << 8, FAULT = 1 << 16 };
    uint64_t word = is_good ? (uint64_t)run->stop.reason * REASON + (uint64_t)run->stop.signal : FAULT;
    if (run->comm->count == 1)
        return is_good;
    run->comm->allreduce(run->comm, &word, 1, COMM_MAX);
    if (word >= FAULT)
        return comm_agree(run->comm, is_good, fault);
    run->stop = (struct stop){(enum stop_reason)(word / REASON), (int)(word % REASON)};
    return true;
}

/* `is_good`: what was done since the last step; afterwards, on all ranks. */
static bool goes_on(struct run *run, bool *is_good, struct fault *fault)
{
    if (*is_good)
        run->stop = wish_to_stop(run);
    *is_good = agree_to_go_on(run, *is_good, fault);
    return *is_good && run->stop.reason == STOP_NONE && run->step != run->config->steps;
}

static bool fly_steps(struct run *run, struct fault *fault)
{
    run_print_hash(run);
    bool is_good = run->terms.has_frames || run_record_on_grids(run, fault);
    progress_bar_update(&run->progress, run->step);
    engine_watch(run->engine, &(struct watch){is_still_wanted, run});
    if (is_good)
        run_report_density(run);
    while (goes_on(run, &is_good, fault)) {
        is_good = take_step(run, fault);
        if (is_good)
            progress_bar_update(&run->progress, run->step);
    }
    return is_good && run_record_last(run, fault);
}

/* Afterwards all frames are written, or will never be. */
static bool fly(struct run *run, struct fault *fault)
{
    const bool is_good = fly_steps(run, fault);
    return frame_writer_drain(run->output.writer, fault) && is_good;
}

static bool fly_and_close(struct run *run, struct fault *fault)
{
    struct progress_bar *progress = &run->progress;
    progress_bar_begin(progress, "step", run_shows_progress(run), run->options->progress == PROGRESS_ALWAYS,
                       run->config->steps);
    const bool is_good = fly(run, fault);
    progress_bar_end(progress, run->step);
    const bool is_complete = is_good && (run->step == run->config->steps || run->stop.reason == STOP_UNTIL);
    const double seconds = clock_seconds() - progress->begun;
    const bool is_closed = run_close(run, is_complete, fault);
    if (!comm_agree(run->comm, is_closed && is_good, fault)) {
        run_summarize(run, "failed", fault);
        return false;
    }
    run_report_end(run, seconds);
    return run_summarize(run, is_complete ? "done" : "stopped", fault);
}

bool run_batch(const struct config *config, const struct options *options, const struct snapshot *start,
               const struct trajectory_past *past, struct run_report *report, struct stop *stop,
               struct fault *fault)
{
    struct run run = {
        .comm = comm_world(),
        .config = config,
        .options = options,
        .output = {.config = config, .options = options, .targets.past = past},
        .until = options->until,
        .report = report,
    };
    bool is_good = false;
    run.next_change = config_schedule_next(config, 0);
    summary_begin(&run.output.summary);
    if (!run_prepare(&run, start, fault))
        goto done;
    is_good = run_open(&run, fault);
    if (is_good)
        is_good = fly_and_close(&run, fault);
    *stop = run.stop;
done:
    if (report)
        report->is_beyond = run.is_beyond;
    pipeline_free(&run.output, fault);
    engine_free(run.engine);
    return is_good;
}
