/* From a model in plain doubles to the rules in the core's numbers: for the engine, and for programs that link libflock.
 * Compiled once per number type, like everything that speaks num.
 */
#ifndef FLOCK_FROM_MODEL_H
#define FLOCK_FROM_MODEL_H

#include "flock/flock.h"
#include "flock/model.h"

#define flock_params_from_model FLOCK_TAGGED(flock_params_from_model)
#define flock_start_from_model  FLOCK_TAGGED(flock_start_from_model)

#ifdef __cplusplus
extern "C" {
#endif

/** The rules for so many boids, their cells planned. The model's own boid_count is not read. */
struct flock_params flock_params_from_model(const struct flock_model *model, uint32_t boids);

/** How the model has a flock placed, for flock_place(). */
struct flock_start flock_start_from_model(const struct flock_model *model);

#ifdef __cplusplus
}
#endif

#endif
