/* --convert: frames of a file, passed to the outputs of a run. The rest of the run is known from its configuration,
 * which HDF5 carries. For CSV a configuration can be given; without one, only formats that need none are written.
 *
 * HDF5 holds the numbers of the run, or numbers rounded to float32. CSV holds decimal numbers: if there is a
 * configuration, they are rounded to its arithmetic, and enough digits reproduce the numbers of the run.
 */
#include "convert.h"

#include "cli/options/config_from_options.h"
#include "cli/output/pipeline.h"
#include "engine/engine.h"
#include "measure/measure.h"
#include "platform/signals.h"
#include "terminal_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Selection of frames, as a run writes them: the first one from a step on, those at multiples of `every` after it, and
 * the last one. One frame is read ahead, because only then it is known if the current one is the last. */

struct frame_selection {
    struct interval steps;       /* steps that are selected; to be set before it is opened, as is_strict */
    bool is_strict;              /* the last frame is not selected either if it is before the first step */
    bool has_first;              /* the first selected frame was read */
    struct snapshot frame;       /* current */
    struct frame_reader *frames; /* source */
    struct snapshot ahead;       /* the next one; if there is none, the current one is the last */
    enum frame_reader_status found_ahead;
};

/* The first frame from the first step on, then multiples of `every`, and the last one. */
static bool is_wanted(struct frame_selection *selection)
{
    const uint64_t step = selection->frame.step;
    const bool is_last = selection->found_ahead == FRAME_READER_END;
    if (step < selection->steps.first)
        return is_last && !selection->is_strict;
    const bool is_first = !selection->has_first;
    selection->has_first = true;
    return is_first || is_last || step % selection->steps.every == 0;
}

static bool read_ahead(struct frame_selection *selection, struct fault *fault)
{
    selection->found_ahead = frame_reader_next(selection->frames, &selection->ahead, fault);
    return selection->found_ahead != FRAME_READER_FAULT;
}

static bool frame_selection_open(struct frame_selection *selection, const char *path, struct fault *fault)
{
    selection->frames = frame_reader_open(path, fault);
    return selection->frames && read_ahead(selection, fault);
}

static enum frame_reader_status frame_selection_next(struct frame_selection *selection, struct fault *fault)
{
    while (selection->found_ahead == FRAME_READER_FRAME) {
        const struct snapshot spent = selection->frame;
        selection->frame = selection->ahead;
        selection->ahead = spent;
        if (!read_ahead(selection, fault))
            return FRAME_READER_FAULT;
        if (is_wanted(selection))
            return FRAME_READER_FRAME;
    }
    return selection->found_ahead;
}

static void frame_selection_close(struct frame_selection *selection)
{
    snapshot_free(&selection->frame);
    snapshot_free(&selection->ahead);
    frame_reader_close(selection->frames);
    selection->frames = NULL;
}

static bool frame_selection_count(const struct frame_selection *request, const char *path, uint64_t *count,
                                  struct fault *fault)
{
    struct frame_selection selection = {.steps = request->steps, .is_strict = request->is_strict};
    enum frame_reader_status found = FRAME_READER_FAULT;
    *count = 0;
    if (frame_selection_open(&selection, path, fault))
        while ((found = frame_selection_next(&selection, fault)) == FRAME_READER_FRAME)
            ++*count;
    frame_selection_close(&selection);
    return found == FRAME_READER_END;
}

/* The conversion. */

struct conversion {
    const struct options *options;
    struct configure_source source; /* facts about the file */
    struct frame_selection selection;
    struct snapshot start; /* initial state of the run; empty if the file does not have it */
    struct pipeline output;
    struct engine *engine;            /* NULL: numbers are not rounded */
    struct trajectory_measured *rows; /* observables that are copied; NULL: none are */
    enum frame_reader_status found_row;
    uint64_t row_step, rows_read;
    double row[MEASURE_COUNT];
    uint64_t next_change; /* step after which the radii of the schedule change */
};

static const char *name_of(const struct conversion *c)
{
    return c->options->convert;
}

/* Requests. */

static bool wants_config(enum trajectory_format format)
{
    return format == TRAJECTORY_XYZ || format == TRAJECTORY_HDF5 || format == TRAJECTORY_OBSERVABLES;
}

