/* A run, from the initial state to the last frame. All memory is allocated before the first step. Frames are written
 * every `every` steps, and the last state always is, also if the run is stopped early.
 *
 * Several ranks (comm/comm.h) call these functions side by side. Rank 0 alone has outputs and a measure and prints
 * messages; it sends the other ranks what decides which functions of the engine are called. An error on one rank ends
 * the run on all ranks before the next step.
 */
#include "run.h"

#include "cli/output/pipeline.h"
#include "cli/run/rank_setup.h"
#include "cli/run/run_internal.h"
#include "clock.h"
#include "config/keys.h"
#include "platform/signals.h"

#include <inttypes.h>
#include <stdlib.h>

/* Frames. */

uint32_t run_slab(const struct config *config, const struct options *options)
{
    const uint32_t boids = config->model.boid_count;
    const bool has_slabs =
        comm_world()->count > 1 && boids > ENGINE_SLAB && targets_take_slabs(options, config);
    return has_slabs ? ENGINE_SLAB : boids;
}

static struct agent *frame_buffer(const struct run *run)
{
    return run->output.writer ? frame_writer_buffer(run->output.writer) : NULL;
}

static bool open_outputs(struct run *run, struct fault *fault)
{
    bool is_good = true;
    if (comm_is_root(run->comm)) {
        pipeline_describe(&run->output, run->samples.first);
        run->output.about.initial_hash = run->initial_hash;
        run->output.about.initial = run->has_initial ? &run->initial : NULL;
        is_good = pipeline_open(&run->output, fault);
    } else {
        signals_defer();
    }
    return comm_agree(run->comm, is_good, fault);
}

/* A run of a sweep without outputs needs the last frame and the frames of its means only. */
static bool is_wanted(const struct run *run)
{
    const struct config *config = run->config;
    return !run->report || run->output.writers.count > 0 || run->step >= config_mean_from(config) ||
           run->step == config->steps;
}

static bool record_whole(struct run *run, const struct frame_task *request, struct fault *fault)
{
    struct agent *buffer = frame_buffer(run);
    if (request->is_written || request->is_measured)
        engine_get(run->engine, buffer);
    if (!run->output.writer)
        return true;
    if (!frame_writer_submit(run->output.writer, request, fault))
        return false;
    if (!run->until.text || !request->is_measured)
        return true;
    /* The next step waits until this frame was measured: the frame decides if there is one. */
    if (!frame_writer_drain(run->output.writer, fault))
        return false;
    stop_condition_add(&run->until, run->output.summary.last[run->until.quantity]);
    return true;
}

/* Rank 0 receives one slab while the slab before it is written. If a slab cannot be written, all ranks still gather the
 * rest of the frame, because each of them counts on the others. */
static bool record_in_slabs(struct run *run, struct frame_task *request, struct fault *fault)
{
    const size_t boids = run->config->model.boid_count, slab = run->facts.slab;
    bool is_good = true;
    for (size_t first = 0; first < boids; first += slab) {
        struct agent *buffer = frame_buffer(run);
        const bool is_last = boids - first <= slab;
        const size_t count = is_last ? boids - first : slab;
        engine_get_slab(run->engine, (uint32_t)first, (uint32_t)count, buffer);
        request->first = first;
        request->count = is_last ? run->agent_count - first : slab;
        if (is_good && run->output.writer)
            is_good = frame_writer_submit(run->output.writer, request, fault);
    }
    return is_good;
}

static bool record(struct run *run, bool is_written, bool is_measured, struct fault *fault)
{
    struct frame_task request = {
        .step = run->step, .is_written = is_written && run->facts.is_written, .is_measured = is_measured};
    run->written = is_written ? run->step : run->written;
    run->measured = is_measured ? run->step : run->measured;
    if (!run->facts.is_recorded || !(is_written || is_measured))
        return true;
    return run->facts.slab < run->config->model.boid_count ? record_in_slabs(run, &request, fault)
                                                           : record_whole(run, &request, fault);
}

/* A frame that is only measured needs a measure. */
static bool record_on_grids(struct run *run, struct fault *fault)
{
    return !is_wanted(run) ||
           record(run, interval_contains(run->frames, run->step),
                  run->facts.is_measured && interval_contains(run->samples, run->step), fault);
}

static bool record_last(struct run *run, struct fault *fault)
{
    return record(run, run->written != run->step, run->facts.is_measured && run->measured != run->step,
                  fault);
}

/* The initial state. */

static bool set_whole(struct run *run, const struct snapshot *state, uint64_t step, const char *name,
                      struct fault *fault)
{
    size_t misfit;
    if (!comm_agree(run->comm, rank_setup_check_start(run->config, state, fault), fault))
        return false;
    if (engine_set(run->engine, state->agents, step, &misfit, fault))
        return true;
    if (fault->status != FAULT_NONE)
        return false;
    run->is_out_of_range = true;
    /* Rank 0 has the state and prints the message. */
    if (!state->ids)
        return false;
    return fault_refuse(fault, "%s: id %" PRId32 " has a number that %s cannot hold", name,
                        state->ids[misfit], engine_arithmetic_name(run->config->model.arithmetic));
}

