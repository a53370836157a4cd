/* From a configuration to what its writers are told, and from there to the outputs. */
#include "pipeline.h"

#include "cli/frames/workbench.h"
#include "config/keys.h"
#include "engine/engine.h"

#include <stdlib.h>

struct interval about_frame_steps(const struct config *config, uint64_t start)
{
    const struct config_output *output = &config->output;
    return (struct interval){output->first > start ? output->first : start, output->every};
}

bool about_holds_start(const struct config *config, uint64_t start)
{
    return !config_rounds_frames(config) && config_writes_whole_frames(config) &&
           about_frame_steps(config, start).first == start;
}

void about_take_roster(struct trajectory_about *about, const struct config *config,
                       const struct roster *roster, char some[CONFIG_VALUE_TEXT_SIZE])
{
    about->boids = roster->boids;
    about->predators = roster->predators;
    about->ids = roster->ids;
    config_value_spell(config, config_key_find("output.boids"), some);
    about->some_boids = roster->places ? some : NULL;
}

enum sync_when about_sync(const struct config *config)
{
    switch (config->output.sync) {
    case CONFIG_SYNC_NONE: return SYNC_NONE;
    case CONFIG_SYNC_FLUSH: return SYNC_FLUSH;
    case CONFIG_SYNC_END:
    default: return SYNC_END;
    }
}

struct trajectory_about about_configured(const struct config *config, const char *text, uint64_t start)
{
    const struct flock_model *model = &config->model;
    const struct config_output *output = &config->output;
    const struct interval frames = about_frame_steps(config, start);
    return (struct trajectory_about){
        .boids = model->boid_count,
        .predators = model->predator_count,
        .width = model->world.width,
        .height = model->world.height,
        .is_periodic = model->world.border == FLOCK_WRAP,
        .config = text,
        .seed = model->seed,
        .arithmetic = engine_arithmetic_name(model->arithmetic),
        .is_single = model->arithmetic == FLOCK_FLOAT32 || output->precision == CONFIG_FLOAT32,
        .is_rounded = config_rounds_frames(config) && config_writes_whole_frames(config),
        .has_positions = output->fields & CONFIG_POSITION,
        .has_velocities = output->fields & CONFIG_VELOCITY,
        .frame_steps = frames,
        .measured_steps = {start, output->observables_every},
        .frames = interval_count(frames, config->steps) + !interval_contains(frames, config->steps),
        .digits = output->digits,
        .flush_seconds = output->flush_seconds,
        .sync = about_sync(config),
        .compression = output->compression,
        .h5_dims = output->h5_dims,
    };
}

static bool make_recorder(struct pipeline *p, size_t room, int threads, struct fault *fault)
{
    const struct recorder_plan plan = {
        .measure = p->measure,
        .choice = &p->choice,
        .roster = p->roster,
        .summary = &p->summary,
        .outputs = &p->outputs,
        .mean_from = config_mean_from(p->config),
    };
    const bool has_agents = places_take_boids(&p->places) || p->measure;
    if (p->places.count == 0 && !p->measure)
        return true;
    p->recorder = recorder_create(&plan, has_agents ? room : 0, threads, fault);
    return p->recorder != NULL;
}

bool pipeline_prepare(struct pipeline *p, const int32_t *ids, size_t boids, size_t predators, size_t room,
                      int threads, struct fault *fault)
{
    const size_t agents = boids + predators;
    const bool is_told = p->places.count > 0;
    p->boids = boids;
    p->predators = predators;
    p->ids = malloc(agents * sizeof *p->ids);
    p->config_text = is_told ? config_print_stored(p->config) : NULL;
    if (!p->ids || (is_told && !p->config_text))
        return fault_fail(fault, "there is no memory for %zu boids and predators", agents);
    for (size_t i = 0; i < agents; i++)
        p->ids[i] = ids ? ids[i] : (int32_t)i;
    choice_make(&p->choice, p->config->output.observables);
    p->roster = roster_create(p->config, p->ids, boids, predators, fault);
    if (!p->roster)
        return false;
    if (places_are_measured(p->options, p->config) && !pipeline_measure(p, &p->config->model, fault))
        return false;
    return make_recorder(p, room, threads, fault);
}

bool pipeline_measure(struct pipeline *p, const struct flock_model *model, struct fault *fault)
{
    const bool is_good = recorder_settle(p->recorder, fault);
    measure_free(p->measure);
    p->measure = measure_create(model, fault);
    if (p->measure)
        measure_select(p->measure, p->choice.bits);
    if (p->recorder)
        recorder_use(p->recorder, p->measure);
    return p->measure && is_good;
}

void pipeline_describe(struct pipeline *p, uint64_t start)
{
    p->about = about_configured(p->config, p->config_text, start);
    about_take_roster(&p->about, p->config, p->roster, p->some_boids);
    p->about.observable_names = p->choice.names;
    p->about.observable_count = p->measure ? p->choice.count : 0;
    p->about.share = workbench_share;
    p->about.helpers = recorder_bench(p->recorder);
}

bool pipeline_open(struct pipeline *p, struct fault *fault)
{
    return outputs_open(&p->outputs, &p->places, p->options, &p->about, fault);
}

void pipeline_free(struct pipeline *p, struct fault *fault)
{
    recorder_free(p->recorder);
    outputs_close(&p->outputs, false, fault);
    places_free(&p->places);
    measure_free(p->measure);
    roster_free(p->roster);
    free(p->config_text);
    free(p->ids);
}