static bool check_needs(const struct conversion *c, const struct atomic_file *part,
                        enum trajectory_format format, struct fault *fault)
{
    const bool has_positions = frame_reader_fields(c->selection.frames) & FRAME_READER_POSITION;
    if (wants_config(format) && !c->source.has_config)
        return fault_refuse(fault,
                            "%s carries no configuration, which %s needs; give the run's own with --config",
                            name_of(c), part->given);
    /* HDF5 also holds the initial state, which is not known then. XYZ needs positions only (targets.c). */
    return format == TRAJECTORY_XYZ || !wants_config(format) || c->source.is_whole || !c->source.is_text ||
           fault_refuse(fault, "%s holds the %s alone; %s needs positions and velocities", name_of(c),
                        has_positions ? "position" : "velocity", part->given);
}

static bool choose_places(struct conversion *c, const struct config *config, struct fault *fault)
{
    if (!targets_choose(&c->output.targets, c->options, config, name_of(c), fault))
        return false;
    for (size_t i = 0; i < c->output.targets.count; i++)
        if (!check_needs(c, &c->output.targets.list[i].part, c->output.targets.list[i].format, fault))
            return false;
    return true;
}

/* A CSV file may lack the positions or the velocities; the outputs lack them, too. */
static bool take_fields(struct conversion *c, struct config *config, struct fault *fault)
{
    const unsigned fields = frame_reader_fields(c->selection.frames);
    if (!c->source.is_text)
        return true;
    c->source.is_whole = fields == (FRAME_READER_POSITION | FRAME_READER_VELOCITY);
    if (!(fields & FRAME_READER_POSITION))
        config->output.fields &= ~(uint32_t)CONFIG_POSITION;
    if (!(fields & FRAME_READER_VELOCITY))
        config->output.fields &= ~(uint32_t)CONFIG_VELOCITY;
    return config->output.fields != 0 ||
           fault_refuse(fault, "output.fields asks for more than %s holds, which is the %s", name_of(c),
                        fields & FRAME_READER_POSITION ? "position" : "velocity");
}

/* The first line of matrix text says how many there are. */
static bool count_frames(struct conversion *c, struct fault *fault)
{
    for (size_t i = 0; i < c->output.targets.count; i++)
        if (c->output.targets.list[i].format == TRAJECTORY_MATRIX)
            return frame_selection_count(&c->selection, name_of(c), &c->output.about.frames, fault);
    return true;
}

/* Before the first frame is written. */

static bool take_first(struct conversion *c, struct fault *fault)
{
    const enum frame_reader_status found = frame_selection_next(&c->selection, fault);
    if (found == FRAME_READER_END && c->selection.frame.ids)
        return fault_refuse(fault, "%s: its last step is %" PRIu64 "; --first is %" PRIu64, name_of(c),
                            c->selection.frame.step, c->selection.steps.first);
    return found == FRAME_READER_FRAME || fault_refuse(fault, "%s: there are no frames in it", name_of(c));
}

/* Round decimal numbers to the arithmetic of the run. */
static bool round_state(struct conversion *c, const struct snapshot *state, struct agent *rounded,
                        struct fault *fault)
{
    size_t misfit;
    if (!engine_set(c->engine, state->agents, state->step, &misfit, fault))
        return fault_refuse(fault, "%s: step %" PRIu64 ": id %" PRId32 " has a number that %s cannot hold",
                            name_of(c), state->step, state->ids[misfit], c->output.about.arithmetic);
    if (rounded)
        engine_get(c->engine, rounded);
    return true;
}

static bool make_engine(struct conversion *c, const struct config *config, struct fault *fault)
{
    const struct flock_model *model = &config->model;
    c->engine = engine_create(model, model->boid_count, model->predator_count, 1, fault);
    const struct snapshot *start = c->start.ids ? &c->start : &c->selection.frame;
    if (!c->engine || !round_state(c, start, c->start.agents, fault))
        return false;
    c->output.about.initial_hash = engine_hash(c->engine);
    return true;
}

static bool read_row(struct conversion *c, struct fault *fault)
{
    c->found_row = trajectory_measured_next(c->rows, &c->row_step, c->row, fault);
    c->rows_read++;
    return c->found_row != FRAME_READER_FAULT;
}

static bool open_rows(struct conversion *c, struct fault *fault)
{
    if (!c->output.measure || !c->source.copies_observables)
        return true;
    c->rows = trajectory_measured_open(name_of(c), measure_names, MEASURE_COUNT, fault);
    return c->rows && read_row(c, fault);
}

