/* What libflock has beside the core: the engine's translation of a model, under a name that belongs to the library. */
#include "flock/from_model.h"

#include "engine/params.h"

struct flock_params flock_params_from_model(const struct flock_model *model, uint32_t boids)
{
    return engine_params(model, boids);
}

struct flock_start flock_start_from_model(const struct flock_model *model, uint64_t seed)
{
    return engine_start(model, seed);
}
