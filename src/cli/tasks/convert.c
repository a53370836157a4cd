/* --convert: passes the frames of a file, instead of the frames of a run, to the outputs (cli/output/pipeline.h). An HDF5
 * file contains the configuration of its run. A CSV file does not: --config gives it to formats that need it.
 *
 * HDF5 contains the exact numbers of the run, or numbers rounded to float32. CSV contains decimal numbers. If there
 * is a configuration, the decimal numbers are rounded to its arithmetic. This gives exactly the numbers of the run if
 * the file has enough digits.
 */
#include "tasks.h"

#include "base/terminal_text.h"
#include "cli/options/configure.h"
#include "cli/output/pipeline.h"
#include "config/keys.h"
#include "engine/engine.h"
#include "measure/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The selected frames follow the same rule as in a run: the first frame at or after a given step, then the frames at
 * multiples of `every`, and the last frame. One frame is read ahead, so that it is known whether the current frame
 * is the last one. */

struct selected_frames {
    struct interval steps; /* set by the caller before the file is opened, like `earliest` */
    uint64_t earliest; /* the last frame is selected from this step on, even if it is before the first step */
    bool has_first;    /* the first selected frame was read */
    struct frame frame;          /* current frame */
    struct frame_reader *reader; /* source of the frames */
    struct frame ahead;          /* the next frame; if there is none, the current frame is the last one */
    enum frame_reader_status found_ahead;
    struct error fault;        /* why the next frame cannot be read; the current one is passed on before */
    struct pipeline *follower; /* unwrapped paths follow the frames that are left out; NULL: there are none */
};

static bool open_source(struct selected_frames *frames, const char *path, struct error *error)
{
    frames->reader = frame_reader_open(path, error);
    if (frames->reader)
        frames->found_ahead = frame_reader_next(frames->reader, &frames->ahead, &frames->fault);
    return frames->reader;
}

/* Submit a frame, whose agents must be those of the outputs. */
static bool submit(struct pipeline *output, const struct frame *frame, const struct frame_task *task,
                   struct error *error)
{
    memcpy(pipeline_buffer(output), frame->agents,
           (output->boids + output->predators) * sizeof *frame->agents);
    return pipeline_submit(output, task, error);
}

static bool check_agents(const struct pipeline *output, const struct frame *frame, struct error *error)
{
    return (frame->boids == output->boids && frame->predators == output->predators &&
            memcmp(frame->ids, output->ids, (frame->boids + frame->predators) * sizeof *frame->ids) == 0) ||
           error_fail(error,
                      "%s: step %" PRIu64 " has other boids or predators than the frames before it; "
                      "the file may have been cut short",
                      output->options->convert, frame->step);
}

static enum frame_reader_status next_selected_frame(struct selected_frames *frames, struct error *error)
{
    while (frames->found_ahead == FRAME_READER_FRAME) {
        const struct frame previous = frames->frame;
        frames->frame = frames->ahead;
        frames->ahead = previous;
        frames->found_ahead = frame_reader_next(frames->reader, &frames->ahead, &frames->fault);
        const struct frame_task task = {.step = frames->frame.step, .is_followed = true};
        const bool is_last = frames->found_ahead == FRAME_READER_END;
        const bool is_early = task.step < frames->steps.first;
        if (is_early ? is_last && task.step >= frames->earliest
                     : !frames->has_first || is_last || task.step % frames->steps.every == 0) {
            frames->has_first = true;
            return FRAME_READER_FRAME;
        }
        if (frames->follower && !(check_agents(frames->follower, &frames->frame, error) &&
                                  submit(frames->follower, &frames->frame, &task, error)))
            return FRAME_READER_ERROR;
    }
    if (frames->found_ahead == FRAME_READER_ERROR)
        *error = frames->fault;
    return frames->found_ahead;
}

static void close_source(struct selected_frames *frames)
{
    frame_free(&frames->frame);
    frame_free(&frames->ahead);
    frame_reader_close(frames->reader);
}

/* The conversion. */

struct conversion {
    const struct options *options;
    const char *name; /* name of the file */
    struct config config;
    struct configure_source source; /* facts about the file */
    struct selected_frames frames;
    struct frame start; /* initial state of the run; empty if the file does not have it */
    struct pipeline output;
    bool is_rounding;                   /* numbers are rounded to the arithmetic of the run */
    struct measured_row row;            /* the next row of observables that is copied */
    double values[MEASURE_COUNT];       /* its values */
    enum frame_reader_status found_row; /* FRAME_READER_END: there are no more rows, or none are copied */
    uint64_t rows_read, frames_written, rows_written;
};

/* Outputs. */

