/* A run, from the initial state to the last frame. On one rank and without a schedule, only libhdf5 allocates memory
 * after the first step. Frames are written every `every` steps. The last state is always written, even if the run is stopped early.
 *
 * If there are several ranks (engine/mpi/comm.h), all of them call these functions in parallel. Only rank 0 has outputs,
 * computes observables and prints messages. It sends the other ranks what they need to call the same functions of
 * the engine. An error on one rank ends the run on all ranks before the next step.
 */
#include "base/clock.h"
#include "base/progress_bar.h"
#include "base/shell_quote.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/options/configure.h"
#include "cli/output/pipeline.h"
#include "cli/run/preflight.h"
#include "cli/tasks/tasks.h"
#include "config/keys.h"
#include "engine/engine.h"
#include "engine/mpi/comm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Facts that rank 0 sends to all ranks. */
struct run_facts {
    uint64_t begun; /* step of the initial state */
    uint64_t first; /* first step of this run: `begun`, or the last step of the run that is resumed */
    uint64_t has_given_state; /* the initial state was given; otherwise it is random */
    uint64_t is_resumed;      /* an earlier run is resumed */
    uint64_t has_frames;      /* the earlier run has frames */
    uint64_t measures_frames; /* frames are measured */
    uint64_t writes_frames;   /* frames are written */
};

struct run {
    const struct comm *comm;
    struct run_facts facts;
    const struct config *config;
    const struct options *options;
    struct engine *engine;
    struct pipeline output; /* used on rank 0 only */
    struct frame initial;   /* the initial state if no frame will contain it in full */
    bool is_of_sweep;       /* the caller receives the summary, and it is not printed */
    /* The steps that are written and those that are measured. The last step is always written and measured. */
    struct interval frames, samples;
    uint64_t step;                        /* current step */
    uint64_t last_written, last_measured; /* last written and last measured step, or NOT_YET */
    uint64_t next_change;                 /* the step at which the rules change next */
    uint64_t streak,
        longest_streak; /* number of successive frames that met the condition of --until; its maximum so far */
    double nearest_value; /* value of --until's observable that came nearest to the condition, or NAN */
    struct stop stop;     /* reason to stop before the last step */
    struct progress_bar progress;
};

static const uint64_t NOT_YET = UINT64_MAX;

/* Frames. */

static struct agent *frame_buffer(struct run *run)
{
    return comm_is_root(run->comm) ? pipeline_buffer(&run->output) : NULL;
}

/* Compare the next frame with the condition of --until. NAN never meets it. */
static void check_until(struct run *run, double value)
{
    const struct stop_condition *until = &run->options->until;
    const bool is_met = until->is_above ? value > until->value : value < until->value;
    run->streak = is_met ? run->streak + 1 : 0;
    run->longest_streak = run->streak > run->longest_streak ? run->streak : run->longest_streak;
    run->nearest_value = until->is_above ? fmax(run->nearest_value, value) : fmin(run->nearest_value, value);
}

static bool submit_state(struct run *run, bool is_written, bool is_measured, struct error *error)
{
    struct pipeline *output = &run->output;
    struct frame_task task = {.step = run->step,
                              .is_followed = run->facts.writes_frames && config_unwraps(run->config),
                              .is_written = is_written && run->facts.writes_frames,
                              .is_measured = is_measured && run->facts.measures_frames};
    run->last_written = is_written ? run->step : run->last_written;
    run->last_measured = task.is_measured ? run->step : run->last_measured;
    if (!task.is_written && !task.is_measured && !task.is_followed)
        return true;
    struct agent *buffer = frame_buffer(run);
    uint32_t *ids = task.is_measured && buffer ? pipeline_ids(output, buffer) : NULL;
    task.is_in_any_order = engine_get_in_any_order(run->engine, buffer, ids);
    if (!comm_is_root(run->comm))
        return true;
    if (!pipeline_submit(output, &task, error))
        return false;
    if (!run->options->until.text || !task.is_measured)
        return true;
    /* The condition of --until decides whether there is a next step, so this frame must be measured before that
     * step. */
    if (!pipeline_drain(output, error))
        return false;
    check_until(run, output->summary.last[run->options->until.quantity]);
    return true;
}

