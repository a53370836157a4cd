/* A run's outputs from a run's frames. All that a run knows beside its frames is in its configuration, which HDF5 carries;
 * for CSV it can be given, and without it only what needs none is written.
 *
 * The numbers of HDF5 are the run's own, or rounded to float32. Those of CSV are decimal: where there is a configuration
 * they become numbers of its arithmetic once more, and enough digits give the run's own back.
 */
#include "convert.h"

#include "cli/files/selection.h"
#include "cli/frames/about.h"
#include "cli/frames/outputs.h"
#include "cli/frames/places.h"
#include "cli/options/choice.h"
#include "cli/options/configure.h"
#include "cli/system/interrupt.h"
#include "engine/engine.h"
#include "measure/measure.h"
#include "tidy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conversion {
    const struct options *options;
    struct configure_source source; /* what the file carries, or was given with it */
    struct selection selection;
    struct snapshot start; /* what the run began with; empty where the file does not say */
    struct places places;
    struct outputs outputs;
    struct trajectory_about about;
    char *config_text;
    int32_t *ids;            /* who is in the first frame, and has to be in all */
    size_t boids, predators; /* likewise */
    struct agent *agents;    /* of the frame in hand, as they are written */
    struct roster *roster;   /* who of them are */
    char some_boids[CONFIG_VALUE_TEXT_SIZE];
    struct engine *engine;            /* NULL: numbers are taken as they are */
    struct choice choice;             /* what is measured */
    struct measure *measure;          /* NULL: frames are not measured */
    struct trajectory_measured *rows; /* that are copied; NULL: none are */
    enum frame_reader_status found_row;
    uint64_t row_step, rows_read;
    double row[MEASURE_COUNT];
    uint64_t next_change; /* the frame behind which the schedule's radii are others */
};

static const char *name_of(const struct conversion *c)
{
    return c->options->convert;
}

/* What is asked for. */

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
    /* HDF5 also holds the initial state, which is not known then. XYZ needs positions only (places.c). */
    return format == TRAJECTORY_XYZ || !wants_config(format) || c->source.is_whole || !c->source.is_text ||
           fault_refuse(fault, "%s holds the %s alone; %s needs positions and velocities", name_of(c),
                        has_positions ? "position" : "velocity", part->given);
}

static bool choose_places(struct conversion *c, const struct config *config, struct fault *fault)
{
    if (!places_choose(&c->places, c->options, config, name_of(c), fault))
        return false;
    for (size_t i = 0; i < c->places.count; i++)
        if (!check_needs(c, &c->places.list[i].part, c->places.list[i].format, fault))
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
    for (size_t i = 0; i < c->places.count; i++)
        if (c->places.list[i].format == TRAJECTORY_MATRIX)
            return selection_count(&c->selection, name_of(c), &c->about.frames, fault);
    return true;
}

/* Before the first frame is written. */

static bool take_first(struct conversion *c, struct fault *fault)
{
    const enum frame_reader_status found = selection_next(&c->selection, fault);
    if (found == FRAME_READER_END && c->selection.frame.ids)
        return fault_refuse(fault, "%s: its last step is %" PRIu64 "; --first is %" PRIu64, name_of(c),
                            c->selection.frame.step, c->selection.steps.first);
    return found == FRAME_READER_FRAME || fault_refuse(fault, "%s: there are no frames in it", name_of(c));
}

static bool make_room(struct conversion *c, const struct config *config, struct fault *fault)
{
    const struct snapshot *frame = &c->selection.frame;
    const size_t agents = frame->boids + frame->predators;
    c->ids = malloc(agents * sizeof *c->ids);
    c->agents = malloc(agents * sizeof *c->agents);
    c->config_text = config_print_stored(config);
    if (!c->ids || !c->agents || !c->config_text)
        return fault_fail(fault, "there is no memory for %zu boids and predators", agents);
    memcpy(c->ids, frame->ids, agents * sizeof *c->ids);
    c->boids = frame->boids;
    c->predators = frame->predators;
    c->roster = roster_create(config, c->ids, c->boids, c->predators, fault);
    return c->roster != NULL;
}

/* Numbers of the run's arithmetic, out of decimal ones. */
static bool round_state(struct conversion *c, const struct snapshot *state, struct agent *rounded,
                        struct fault *fault)
{
    size_t misfit;
    if (!engine_set(c->engine, state->agents, state->step, &misfit, fault))
        return fault_refuse(fault, "%s: step %" PRIu64 ": id %" PRId32 " has a number that %s cannot hold",
                            name_of(c), state->step, state->ids[misfit], c->about.arithmetic);
    engine_get(c->engine, rounded);
    return true;
}