/* Observables are copied if the file contains all of them; else they are measured, if that is possible. */
static void choose_observables(struct conversion *c)
{
    const struct frame_contents *contents = frame_reader_contents(c->frames.reader);
    if (c->source.is_whole && c->config.output.observables & ~contents->observables)
        c->source.copies_observables = false;
    if (*contents->unknown_names && c->config.output.observables && !c->options->is_quiet)
        terminal_print(stderr, "boids: note: %s: its other observables are left out: %s\n", c->name,
                       contents->unknown_names);
}

static bool choose_targets(struct conversion *c, struct error *error)
{
    const unsigned fields = frame_reader_contents(c->frames.reader)->fields;
    const char *only = fields & CONFIG_POSITION ? "position" : "velocity";
    struct config_output *output = &c->config.output;
    c->source.is_unwrapped = fields & CONFIG_UNWRAPPED;
    /* If a CSV file lacks the positions or the velocities, the outputs lack them as well. */
    if (c->source.is_text) {
        c->source.is_whole = fields == CONFIG_ALL_FIELDS;
        output->fields &= fields | CONFIG_UNWRAPPED;
        if (output->fields == 0)
            return error_refuse(
                error, "output.fields names a field that %s does not contain; it contains only the %s",
                c->name, only);
    }
    if (!targets_choose(&c->output.targets, c->options, &c->config, c->name, error))
        return false;
    FOR_EACH_TARGET (target, &c->output.targets) {
        const unsigned flags = trajectory_format_rows[target->format].flags;
        if ((flags & FORMAT_NEEDS_CONFIG || output->fields & CONFIG_UNWRAPPED) && !c->source.has_config)
            return error_refuse(
                error,
                "%s contains no configuration, which %s needs; give that of the run with --config FILE",
                c->name, target->part.given);
        /* The initial state, which HDF5 also stores, is unknown in this case. */
        if (flags & FORMAT_NEEDS_STATE && c->source.is_text && !c->source.is_whole)
            return error_refuse(error, "%s contains only the %s; %s needs positions and velocities", c->name,
                                only, target->part.given);
    }
    return true;
}

/* Read the frames once more if it must be known how many are selected, or how the paths come to the first one. */
static bool read_in_advance(struct conversion *c, struct error *error)
{
    struct selected_frames frames = {
        .steps = c->frames.steps, .earliest = c->frames.earliest, .follower = c->frames.follower};
    enum frame_reader_status found = FRAME_READER_ERROR;
    struct error later = {0}; /* of a frame that will be read again, and reported then */
    struct stat status;
    bool is_counted = false;
    FOR_EACH_TARGET (target, &c->output.targets)
        is_counted |= trajectory_format_rows[target->format].flags & FORMAT_NEEDS_FRAME_COUNT;
    if (!is_counted && !(frames.follower && frames.steps.first > 0))
        return true;
    if (stat(c->name, &status) == 0 && !S_ISREG(status.st_mode))
        return error_refuse(
            error, "%s is a stream, but must be read twice for these outputs; save it to a file first",
            c->name);
    if (open_source(&frames, c->name, error))
        found = next_selected_frame(&frames, error);
    const bool is_good = found != FRAME_READER_ERROR;
    frames.follower = NULL;
    if (is_counted)
        for (c->output.metadata.frames = 0; found == FRAME_READER_FRAME; c->output.metadata.frames++)
            found = next_selected_frame(&frames, &later);
    close_source(&frames);
    return is_good;
}

/* Before the first frame is written. */

/* Initial state: in HDF5 it is stored separately or as a frame; in text it is the first frame. It keeps the agents that
 * are absent from it. */
static bool read_initial_state(struct conversion *c, struct error *error)
{
    const bool is_kept = c->config.init_steps == CONFIG_KEPT;
    struct error reason = {0};
    if (c->source.is_text || (c->source.is_whole && !c->source.is_rounded && c->frames.ahead.step == 0))
        return !c->source.has_config || !(is_kept || c->frames.ahead.step == 0) ||
               frame_copy(&c->start, &c->frames.ahead, error);
    if (!trajectory_read_start(&c->start,
                               (struct frame_request){.path = c->name,
                                                      .wants_initial = is_kept,
                                                      .is_rounded = c->source.is_rounded,
                                                      .is_as_stored = true},
                               &reason))
        frame_free(&c->start);
    return reason.status != ERROR_FAILED || error_fail(error, "%s", reason.sentence);
}

/* Round decimal numbers to the arithmetic of the run. */
static bool round_state(struct conversion *c, struct frame *state, struct error *error)
{
    size_t misfit;
    return engine_round(c->config.model.arithmetic, state->agents, state->boids + state->predators,
                        &misfit) ||
           error_refuse(error,
                        "%s: step %" PRIu64 ": id %" PRId32
                        " has a number that is not finite or that %s cannot hold",
                        c->name, state->step, state->ids[misfit], c->output.metadata.arithmetic);
}

