/* The model's doubles as the core's numbers. Compiled once per number type. */
#ifndef ENGINE_PARAMS_H
#define ENGINE_PARAMS_H

#include "flock/flock.h"

#define engine_params FLOCK_TAGGED(engine_params)
#define engine_start  FLOCK_TAGGED(engine_start)

/** The rules for so many boids, their cells planned. */
struct flock_params engine_params(const struct flock_model *model, uint32_t boids);

/** How the model has a flock placed. */
struct flock_start engine_start(const struct flock_model *model, uint64_t seed);

#endif
