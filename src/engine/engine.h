/* What steps a flock on a host: picks the build of the core that a model asks for and drives it.
 *
 *     engine_create -> engine_place or engine_set -> engine_step ... engine_get -> engine_free
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "fault.h"
#include "flock/agent.h"
#include "flock/model.h"
#include "flock/status.h"

#include <stddef.h>
#include <stdint.h>

struct engine;

/** Bytes that an engine for so many agents takes. */
size_t engine_memory(const struct flock_model *model, uint32_t boids, uint32_t predators);

/** A flock of so many agents, not yet placed. `model` is copied.
 *
 * @return NULL with a fault when memory ran out.
 */
struct engine *engine_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                             struct fault *fault);

/** Place everybody at random, as the model says. */
void engine_place(struct engine *engine, uint64_t seed);

/** Set all agents, boids then predators, rounded to the engine's arithmetic.
 *
 * @return the index of the first agent that the arithmetic cannot hold, or the number of agents: all were set.
 */
size_t engine_set(struct engine *engine, const struct agent *agents);

/** Copy all agents out: boids, then predators. */
void engine_get(const struct engine *engine, struct agent *agents);

/** Advance by one step.
 *
 * @return FLOCK_E_RANGE when an agent has left what the arithmetic can hold; the flock is then of no more use.
 */
enum flock_status engine_step(struct engine *engine);

/** The engine's own word for an arithmetic: "float32", "float64", "fixed". */
const char *engine_arithmetic_name(enum flock_arithmetic arithmetic);

/** Free an engine; NULL is accepted. */
void engine_free(struct engine *engine);

#endif
