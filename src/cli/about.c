/* From a configuration to its outputs: for a run, and for one that was flown before. */
#include "about.h"

#include "engine/engine.h"

struct cadence about_frame_steps(const struct config *config, uint64_t start)
{
    const struct config_output *output = &config->output;
    return (struct cadence){output->first > start ? output->first : start, output->every};
}

struct trajectory_about about_configured(const struct config *config, const char *text, uint64_t start)
{
    const struct flock_model *model = &config->model;
    const struct config_output *output = &config->output;
    const struct cadence frames = about_frame_steps(config, start);
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
        .is_rounded = config_rounds_frames(config),
        .frame_steps = frames,
        .measured_steps = {start, output->observables_every},
        .frames = cadence_rows(frames, config->steps) + !cadence_has(frames, config->steps),
        .digits = output->digits,
        .flush_seconds = output->flush_seconds,
        .compression = output->compression,
        .h5_dims = output->h5_dims,
    };
}