static bool make_engine(struct conversion *c, const struct config *config, struct fault *fault)
{
    const struct flock_model *model = &config->model;
    c->engine = engine_create(model, model->boid_count, model->predator_count, 1, fault);
    const struct snapshot *start = c->start.ids ? &c->start : &c->selection.frame;
    if (!c->engine || !round_state(c, start, c->start.ids ? c->start.agents : c->agents, fault))
        return false;
    c->about.initial_hash = engine_hash(c->engine);
    return true;
}

static bool read_row(struct conversion *c, struct fault *fault)
{
    c->found_row = trajectory_measured_next(c->rows, &c->row_step, c->row, fault);
    c->rows_read++;
    return c->found_row != FRAME_READER_FAULT;
}

static bool make_measure(struct conversion *c, const struct config *config, struct fault *fault)
{
    if (!places_are_measured(c->options, config))
        return true;
    if (c->source.copies_observables) {
        c->rows = trajectory_measured_open(name_of(c), measure_names, MEASURE_COUNT, fault);
        if (!c->rows || !read_row(c, fault))
            return false;
    }
    choice_make(&c->choice, config->output.observables);
    c->measure = measure_create(&config->model, fault);
    c->about.observable_names = c->choice.names;
    c->about.observable_count = c->choice.count;
    if (c->measure)
        measure_select(c->measure, c->choice.bits);
    return c->measure != NULL;
}

/* What the file says of it: HDF5 apart from its frames or with them, text with its first frame. */
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

/* The configuration of a run that would have written these frames, and measured of its own accord no other ones. */
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
    struct trajectory_about *about = &c->about;
    *about = about_configured(config, c->config_text, start);
    about_take_roster(about, config, c->roster, c->some_boids);
    about->initial_hash = c->source.initial_hash;
    if (c->start.ids && !about_holds_start(config, start))
        about->initial = &c->start;
    about->is_rounded = about->is_rounded && !c->source.is_rounded;
    /* Without rows to copy, frames are all there is to measure. */
    if (!c->source.copies_observables)
        about->measured_steps.first = about->frame_steps.first;
}

static bool prepare(struct conversion *c, struct config *config, struct fault *fault)
{
    if (!read_start(c, config, fault) || !take_first(c, fault))
        return false;
    const struct snapshot *frame = &c->selection.frame;
    const bool is_kept = config->init_steps == CONFIG_KEPT;
    /* Of others it says nothing. */
    if (c->source.is_whole && (c->start.boids != frame->boids || c->start.predators != frame->predators))
        snapshot_free(&c->start);
    const uint64_t start = c->start.ids ? c->start.step : is_kept ? frame->step : 0;
    follow_frames(c, config, start);
    /* Who is left out was flown as well. */
    if ((c->source.is_whole && !configure_counts(config, frame, fault)) || !make_room(c, config, fault))
        return false;
    describe(c, config, start);
    if (!count_frames(c, fault))
        return false;
    const bool is_made_anew =
        c->source.has_config && (c->source.is_text ? c->source.is_whole : !c->source.has_hash);
    return (!is_made_anew || make_engine(c, config, fault)) && make_measure(c, config, fault);
}

/* Frames. */

static bool check_agents(const struct conversion *c, struct fault *fault)
{
    const struct snapshot *frame = &c->selection.frame;
    const bool is_same = frame->boids == c->boids && frame->predators == c->predators &&
                         memcmp(frame->ids, c->ids, (frame->boids + frame->predators) * sizeof *c->ids) == 0;
    return is_same ||
           fault_fail(fault,
                      "%s: step %" PRIu64 " has other boids or predators than the frames before it; "
                      "the file may have been cut short",
                      name_of(c), frame->step);
}

static bool is_measured(const struct conversion *c)
{
    return interval_contains(c->about.measured_steps, c->selection.frame.step) ||
           c->selection.found_ahead == FRAME_READER_END;
}

/* As in the run: radii are also those by which flocks and pairs are counted, from the next frame on. */
static bool follow_schedule(struct conversion *c, const struct config *config, struct fault *fault)
{
    const uint64_t step = c->selection.frame.step;
    if (!c->measure || step <= c->next_change)
        return true;
    struct config *changed = malloc(sizeof *changed);
    if (!changed)
        return fault_fail(fault, "there is no memory for a configuration");
    measure_free(c->measure);
    c->measure = config_schedule_apply(changed, config, step - 1, fault)
                     ? measure_create(&changed->model, fault)
                     : NULL;
    if (c->measure)
        measure_select(c->measure, c->choice.bits);
    c->next_change = config_schedule_next(config, step);
    free(changed);
    return c->measure != NULL;
}