static bool submit_scheduled_state(struct run *run, struct error *error)
{
    /* In a sweep, a run without outputs needs only the last frame and the frames that its means include. */
    const bool is_needed = !run->is_of_sweep || run->output.targets.count > 0 ||
                           run->step >= config_mean_from(run->config, run->facts.begun) ||
                           run->step == run->config->steps;
    return !is_needed || submit_state(run, interval_contains(run->frames, run->step),
                                      interval_contains(run->samples, run->step), error);
}

static bool submit_last_state(struct run *run, struct error *error)
{
    return submit_state(run, run->last_written != run->step, run->last_measured != run->step, error);
}

/* Messages. */

static void print_hash(const struct run *run)
{
    const uint64_t every = run->options->hash_every;
    if (every == 0 || run->step % every != 0)
        return;
    const uint64_t hash = engine_hash(run->engine);
    if (comm_is_root(run->comm))
        fprintf(stderr, "%" PRIu64 " %016" PRIx64 "\n", run->step, hash);
}

static void report_until(const struct run *run)
{
    const struct stop_condition *until = &run->options->until;
    const char *name = measure_names[until->quantity];
    if (run->stop.reason == STOP_UNTIL)
        terminal_print(stderr, "boids: stopped at step %" PRIu64 ": %s\n", run->step, until->text);
    else if (run->longest_streak > 0)
        terminal_print(stderr,
                       "boids: --until %s was not met: it held for at most %" PRIu64 " frame%s in a row\n",
                       until->text, run->longest_streak, text_plural(run->longest_streak));
    else if (isnan(run->nearest_value))
        terminal_print(stderr, "boids: --until %s was not met: %s was undefined\n", until->text, name);
    else
        terminal_print(stderr, "boids: --until %s was not met: the %s %s was %g\n", until->text,
                       until->is_above ? "largest" : "smallest", name, run->nearest_value);
}

/* Print why the run stopped, its speed, and how many of the requested threads could not be started. If the user
 * closed a pipe, no reason is printed. */
static void report_run_end(const struct run *run, double seconds)
{
    const struct options *options = run->options;
    const uint64_t steps = run->step - run->facts.first;
    const uint32_t boids = run->config->model.boid_count;
    const int missing = engine_missing_threads(run->engine);
    const char *resumable =
        config_writes_whole_frames(run->config) ? targets_find_resumable(&run->output.targets) : NULL;
    char word[SHELL_QUOTE_SIZE];
    uint64_t moves;
    if (!options->is_quiet && options->until.text &&
        (run->stop.reason == STOP_UNTIL || run->stop.reason == STOP_NONE))
        report_until(run);
    if (!options->is_quiet && (run->stop.reason == STOP_SIGNAL || run->stop.reason == STOP_SECONDS)) {
        fprintf(stderr, "boids: stopped at step %" PRIu64, run->step);
        if (run->stop.reason == STOP_SECONDS)
            fprintf(stderr, " after %g s", options->max_seconds);
        fputs(run->output.targets.count > 0 ? "; the frames written so far are kept"
                                            : "; nothing was written",
              stderr);
        if (resumable)
            terminal_print(stderr, "; continue with: boids --resume %s", shell_quote(resumable, word));
        fputc('\n', stderr);
    }
    if (options->is_verbose) {
        fprintf(stderr,
                "boids: %" PRIu64 " step%s of %" PRIu32 " boid%s in %.3f s, %.4g boid-steps per second\n",
                steps, text_plural(steps), boids, text_plural(boids), seconds,
                seconds > 0 ? (double)steps * (double)boids / seconds : 0);
        const double ratio = engine_imbalance(run->engine, &moves);
        if (run->comm->count > 1)
            fprintf(stderr,
                    "boids: the busiest of %d ranks had %.2f times the mean work; boundaries were moved "
                    "%" PRIu64 " time%s\n",
                    run->comm->count, ratio, moves, text_plural(moves));
    }
    if (missing > 0 && (options->is_verbose || !options->is_quiet))
        fprintf(stderr, "boids: the system did not start %d thread%s; the others stepped the flock\n",
                missing, text_plural((uint64_t)missing));
}