/* Initial state: in HDF5 separate or in a frame, in text the first frame. */
static bool read_start(struct conversion *c, const struct config *config, struct fault *fault)
{
    const bool is_kept = config->init_steps == CONFIG_KEPT;
    struct fault reason = {0};
    if (c->source.is_text)
        return !c->source.has_config || !(is_kept || c->selection.ahead.step == 0) ||
               snapshot_copy(&c->start, &c->selection.ahead, fault);
    if (!trajectory_read_start(&c->start, name_of(c), c->source.is_rounded, is_kept, &reason))
        snapshot_free(&c->start);
    return reason.status != FAULT_FAILED || fault_fail(fault, "%s", reason.sentence);
}

/* Adapt the configuration to the selected frames: that of a run that would have written and measured them. */
static void follow_frames(struct conversion *c, struct config *config, uint64_t start)
{
    struct config_output *output = &config->output;
    if (c->selection.frame.step > start)
        output->first = c->selection.frame.step;
    if (!c->source.copies_observables && output->observables_every % output->every != 0)
        output->observables_every = output->every;
}

static void describe(struct conversion *c, const struct config *config, uint64_t start)
{
    struct trajectory_about *about = &c->output.about;
    pipeline_describe(&c->output, start);
    about->initial_hash = c->source.initial_hash;
    if (c->start.ids && !metadata_holds_start(config, start))
        about->initial = &c->start;
    about->is_rounded = about->is_rounded && !c->source.is_rounded;
    /* Without rows to copy, only frames can be measured. */
    if (!c->source.copies_observables)
        about->measured_steps.first = about->frame_steps.first;
}

static bool prepare(struct conversion *c, struct config *config, struct fault *fault)
{
    if (!read_start(c, config, fault) || !take_first(c, fault))
        return false;
    const struct snapshot *frame = &c->selection.frame;
    const bool is_kept = config->init_steps == CONFIG_KEPT;
    /* An initial state of other agents belongs to another run. */
    if (c->source.is_whole && (c->start.boids != frame->boids || c->start.predators != frame->predators))
        snapshot_free(&c->start);
    const uint64_t start = c->start.ids ? c->start.step : is_kept ? frame->step : 0;
    follow_frames(c, config, start);
    /* Boids that are left out of the file were part of the run, too. */
    if ((c->source.is_whole && !configure_counts(config, frame, fault)) ||
        !pipeline_prepare(&c->output, frame->ids, frame->boids, frame->predators,
                          frame->boids + frame->predators, 1, fault))
        return false;
    describe(c, config, start);
    if (!count_frames(c, fault))
        return false;
    const bool is_made_anew =
        c->source.has_config && (c->source.is_text ? c->source.is_whole : !c->source.has_hash);
    return (!is_made_anew || make_engine(c, config, fault)) && open_rows(c, fault);
}

/* Frames. */

static bool check_agents(const struct conversion *c, struct fault *fault)
{
    const struct snapshot *frame = &c->selection.frame;
    const bool is_same =
        frame->boids == c->output.boids && frame->predators == c->output.predators &&
        memcmp(frame->ids, c->output.ids, (frame->boids + frame->predators) * sizeof *c->output.ids) == 0;
    return is_same ||
           fault_fail(fault,
                      "%s: step %" PRIu64 " has other boids or predators than the frames before it; "
                      "the file may have been cut short",
                      name_of(c), frame->step);
}

static bool is_measured(const struct conversion *c)
{
    return interval_contains(c->output.about.measured_steps, c->selection.frame.step) ||
           c->selection.found_ahead == FRAME_READER_END;
}

/* As in a run, the radii of the schedule also count flocks and pairs, from the next frame on. */
static bool follow_schedule(struct conversion *c, const struct config *config, struct fault *fault)
{
    const uint64_t step = c->selection.frame.step;
    if (step <= c->next_change)
        return true;
    struct config *changed = malloc(sizeof *changed);
    if (!changed)
        return fault_fail(fault, "there is no memory for a configuration");
    const bool is_good = config_schedule_apply(changed, config, step - 1, fault) &&
                         pipeline_measure(&c->output, &changed->model, fault);
    c->next_change = config_schedule_next(config, step);
    free(changed);
    return is_good;
}

/* Rows are selected like frames: the first one, then multiples of the interval. */
static bool is_row_wanted(const struct conversion *c)
{
    return c->rows_read == 1 || c->row_step % c->output.about.measured_steps.every == 0;
}

