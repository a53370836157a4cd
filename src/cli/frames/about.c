/* From a configuration to its outputs: for a run, and for one that was flown before. */
#include "about.h"

#include "config/keys.h"
#include "engine/engine.h"

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