/* Rows are chosen like frames: the first one, then those on the grid. */
static bool is_row_wanted(const struct conversion *c)
{
    return c->rows_read == 1 || c->row_step % c->about.measured_steps.every == 0;
}

static bool has_row_at(const struct conversion *c, uint64_t step)
{
    return c->rows && c->found_row == FRAME_READER_FRAME && c->row_step == step;
}

/* Copy what was measured before a step. */
static bool copy_rows(struct conversion *c, uint64_t before, struct fault *fault)
{
    double chosen[MEASURE_COUNT];
    while (c->rows && c->found_row == FRAME_READER_FRAME && c->row_step < before) {
        const struct frame row = {.step = c->row_step, .observables = chosen};
        choice_pick(&c->choice, c->row, chosen);
        if (is_row_wanted(c) && !outputs_write(&c->outputs, &row, fault))
            return false;
        if (!read_row(c, fault))
            return false;
    }
    return true;
}

/* What the run measured of this very frame, or what is measured now. */
static bool take_observables(struct conversion *c, const struct config *config, double *observables,
                             struct fault *fault)
{
    if (has_row_at(c, c->selection.frame.step)) {
        memcpy(observables, c->row, sizeof c->row);
        return read_row(c, fault);
    }
    if (!follow_schedule(c, config, fault))
        return false;
    measure_frame(c->measure, c->agents, observables);
    return true;
}

static bool write_frame(struct conversion *c, const struct config *config, struct fault *fault)
{
    double observables[MEASURE_COUNT], chosen[MEASURE_COUNT];
    const struct snapshot *source = &c->selection.frame;
    struct frame frame = {.step = source->step, .agents = c->agents};
    if (!check_agents(c, fault) || !copy_rows(c, source->step, fault))
        return false;
    if (!c->engine)
        memcpy(c->agents, source->agents, (c->boids + c->predators) * sizeof *c->agents);
    else if (!round_state(c, source, c->agents, fault))
        return false;
    if (c->measure && (is_measured(c) || (has_row_at(c, source->step) && is_row_wanted(c)))) {
        if (!take_observables(c, config, observables, fault))
            return false;
        choice_pick(&c->choice, observables, chosen);
        frame.observables = chosen;
    }
    roster_gather(c->roster, c->agents);
    return outputs_write(&c->outputs, &frame, fault);
}

static bool write_frames(struct conversion *c, const struct config *config, bool *is_complete,
                         struct fault *fault)
{
    enum frame_reader_status found = FRAME_READER_FRAME;
    while (found == FRAME_READER_FRAME && interrupt_stop().reason == STOP_NONE &&
           !outputs_are_closed(&c->outputs)) {
        if (!write_frame(c, config, fault))
            return false;
        found = selection_next(&c->selection, fault);
    }
    *is_complete = found == FRAME_READER_END;
    /* A run that was killed may have measured more than it wrote. */
    return found != FRAME_READER_FAULT && (!*is_complete || copy_rows(c, UINT64_MAX, fault));
}

static void tell_stop(const struct conversion *c)
{
    if (!c->options->is_quiet)
        tidy_print(stderr, "boids: stopped at step %" PRIu64 " of %s; what was written is kept\n",
                   c->selection.frame.step, name_of(c));
}

static bool write_and_close(struct conversion *c, const struct config *config, struct stop *stop,
                            struct fault *fault)
{
    bool is_complete = false;
    const bool is_good = write_frames(c, config, &is_complete, fault);
    if (!outputs_close(&c->outputs, is_complete, fault) || !is_good) {
        /* What is refused halfway has begun its outputs. */
        fault->status = FAULT_FAILED;
        return false;
    }
    if (!is_complete)
        *stop = interrupt_stop();
    if (stop->reason != STOP_NONE)
        tell_stop(c);
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
    return selection_open(&c->selection, name_of(c), fault) && take_fields(c, config, fault) &&
           choose_places(c, config, fault) && prepare(c, config, fault) &&
           outputs_open(&c->outputs, &c->places, c->options, &c->about, fault) &&
           write_and_close(c, config, stop, fault);
}

bool convert_run(const struct options *options, struct stop *stop, struct fault *fault)
{
    struct conversion c = {.options = options};
    struct config *config = malloc(sizeof *config);
    const bool is_good = config ? convert_with(&c, config, stop, fault)
                                : fault_fail(fault, "there is no memory for a configuration");
    outputs_close(&c.outputs, false, fault);
    places_free(&c.places);
    selection_close(&c.selection);
    snapshot_free(&c.start);
    measure_free(c.measure);
    trajectory_measured_close(c.rows);
    engine_free(c.engine);
    free(c.config_text);
    roster_free(c.roster);
    free(c.agents);
    free(c.ids);
    free(config);
    return is_good;
}