static bool has_row_at(const struct conversion *c, uint64_t step)
{
    return c->rows && c->found_row == FRAME_READER_FRAME && c->row_step == step;
}

/* Copy the rows before a step. */
static bool copy_rows(struct conversion *c, uint64_t before, struct fault *fault)
{
    double chosen[MEASURE_COUNT];
    while (c->rows && c->found_row == FRAME_READER_FRAME && c->row_step < before) {
        const struct frame row = {.step = c->row_step, .observables = chosen};
        observable_set_copy(&c->output.observables, c->row, chosen);
        if (is_row_wanted(c) && !writers_write(&c->output.writers, &row, fault))
            return false;
        if (!read_row(c, fault))
            return false;
    }
    return true;
}

static bool write_frame(struct conversion *c, const struct config *config, struct fault *fault)
{
    const struct snapshot *frame = &c->selection.frame;
    if (!check_agents(c, fault) || !copy_rows(c, frame->step, fault))
        return false;
    if (!c->output.writer)
        return true;
    const bool has_row = has_row_at(c, frame->step);
    const struct frame_task request = {
        .step = frame->step,
        .is_written = true,
        .is_measured = c->output.measure && (is_measured(c) || (has_row && is_row_wanted(c))),
        .observables = has_row ? c->row : NULL,
    };
    if (request.is_measured && !has_row && !follow_schedule(c, config, fault))
        return false;
    struct agent *agents = frame_writer_buffer(c->output.writer);
    if (!c->engine)
        memcpy(agents, frame->agents, (frame->boids + frame->predators) * sizeof *agents);
    else if (!round_state(c, frame, agents, fault))
        return false;
    return frame_writer_submit(c->output.writer, &request, fault) && (!has_row || read_row(c, fault));
}

static bool write_frames(struct conversion *c, const struct config *config, bool *is_complete,
                         struct fault *fault)
{
    enum frame_reader_status found = FRAME_READER_FRAME;
    while (found == FRAME_READER_FRAME && signals_stop_reason().reason == STOP_NONE &&
           !writers_are_closed(&c->output.writers)) {
        if (!write_frame(c, config, fault))
            return false;
        found = frame_selection_next(&c->selection, fault);
    }
    *is_complete = found == FRAME_READER_END;
    /* A run that was killed may have measured more than it wrote. */
    return found != FRAME_READER_FAULT && (!*is_complete || copy_rows(c, UINT64_MAX, fault));
}

static void report_stop(const struct conversion *c)
{
    if (!c->options->is_quiet)
        terminal_print(stderr, "boids: stopped at step %" PRIu64 " of %s; what was written is kept\n",
                       c->selection.frame.step, name_of(c));
}

static bool write_and_close(struct conversion *c, const struct config *config, struct stop *stop,
                            struct fault *fault)
{
    bool is_complete = false;
    const bool is_good = write_frames(c, config, &is_complete, fault);
    if (!writers_close(&c->output.writers, is_complete, fault) || !is_good) {
        /* A refusal at this point has started outputs, so it is a failure. */
        fault->status = FAULT_FAILED;
        return false;
    }
    if (!is_complete)
        *stop = signals_stop_reason();
    if (stop->reason != STOP_NONE)
        report_stop(c);
    return true;
}

static bool convert_with(struct conversion *c, struct config *config, struct stop *stop, struct fault *fault)
{
    if (!configure_source(config, &c->source, c->options, fault))
        return false;
    const uint64_t first = c->options->first, configured = config->output.first;
    c->selection.steps = (struct interval){first > configured ? first : configured, config->output.every};
    c->selection.is_strict = c->options->has_first;
    c->next_change = config_schedule_next(config, 0);
    return frame_selection_open(&c->selection, name_of(c), fault) && take_fields(c, config, fault) &&
           choose_places(c, config, fault) && prepare(c, config, fault) && pipeline_open(&c->output, fault) &&
           write_and_close(c, config, stop, fault);
}

bool convert_run(const struct options *options, struct stop *stop, struct fault *fault)
{
    struct config *config = malloc(sizeof *config);
    struct conversion c = {.options = options, .output = {.config = config, .options = options}};
    const bool is_good = config ? convert_with(&c, config, stop, fault)
                                : fault_fail(fault, "there is no memory for a configuration");
    pipeline_free(&c.output, fault);
    trajectory_measured_close(c.rows);
    frame_selection_close(&c.selection);
    snapshot_free(&c.start);
    engine_free(c.engine);
    free(config);
    return is_good;
}
