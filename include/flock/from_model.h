/* From a model in plain doubles to the rules in the core's numbers: for the engine, and for programs that link libflock.
 * Compiled once per number type, like everything that speaks num.
 */
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

/** The rules for so many boids, their cells planned. The model's own boid_count is not read. They have no goals
 * and no obstacles yet: a model that has some needs flock_lists_from_model() as well. */
struct flock_params flock_params_from_model(const struct flock_model *model, uint32_t boids);

/** The bytes that the lists of a model take; 0 when it has none. */
size_t flock_lists_memory(const struct flock_model *model);

/** Lay the lists of a model out in `memory`, flock_lists_memory() bytes aligned as for any type, which must last as long as
 * the rules that point there. On a torus whatever lies outside of the world is taken for its image inside. */
void flock_lists_from_model(struct flock_params *params, const struct flock_model *model, void *memory);

/** How the model has a flock placed, for flock_randomise(). */
struct flock_init_params flock_init_params_from_model(const struct flock_model *model);

#ifdef __cplusplus
}
#endif

#endif