static bool summarize(struct run *run, const char *status, struct error *error)
{
    struct summary *summary = &run->output.summary;
    if (!run->options->has_summary)
        return true;
    summary->steps = run->step;
    summary->first = run->facts.first;
    summary->status = status;
    summary->stopped_by = stop_word(run->stop.reason);
    summary->has_hash = !summary->is_out_of_range && engine_has_flock(run->engine);
    summary->hash = summary->has_hash ? engine_hash(run->engine) : 0;
    return !comm_is_root(run->comm) || run->is_of_sweep ||
           summary_print(summary, run->config, run->options, &run->output.targets, error);
}

/* Before the first step. */

/* Add the observables of the run that is resumed, up to its last frame, to the means and the stop condition. */
static bool restore_observables(struct run *run, const struct previous_run *previous, struct error *error)
{
    const struct interval steps = {previous->first.step, run->config->output.observables_every};
    const uint64_t mean_from = config_mean_from(run->config, steps.first);
    const uint64_t rows = interval_count(steps, previous->last.step);
    double *values = malloc((rows + 1) * sizeof *values); /* + 1: malloc(0) may return NULL */
    bool is_good = values || error_fail(error, "%s: out of memory for its observables", previous->name);
    FOR_EACH_OBSERVABLE (k) {
        const bool decides = run->options->until.text && (int)run->options->until.quantity == k;
        if (!is_good || (!decides && !run->options->has_summary))
            continue;
        is_good = previous_run_observable(previous, measure_names[k], values, rows, error);
        for (uint64_t i = 0; i < rows && is_good; i++) {
            summary_add(&run->output.summary, k, values[i], interval_step(steps, i) >= mean_from);
            if (decides)
                check_until(run, values[i]);
        }
    }
    free(values);
    return is_good;
}

/* Allocate the flock and, on rank 0, the buffers of the outputs. */
static bool allocate(struct run *run, const struct frame *start, struct error *error)
{
    const struct config *config = run->config;
    const struct options *options = run->options;
    struct pipeline *output = &run->output;
    const struct previous_run *previous = output->targets.previous;
    const struct frame *initial = previous ? &previous->first : start;
    const uint32_t boids = config->model.boid_count, predators = config->model.predator_count;
    if (comm_is_root(run->comm) && !targets_choose(&output->targets, options, config, start->name, error))
        return false;
    run->engine = engine_create(&config->model, boids, predators, options->threads, error);
    if (!run->engine || !comm_is_root(run->comm))
        return run->engine;
    const uint64_t begun = configure_first_step(config, initial);
    run->facts = (struct run_facts){
        .begun = begun,
        .first = previous ? previous->last.step : begun,
        .has_given_state = initial->agents != NULL,
        .is_resumed = previous != NULL,
        .has_frames = previous && previous->frames > 0,
        .measures_frames = targets_are_measured(options, config),
        .writes_frames = targets_have_frames(options),
    };
    if (!pipeline_prepare(output, start->ids, boids, predators, begun, options->threads, error))
        return false;
    return !previous || previous->frames == 0 || restore_observables(run, previous, error);
}

static bool set_state(struct run *run, const struct frame *state, uint64_t step, struct error *error)
{
    size_t misfit;
    return comm_agree(run->comm, preflight_check_start(run->config, state, error), error) &&
           engine_set(run->engine, state->agents, step, &misfit, error);
}

/* A resumed run first reads the initial state of the earlier run, because the hash and the file need it, and then
 * continues from the last frame. */
static bool place_flock(struct run *run, const struct frame *start, struct error *error)
{
    const struct config *config = run->config;
    const struct previous_run *previous = run->output.targets.previous;
    const struct frame *first = previous ? &previous->first : start;
    if (run->facts.has_given_state) {
        if (!set_state(run, first, run->facts.begun, error))
            return false;
    } else {
        engine_place(run->engine);
        if (!engine_has_memory_for_boids(run->engine))
            return engine_refuse_boids(run->engine, error);
    }
    run->output.summary.initial_hash = run->output.metadata.initial_hash = engine_hash(run->engine);
    /* If no frame will contain the initial state in full, it is stored in the buffer of the first frame until the
     * outputs are opened. */
    if (run->facts.writes_frames && !pipeline_has_initial_state(config, run->facts.begun)) {
        run->initial = (struct frame){
            .boids = config->model.boid_count,
            .predators = config->model.predator_count,
            .ids = run->output.ids,
            .agents = frame_buffer(run),
            .step = run->facts.begun,
        };
        run->output.metadata.initial = &run->initial;
        engine_get(run->engine, run->initial.agents);
    }
    if (run->output.paths && previous && run->facts.has_frames)
        memcpy(run->output.paths, previous->written.agents,
               (first->boids + first->predators) * sizeof *first->agents);
    return !run->facts.is_resumed || set_state(run, start, run->facts.first, error);
}