/* If no frame will hold the initial state in full, it waits in the buffer of the first frame. */
static void keep_initial(struct run *run)
{
    const struct config *config = run->config;
    if (!run->facts.is_recorded || !run->facts.is_written || metadata_holds_start(config, run->samples.first))
        return;
    run->has_initial = true;
    run->initial = (struct snapshot){
        .boids = config->model.boid_count,
        .predators = config->model.predator_count,
        .ids = run->output.ids,
        .agents = frame_buffer(run),
        .step = run->samples.first,
    };
    engine_get(run->engine, run->initial.agents);
}

static bool place_first(struct run *run, const struct snapshot *first, const char *name, struct fault *fault)
{
    if (run->facts.is_given)
        return set_whole(run, first, run->samples.first, name, fault);
    engine_place(run->engine);
    return engine_has_room(run->engine) || engine_refuse_room(run->engine, fault);
}

/* A resumed run starts from the initial state of the earlier run, for its hash and its file, and continues at the last
 * frame. */
static bool place_flock(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const struct trajectory_past *past = run->output.targets.past;
    const struct snapshot *first = past ? &past->first : start;
    const char *name = past ? past->name : start->name;
    if (!place_first(run, first, name, fault))
        return false;
    run->initial_hash = engine_hash(run->engine);
    keep_initial(run);
    return !run->facts.is_resumed || set_whole(run, start, run->facts.first, name, fault);
}

/* Before the first step. */

static const uint64_t NOT_YET = UINT64_MAX;

/* An observable that an option names must be measured. */
bool run_check_measured(const struct config *config, const struct options *options, struct fault *fault)
{
    static const char key[] = "output.observables";
    struct observable_set observables;
    const struct stop_condition *until = &options->until;
    const char *origin = config->origins[config_key_find(key) - config_keys].text;
    const char *colon = *origin != '\0' ? ": " : "";
    observable_set_init(&observables, config->output.observables);
    if (options->observables && observables.count == 0)
        return fault_refuse(fault, "%s%s%s is false, but --observables %s wants something measured", origin,
                            colon, key, options->observables);
    if (until->text && !observable_set_contains(&observables, until->quantity))
        return fault_refuse(fault, "%s%s%s leaves out %s, which --until wants measured", origin, colon, key,
                            measure_names[until->quantity]);
    return true;
}

/* Add the observables of the run that is resumed to the means and the stop condition. */
static bool recall(struct run *run, struct fault *fault)
{
    const struct trajectory_past *past = run->output.targets.past;
    if (past->frames == 0)
        return true;
    return (!run->options->has_summary || summary_recall(&run->output.summary, past, run->config, fault)) &&
           (!run->until.text ||
            stop_condition_recall(&run->until, past, run->config->output.observables_every, fault));
}

static bool prepare(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const struct flock_model *model = &run->config->model;
    const uint32_t boids = model->boid_count, predators = model->predator_count;
    const int threads = run->options->threads;
    struct pipeline *output = &run->output;
    run->agent_count = (size_t)boids + predators;
    run->engine = engine_create(model, boids, predators, threads, fault);
    if (!run->engine || !comm_is_root(run->comm))
        return run->engine != NULL;
    run->facts.is_written = targets_take_boids(&output->targets);
    run->facts.is_measured = targets_are_measured(run->options, run->config);
    return pipeline_prepare(output, start->ids, boids, predators,
                            (size_t)run_slab(run->config, run->options) + predators, threads, fault) &&
           (!output->targets.past || recall(run, fault));
}

static void share_terms(struct run *run, const struct snapshot *start)
{
    const struct trajectory_past *past = run->output.targets.past;
    const struct snapshot *initial = past ? &past->first : start;
    const uint64_t begun = run->config->init_steps == CONFIG_KEPT ? initial->step : 0;
    run->facts = (struct run_facts){
        .begun = begun,
        .first = past ? past->last.step : begun,
        .is_given = initial->agents != NULL,
        .is_resumed = past != NULL,
        .has_frames = past && past->frames > 0,
        .is_recorded = run->output.writer != NULL,
        .is_measured = run->facts.is_measured,
        .is_written = run->facts.is_written,
        .slab = run_slab(run->config, run->options),
    };
    if (run->comm->count > 1)
        run->comm->bcast(run->comm, 0, &run->facts, sizeof run->facts);
}

