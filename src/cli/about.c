/* From a configuration to its outputs: for a run, and for one that was flown before. */
#include "about.h"

#include "engine/engine.h"

struct trajectory_about about_configured(const struct config *config, const char *text, uint64_t first)
{
    const struct flock_model *model = &config->model;
    const uint64_t every = config->output.every, steps = config->steps;
    return (struct trajectory_about){
        .boids = model->boid_count,
        .predators = model->predator_count,
        .width = model->world.width,
        .height = model->world.height,
        .is_periodic = model->world.border == FLOCK_WRAP,
        .config = text,
        .seed = model->seed,
        .arithmetic = engine_arithmetic_name(model->arithmetic),
        .is_single = model->arithmetic == FLOCK_FLOAT32 || config->output.precision == CONFIG_FLOAT32,
        .is_rounded = config_rounds_frames(config),
        .every = every,
        .observables_every = config->output.observables_every,
        .frames = 1 + steps / every - first / every + (steps > first && steps % every != 0),
        .digits = config->output.digits,
        .flush_seconds = config->output.flush_seconds,
        .compression = config->output.compression,
        .h5_dims = config->output.h5_dims,
    };
}
