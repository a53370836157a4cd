/* From a model in doubles to parameters in the core's numbers: for the engine and for simulation.h. Compiled once per number type. */
#ifndef FLOCK_FROM_MODEL_H
#define FLOCK_FROM_MODEL_H

#include "flock/flock.h"
#include "flock/model.h"

#define flock_lists_from_model       FLOCK_TYPED(flock_lists_from_model)
#define flock_lists_memory           FLOCK_TYPED(flock_lists_memory)
#define flock_params_from_model      FLOCK_TYPED(flock_params_from_model)
#define flock_init_params_from_model FLOCK_TYPED(flock_init_params_from_model)

#ifdef __cplusplus
extern "C" {
#endif

/** The parameters for this number of boids (the model's boid_count is not read), with their cells, but without goals and obstacles,
 * which flock_lists_from_model() adds. */
struct flock_params flock_params_from_model(const struct flock_model *model, uint32_t boids);

/** The bytes that the lists of a model take; 0 when it has none. */
size_t flock_lists_memory(const struct flock_model *model);

/** Add the goals and obstacles of a model, stored in `memory`: flock_lists_memory() bytes, aligned as for any type, which must live as
 * long as `params`. On a torus, positions outside of the world are replaced by their images inside. */
void flock_lists_from_model(struct flock_params *params, const struct flock_model *model, void *memory);

/** The random initial state of the model, for flock_randomise(). */
struct flock_init_params flock_init_params_from_model(const struct flock_model *model);

#ifdef __cplusplus
}
#endif

#endif