static bool prepare_run(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const bool has_targets = !comm_is_root(run->comm) || targets_choose(&run->output.targets, run->options,
                                                                        run->config, start->name, fault);
    if (!comm_agree(run->comm, has_targets && prepare(run, start, fault), fault))
        return false;
    share_terms(run, start);
    run->frames = metadata_frame_steps(run->config, run->facts.begun);
    run->samples = (struct interval){run->facts.begun, run->config->output.observables_every};
    run->step = run->facts.first;
    run->written = run->measured = NOT_YET;
    /* The last frame and the last measurement of the run that is resumed are at the last such steps before. */
    if (run->facts.has_frames) {
        run->written = run->step;
        run->measured = interval_step(run->samples, interval_count(run->samples, run->step) - 1);
    }
    return comm_agree(run->comm, place_flock(run, start, fault), fault);
}

/* Steps. */

/* An error in an earlier frame takes precedence. */
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

/* Change the rules from this step on. The frame of this step may still have to be measured with the old rules. */
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

/* Called during a step, by each thread (struct step_monitor). */
static bool is_still_wanted(void *context, uint32_t agents_done)
{
    struct run *run = context;
    const struct flock_model *model = &run->config->model;
    const uint64_t rounds = model->update == FLOCK_PASSES ? 3 : 1;
    const uint32_t ranks = (uint32_t)run->comm->count;
    progress_bar_within(&run->progress, agents_done * ranks, rounds * model->boid_count);
    return signals_stop_reason().reason == STOP_NONE;
}

/* Out of memory: keep the frame that was reached, so that the run can be resumed with more memory. If the rules have
 * just changed, the frame would have to be measured with other rules, so the frame before it is the last. */
static bool end_without_memory(struct run *run, bool is_changed, struct fault *fault)
{
    const bool is_recorded = is_changed || record_last(run, fault);
    return engine_refuse_room(run->engine, fault) && is_recorded;
}

/* A step that was interrupted is dropped: the last frame is the one before it. */
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
    run->is_out_of_range = status == FLOCK_E_RANGE;
    if (run->is_out_of_range)
        return refuse_step(run, fault);
    if (status == FLOCK_E_CANCELLED)
        return true;
    run->step++;
    if (!engine_has_room(run->engine))
        return end_without_memory(run, is_changed, fault);
    run_report_density_after(run, seconds);
    run_print_hash(run);
    return (!is_changed || (!run->output.measure || pipeline_measure(&run->output, &model, fault))) &&
           record_on_grids(run, fault);
}

/* --summary needs all steps even if all other readers have gone. A frame may fail long before the next one, so errors
 * are checked at each step. */
static bool has_readers(const struct run *run)
{
    return !frame_writer_has_failed(run->output.writer) &&
           (run->options->has_summary || !frame_writer_is_closed(run->output.writer));
}

/* Reason of this rank to stop before the last step. */
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

/* Each rank sends one word, and the largest counts: an error, a reason to stop, or 0. */
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

/* `is_good`: no error on this rank since the last step; on return, on any rank. */
static bool goes_on(struct run *run, bool *is_good, struct fault *fault)
{
    if (*is_good)
        run->stop = wish_to_stop(run);
    *is_good = agree_to_go_on(run, *is_good, fault);
    return *is_good && run->stop.reason == STOP_NONE && run->step != run->config->steps;
}

/* The main loop. */
static bool make_steps(struct run *run, struct fault *fault)
{
    run_print_hash(run);
    bool is_good = run->facts.has_frames || record_on_grids(run, fault);
    progress_bar_update(&run->progress, run->step);
    engine_set_monitor(run->engine, &(struct step_monitor){is_still_wanted, run});
    if (is_good)
        run_report_density(run);
    while (goes_on(run, &is_good, fault)) {
        is_good = take_step(run, fault);
        if (is_good)
            progress_bar_update(&run->progress, run->step);
    }
    return is_good && record_last(run, fault);
}

/* `is_good`: all steps were made. On return no frame is waiting to be written. */
static bool end_run(struct run *run, bool is_good, struct fault *fault)
{
    is_good = frame_writer_drain(run->output.writer, fault) && is_good;
    progress_bar_end(&run->progress, run->step);
    const bool is_complete = is_good && (run->step == run->config->steps || run->stop.reason == STOP_UNTIL);
    const double seconds = clock_seconds() - run->progress.begun;
    const bool is_closed = writers_close(&run->output.writers, is_complete, fault);
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
        .next_change = config_schedule_next(config, 0),
    };
    summary_begin(&run.output.summary);
    bool is_good = prepare_run(&run, start, fault);
    if (is_good) {
        is_good = open_outputs(&run, fault);
        if (is_good) {
            progress_bar_begin(&run.progress, "step", run_shows_progress(&run),
                               options->progress == PROGRESS_ALWAYS, config->steps);
            is_good = end_run(&run, make_steps(&run, fault), fault);
        }
        *stop = run.stop;
    }
    if (report)
        report->is_out_of_range = run.is_out_of_range;
    pipeline_free(&run.output, fault);
    engine_free(run.engine);
    return is_good;
}