static void wrap(const struct conversion *c, struct frame *frame)
{
    for (size_t i = 0; c->source.is_unwrapped && i < frame->boids + frame->predators; i++)
        agent_wrap(&frame->agents[i], &c->config.model.world);
}

/* Copy the agents of a state that are present. Free `present` in any case. */
static bool copy_present(const struct conversion *c, struct frame *present, const struct frame *state,
                         struct error *error)
{
    const bool is_good = frame_copy(present, state, error) && frame_keep_present(present, c->name, error);
    wrap(c, present);
    return is_good;
}

/* Compute the hash of the initial state, if the file lacks it. */
static bool hash_initial_state(struct conversion *c, struct error *error)
{
    struct frame *start = c->start.ids ? &c->start : &c->frames.frame, present = {0};
    struct engine *engine = NULL;
    size_t unused;
    c->is_rounding =
        c->source.is_whole &&
        (c->source.is_text ? c->source.has_config : !frame_reader_contents(c->frames.reader)->has_hash);
    if (!c->is_rounding)
        return true;
    bool is_good = round_state(c, start, error) && copy_present(c, &present, start, error);
    if (is_good && present.boids > 0) {
        engine =
            engine_create(&c->config.model, (uint32_t)present.boids, (uint32_t)present.predators, 1, error);
        is_good = engine && engine_set(engine, present.agents, present.step, &unused, error);
    }
    if (is_good && engine)
        c->output.metadata.initial_hash = engine_hash(engine);
    engine_free(engine);
    frame_free(&present);
    return is_good;
}

static bool read_measured_row(struct conversion *c, struct error *error)
{
    c->found_row = frame_reader_next_measured(c->frames.reader, &c->row, error);
    c->rows_read++;
    return c->found_row != FRAME_READER_ERROR;
}

/* Change the configuration to that of a run that would have written and measured the selected frames. */
static bool prepare_conversion(struct conversion *c, struct error *error)
{
    const struct frame *frame = &c->frames.frame;
    struct config_output *output = &c->config.output;
    struct trajectory_metadata *metadata = &c->output.metadata;
    if (!read_initial_state(c, error))
        return false;
    const enum frame_reader_status found = next_selected_frame(&c->frames, error);
    if (found == FRAME_READER_END && frame->ids)
        return error_refuse(error, "%s: its last step is %" PRIu64 "; --first is %" PRIu64, c->name,
                            frame->step, c->frames.earliest);
    if (found != FRAME_READER_FRAME)
        return error_refuse(error, "%s: contains no frames", c->name);
    /* If the agents of the initial state and of the frames differ, the initial state belongs to another run. */
    if (c->source.is_whole && (c->start.boids != frame->boids || c->start.predators != frame->predators))
        frame_free(&c->start);
    const uint64_t start = c->start.ids                          ? c->start.step
                           : c->config.init_steps == CONFIG_KEPT ? frame->step
                                                                 : 0;
    /* A run that ended before output.first wrote only its last frame. */
    if (frame->step > start && frame->step >= c->frames.steps.first)
        output->first = frame->step;
    if (!c->source.copies_observables && output->observables_every % output->every != 0) {
        if (config_value_is_option(&c->config, config_key_find("output.observables_every")))
            return error_refuse(
                error,
                "output.observables_every is %" PRIu64 ", but what %s does not contain is measured "
                "from the written frames, every %" PRIu64 " steps; it must be a multiple of that",
                output->observables_every, c->name, output->every);
        output->observables_every = output->every;
    }
    /* The run also had the boids that are not in the file, so the configuration keeps its numbers of agents. */
    if ((c->source.is_whole && !configure_counts(&c->config, frame, error)) ||
        !pipeline_prepare(&c->output, frame->ids, frame->boids, frame->predators, start, 1, error))
        return false;
    metadata->initial_hash = frame_reader_contents(c->frames.reader)->initial_hash;
    metadata->origin = frame_reader_contents(c->frames.reader)->origin;
    if (c->start.ids && !pipeline_has_initial_state(&c->config, start))
        metadata->initial = &c->start;
    metadata->is_rounded = metadata->is_rounded && !c->source.is_rounded;
    /* If the file has no observables to copy, they are measured from the frames. */
    if (!c->source.copies_observables)
        metadata->measured_steps.first = metadata->frame_steps.first;
    if (c->output.paths && !c->source.is_unwrapped)
        c->frames.follower = &c->output;
    if (!read_in_advance(c, error) || !hash_initial_state(c, error))
        return false;
    if (!c->output.measure || !c->source.copies_observables)
        return true;
    c->row = (struct measured_row){.names = measure_names, .count = MEASURE_COUNT, .values = c->values};
    return read_measured_row(c, error);
}

/* Frames. */