static bool prepare_run(struct run *run, const struct frame *start, struct error *error)
{
    if (!comm_agree(run->comm, allocate(run, start, error), error))
        return false;
    if (run->comm->count > 1)
        run->comm->bcast(run->comm, 0, &run->facts, sizeof run->facts);
    run->frames = pipeline_frame_steps(run->config, run->facts.begun);
    run->samples = (struct interval){run->facts.begun, run->config->output.observables_every};
    run->step = run->facts.first;
    run->last_written = run->last_measured = NOT_YET;
    /* The earlier run wrote its last frame at run->step, and its last row of observables at the last measured step up
     * to run->step. */
    if (run->facts.has_frames) {
        run->last_written = run->step;
        run->last_measured = interval_step(run->samples, interval_count(run->samples, run->step) - 1);
    }
    if (!comm_agree(run->comm, place_flock(run, start, error), error))
        return false;
    if (!comm_is_root(run->comm))
        stop_defer_signals();
    return comm_agree(run->comm,
                      !comm_is_root(run->comm) ||
                          targets_open(&run->output.targets, run->options, &run->output.metadata, error),
                      error);
}

/* Steps. */

/* Called during a step, by each thread (struct step_cancellation). */
static bool should_continue(void *context, uint32_t agents_done)
{
    struct run *run = context;
    const struct flock_model *model = &run->config->model;
    const uint64_t rounds = model->update == FLOCK_PASSES ? 3 : 1;
    const uint32_t ranks = (uint32_t)run->comm->count;
    progress_bar_within(&run->progress, agents_done * ranks, rounds * model->boid_count);
    return stop_state().reason == STOP_NONE;
}

static bool begin_steps(struct run *run, struct error *error)
{
    const struct options *options = run->options;
    /* A progress bar would disturb data on standard error or on the same terminal, and what the reader of a pipe prints there. */
    const struct targets *targets = &run->output.targets;
    const bool is_stream = lseek(STDOUT_FILENO, 0, SEEK_CUR) < 0;
    const bool shows_data = targets_have_descriptor(targets, STDERR_FILENO) ||
                            (is_stream && targets_have_descriptor(targets, STDOUT_FILENO));
    const bool is_root = comm_is_root(run->comm);
    const bool is_wanted = !options->is_quiet && options->hash_every == 0 && !shows_data;
    progress_bar_begin(&run->progress, "step", is_root ? options->progress : PROGRESS_NEVER, is_wanted,
                       run->facts.first, run->config->steps);
    print_hash(run);
    const bool is_good = run->facts.has_frames || submit_scheduled_state(run, error);
    progress_bar_update(&run->progress, run->step);
    engine_set_cancellation(run->engine, &(struct step_cancellation){should_continue, run});
    return is_good;
}

/* True if there is a next step. Each rank sends one word (an error, a reason to stop, or 0), and all ranks use the
 * largest one.
 *
 * On entry, `is_good` is true if this rank has had no error since the last step; on return, it is true if no rank
 * has had one. Errors are checked at each step, because the next frame may be many steps away. */
static bool continues(struct run *run, bool *is_good, struct error *error)
{
    enum { REASON = 1 << 8, FAULT = 1 << 16 };
    const struct stop signal = stop_state();
    /* --summary needs all steps, even if the readers of all outputs have closed their pipes. */
    const bool has_readers =
        !run->output.has_failed && (run->options->has_summary || !run->output.has_no_reader);
    if (*is_good && run->options->until.text && run->streak >= run->options->until.frames)
        run->stop.reason = STOP_UNTIL;
    else if (*is_good && run->step != run->config->steps)
        run->stop = signal.reason == STOP_NONE && !has_readers ? (struct stop){STOP_READERS, 0} : signal;
    if (run->comm->count > 1) {
        uint64_t word = *is_good ? (uint64_t)run->stop.reason * REASON + (uint64_t)run->stop.signal : FAULT;
        run->comm->allreduce(run->comm, &word, 1, COMM_MAX);
        if (word >= FAULT)
            *is_good = comm_agree(run->comm, *is_good, error);
        else
            run->stop = (struct stop){(enum stop_reason)(word / REASON), (int)(word % REASON)};
    }
    return *is_good && run->stop.reason == STOP_NONE && run->step != run->config->steps;
}

