/* From a configuration to the metadata of the writers, and from there to the outputs. */
#include "pipeline.h"

#include "config/keys.h"
#include "engine/engine.h"

#include <stdlib.h>

struct interval metadata_frame_steps(const struct config *config, uint64_t start)
{
    const struct config_output *output = &config->output;
    return (struct interval){output->first > start ? output->first : start, output->every};
}

bool metadata_holds_start(const struct config *config, uint64_t start)
{
    return !config_rounds_frames(config) && config_writes_whole_frames(config) &&
           metadata_frame_steps(config, start).first == start;
}

static void metadata_set_agents(struct trajectory_about *about, const struct config *config,
                                const struct agent_selection *selection, char some[CONFIG_VALUE_TEXT_SIZE])
{
    about->boids = selection->boids;
    about->predators = selection->predators;
    about->ids = selection->ids;
    config_value_spell(config, config_key_find("output.boids"), some);
    about->some_boids = selection->indices ? some : NULL;
}

enum sync_when metadata_sync(const struct config *config)
{
    switch (config->output.sync) {
    case CONFIG_SYNC_NONE: return SYNC_NONE;
    case CONFIG_SYNC_FLUSH: return SYNC_FLUSH;
    case CONFIG_SYNC_END:
    default: return SYNC_END;
    }
}

/* Metadata of a resolved configuration; the agents, the observables and the initial state are added later. */
static struct trajectory_about metadata_of_config(const struct config *config, const char *text,
                                                  uint64_t start)
{
    const struct flock_model *model = &config->model;
    const struct config_output *output = &config->output;
    const struct interval frames = metadata_frame_steps(config, start);
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
        .sync = metadata_sync(config),
        .compression = output->compression,
        .h5_dims = output->h5_dims,
    };
}

static bool make_recorder(struct pipeline *p, size_t capacity, int threads, struct fault *fault)
{
    const struct frame_writer_plan plan = {
        .measure = p->measure,
        .observables = &p->observables,
        .selection = p->selection,
        .summary = &p->summary,
        .writers = &p->writers,
        .mean_from = config_mean_from(p->config),
    };
    const bool has_agents = targets_take_boids(&p->targets) || p->measure;
    if (p->targets.count == 0 && !p->measure)
        return true;
    p->writer = frame_writer_create(&plan, has_agents ? capacity : 0, threads, fault);
    return p->writer != NULL;
}

bool pipeline_prepare(struct pipeline *p, const int32_t *ids, size_t boids, size_t predators, size_t capacity,
                      int threads, struct fault *fault)
{
    const size_t agents = boids + predators;
    const bool is_told = p->targets.count > 0;
    p->boids = boids;
    p->predators = predators;
    p->ids = malloc(agents * sizeof *p->ids);
    p->config_text = is_told ? config_print_stored(p->config) : NULL;
    if (!p->ids || (is_told && !p->config_text))
        return fault_fail(fault, "there is no memory for %zu boids and predators", agents);
    for (size_t i = 0; i < agents; i++)
        p->ids[i] = ids ? ids[i] : (int32_t)i;
    observable_set_init(&p->observables, p->config->output.observables);
    p->selection = agent_selection_create(p->config, p->ids, boids, predators, fault);
    if (!p->selection)
        return false;
    if (targets_are_measured(p->options, p->config) && !pipeline_measure(p, &p->config->model, fault))
        return false;
    return make_recorder(p, capacity, threads, fault);
}

bool pipeline_measure(struct pipeline *p, const struct flock_model *model, struct fault *fault)
{
    const bool is_good = frame_writer_drain(p->writer, fault);
    measure_free(p->measure);
    p->measure = measure_create(model, fault);
    if (p->measure)
        measure_select(p->measure, p->observables.bits);
    if (p->writer)
        frame_writer_set_measure(p->writer, p->measure);
    return p->measure && is_good;
}

void pipeline_describe(struct pipeline *p, uint64_t start)
{
    p->about = metadata_of_config(p->config, p->config_text, start);
    metadata_set_agents(&p->about, p->config, p->selection, p->some_boids);
    p->about.observable_names = p->observables.names;
    p->about.observable_count = p->measure ? p->observables.count : 0;
    p->about.share = io_helper_share;
    p->about.helpers = frame_writer_helper(p->writer);
}

bool pipeline_open(struct pipeline *p, struct fault *fault)
{
    return writers_open(&p->writers, &p->targets, p->options, &p->about, fault);
}

void pipeline_free(struct pipeline *p, struct fault *fault)
{
    frame_writer_free(p->writer);
    writers_close(&p->writers, false, fault);
    targets_free(&p->targets);
    measure_free(p->measure);
    agent_selection_free(p->selection);
    free(p->config_text);
    free(p->ids);
}