/* Rows of observables are selected by the same rule as frames: the first one, then multiples of the interval. */
static bool has_selected_observables(const struct conversion *c)
{
    return c->rows_read == 1 || c->row.step % c->output.metadata.measured_steps.every == 0;
}

/* Copy the rows of observables of all steps before this one. */
static bool copy_observables_before(struct conversion *c, uint64_t before, struct error *error)
{
    while (c->found_row == FRAME_READER_FRAME && c->row.step < before) {
        const struct frame_task row = {.step = c->row.step, .is_measured = true, .values = c->values};
        const bool is_selected = has_selected_observables(c);
        c->rows_written += is_selected;
        if ((is_selected && !pipeline_submit(&c->output, &row, error)) || !read_measured_row(c, error))
            return false;
    }
    return true;
}

/* The observables of a frame are those of its present agents. */
static bool measure_present(struct conversion *c, double values[MEASURE_COUNT], struct error *error)
{
    struct frame present = {0};
    const bool is_good = copy_present(c, &present, &c->frames.frame, error);
    if (is_good)
        pipeline_measure(&c->output, &present, values);
    frame_free(&present);
    return is_good;
}

static bool write_selected_frame(struct conversion *c, struct error *error)
{
    struct frame *frame = &c->frames.frame;
    const bool is_last = c->frames.found_ahead == FRAME_READER_END;
    if (!check_agents(&c->output, frame, error) || !copy_observables_before(c, frame->step, error))
        return false;
    if (c->output.targets.count == 0 && !c->output.measure)
        return true;
    const bool has_row = c->found_row == FRAME_READER_FRAME && c->row.step == frame->step;
    const bool is_measured = is_last || interval_contains(c->output.metadata.measured_steps, frame->step) ||
                             (has_row && has_selected_observables(c));
    double measured[MEASURE_COUNT];
    const struct frame_task task = {
        .step = frame->step,
        .is_written = true,
        .is_followed = !c->source.is_unwrapped,
        .is_measured = c->output.measure && is_measured && (has_row || c->source.is_whole),
        .values = has_row ? c->values : measured,
        .hash = frame->hash,
        .hash_format = c->is_rounding || c->source.is_unwrapped ? 0 : frame->hash_format,
    };
    c->frames_written++;
    c->rows_written += task.is_measured;
    if ((c->is_rounding && !round_state(c, frame, error)) ||
        (task.is_measured && !has_row && !measure_present(c, measured, error)))
        return false;
    if (!c->output.paths)
        wrap(c, frame);
    return submit(&c->output, frame, &task, error) && (!has_row || read_measured_row(c, error));
}

static bool convert_frames(struct conversion *c, struct stop *stop, struct error *error)
{
    const struct config_output *output = &c->config.output;
    if (!configure_source(&c->config, &c->source, c->options, error))
        return false;
    c->frames.steps = (struct interval){c->options->first > output->first ? c->options->first : output->first,
                                        output->every};
    c->frames.earliest = c->options->first;
    if (!open_source(&c->frames, c->name, error))
        return false;
    choose_observables(c);
    if (!choose_targets(c, error) || !prepare_conversion(c, error) ||
        !targets_open(&c->output.targets, c->options, &c->output.metadata, error))
        return false;
    enum frame_reader_status found = FRAME_READER_FRAME;
    while (found == FRAME_READER_FRAME && stop_state().reason == STOP_NONE && !c->output.has_no_reader)
        found = write_selected_frame(c, error) ? next_selected_frame(&c->frames, error) : FRAME_READER_ERROR;
    const bool is_complete = found == FRAME_READER_END;
    /* If the run was killed, its file may contain observables of steps after the last frame. */
    const bool is_good =
        found != FRAME_READER_ERROR && (!is_complete || copy_observables_before(c, UINT64_MAX, error));
    if (!targets_close(&c->output.targets, is_complete, error) || !is_good) {
        /* Outputs have been started, so a refusal counts as a failure (status 1). */
        if (!c->output.targets.would_replace_other_run)
            error->status = ERROR_FAILED;
        return false;
    }
    if (!is_complete)
        *stop = stop_state();
    else if (!c->options->is_quiet && isatty(STDERR_FILENO))
        targets_report(&c->output.targets, c->frames_written, c->rows_written);
    if (stop->reason != STOP_NONE && !c->options->is_quiet)
        terminal_print(stderr,
                       "boids: stopped at step %" PRIu64 " of %s; the frames written so far are kept\n",
                       c->frames.frame.step, c->name);
    return true;
}

bool convert_run(const struct options *options, struct stop *stop, struct error *error)
{
    struct conversion c = {.options = options, .name = options->convert};
    pipeline_init(&c.output, &c.config, options, NULL);
    const bool is_good = convert_frames(&c, stop, error);
    pipeline_free(&c.output, error);
    close_source(&c.frames);
    frame_free(&c.start);
    return is_good;
}