/* Make one step. An interrupted step is dropped, and the state before it becomes the last frame. */
static bool advance_run(struct run *run, struct error *error)
{
    struct flock_model changed;
    if (run->step >= run->next_change) {
        if (!engine_retune(run->engine, config_rules_of_frame(run->config, run->step + 1, &changed),
                           run->step, error))
            return false;
        run->next_change = config_schedule_next(run->config, run->step + 1);
    }
    const double begun = clock_seconds();
    const enum flock_status status = engine_step(run->engine);
    run->output.summary.step_seconds += clock_seconds() - begun;
    run->output.summary.is_out_of_range = status == FLOCK_E_RANGE;
    /* An error in an earlier frame takes precedence. */
    if (status == FLOCK_E_RANGE) {
        char ending[CONFIG_EXCESS_SIZE];
        config_value_describe_excess(
            run->config, run->step,
            run->output.targets.count > 0 ? "the frames before it are kept" : "nothing was written", ending);
        return pipeline_drain(&run->output, error) &&
               engine_report_out_of_range(run->engine, run->step, run->output.ids, ending, error);
    }
    if (status != FLOCK_E_CANCELLED) {
        run->step++;
        /* If memory runs out, the current state becomes the last frame, so that the run can be resumed with more
         * memory. */
        if (!engine_has_memory_for_boids(run->engine)) {
            const bool is_submitted = submit_last_state(run, error);
            return engine_refuse_boids(run->engine, error) && is_submitted;
        }
        print_hash(run);
        if (!submit_scheduled_state(run, error))
            return false;
    }
    progress_bar_update(&run->progress, run->step);
    return true;
}

/* End the run. `is_good` is true if there was no error in the steps. On return, no frame is waiting to be written. */
static bool end_run(struct run *run, bool is_good, struct error *error)
{
    is_good = pipeline_drain(&run->output, error) && is_good;
    progress_bar_end(&run->progress, run->step);
    const bool is_complete = is_good && (run->step == run->config->steps || run->stop.reason == STOP_UNTIL);
    const double seconds = clock_seconds() - run->progress.begun;
    const bool is_closed = targets_close(&run->output.targets, is_complete, error);
    if (!comm_agree(run->comm, is_closed && is_good, error)) {
        summarize(run, "failed", error);
        return false;
    }
    if (comm_is_root(run->comm))
        report_run_end(run, seconds);
    if (is_complete && comm_is_root(run->comm) && !run->is_of_sweep && !run->options->is_quiet &&
        isatty(STDERR_FILENO))
        targets_report(&run->output.targets, interval_rows(run->frames, run->step),
                       interval_rows(run->samples, run->step));
    return summarize(run, is_complete ? "done" : "stopped", error);
}

bool run_batch(const struct config *config, const struct options *options, const struct frame *start,
               const struct previous_run *previous, struct summary *summary, struct stop *stop,
               struct error *error)
{
    struct run run = {
        .comm = comm_world(),
        .config = config,
        .options = options,
        .is_of_sweep = summary,
        .next_change = config_schedule_next(config, 0),
        .nearest_value = NAN,
    };
    pipeline_init(&run.output, config, options, previous);
    bool is_good = prepare_run(&run, start, error);
    if (is_good) {
        is_good = begin_steps(&run, error);
        while (continues(&run, &is_good, error))
            is_good = advance_run(&run, error);
        is_good = is_good && submit_last_state(&run, error);
        if (run.stop.reason == STOP_NONE)
            continues(&run, &is_good, error); /* the last frame may meet the condition of --until */
        is_good = end_run(&run, is_good, error);
        *stop = run.stop;
    }
    if (summary)
        *summary = run.output.summary;
    pipeline_free(&run.output, error);
    engine_free(run.engine);
    return is_good;
}
