/* The engine steps a flock on a host: it chooses the back end for a model and runs it.
 *
 *     engine_create -> engine_place or engine_set -> engine_step ... engine_get -> engine_free
 *
 * On several ranks (engine/mpi/comm.h), all of them call each function in the same order and get the same result. Rank 0 has
 * the agents; the others pass NULL. */
#pragma once

#include "base/agent.h"
#include "base/error.h"
#include "flock/model.h"
#include "step_cancellation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;

enum { ENGINE_MAX_THREADS = 1024 };

/** The number of threads that engine_create() uses if its argument is `threads`. */
int engine_count_threads(int threads);

/** True if this model is stepped slowly because this build has no SIMD code for this machine. */
bool engine_lacks_simd(const struct flock_model *model);

/** The number of bytes that an engine for this number of agents allocates; `threads` as in engine_create(). */
size_t engine_memory(const struct flock_model *model, uint32_t boids, uint32_t predators, int threads);

/** The number of rows of cells of a floating-point flock. It limits the number of ranks, because a rank owns whole rows. */
uint32_t engine_rows(const struct flock_model *model);

/** Create an engine for these numbers of agents. The state of the agents is not set yet. `model` is copied.
 *
 * @param threads number of threads, at most ENGINE_MAX_THREADS; 0: one per processor that this program may use
 *   (threads/cpu_count.h). Small flocks use one thread, and no flock uses more than TEAM_MAX. Steps have the same results for
 *   any number of threads.
 * @return NULL with an error: memory ran out, or BOIDS_ISA names an instruction set that this machine does not have
 *   (ERROR_REFUSED).
 */
struct engine *engine_create(const struct flock_model *model, uint32_t boids, uint32_t predators, int threads,
                             struct error *error);

/** Generate the random initial state of the model: frame 0. */
void engine_place(struct engine *engine);

/** True if all ranks had enough memory in engine_place() and in each step. If not, the flock must not be stepped
 * again, but its last frame can be read. */
bool engine_has_memory_for_boids(const struct engine *engine);

/** Report that a rank ran out of memory, with the name of the rank.
 *
 * @return false, always.
 */
bool engine_refuse_boids(const struct engine *engine, struct error *error);

/** True if an arithmetic can represent the positions and velocities of all agents. Otherwise `misfit` is the index of
 * the first agent that it cannot represent. */
bool engine_can_represent(enum flock_arithmetic arithmetic, const struct agent *agents, size_t count,
                          size_t *misfit);

/** Round the agents to an arithmetic; those that are absent stay so. @return as engine_can_represent(). */
bool engine_round(enum flock_arithmetic arithmetic, struct agent *agents, size_t count, size_t *misfit);

/** True if an agent is outside of the world. */
static inline bool engine_is_outside(const struct flock_world_model *world, const struct agent *agent)
{
    return agent->x < 0 || agent->x > world->width || agent->y < 0 || agent->y > world->height;
}

/** Set all agents, boids then predators, rounded to the arithmetic of the engine.
 *
 * @param step the number of their frame: a resumed run continues the random numbers from it.
 * @param misfit receives the index of the first agent that the arithmetic cannot represent.
 * @return false if there is such an agent or, with an error, if memory runs out.
 */
bool engine_set(struct engine *engine, const struct agent *agents, uint64_t step, size_t *misfit,
                struct error *error);

/** Continue from frame `step` with the rules of `model`, as a new engine would after engine_set(). The numbers of
 * agents, the arithmetic, update order, world and seed must be the same.
 *
 * @return false with an error if memory runs out; the engine may then have no flock, and can only be freed.
 */
bool engine_retune(struct engine *engine, const struct flock_model *model, uint64_t step,
                   struct error *error);

/** True if the engine has a flock; the same on all ranks. */
bool engine_has_flock(const struct engine *engine);

/** Copy all agents out: boids, then predators. */
void engine_get(const struct engine *engine, struct agent *agents);

/** As engine_get(), but unless `ids` is NULL, boids may come in another order, in which neighbours are near each other: then the result
 * is true, and `ids` has their ids. A large flock is copied and measured faster in this order. */
bool engine_get_in_any_order(const struct engine *engine, struct agent *agents, uint32_t *ids);

/** A hash of the state (flock_hash()): the same on every machine, and on the board. */
uint64_t engine_hash(const struct engine *engine);

/** Use `cancellation` in all following steps (step_cancellation.h). It is copied. */
void engine_set_cancellation(struct engine *engine, const struct step_cancellation *cancellation);

/** Add a change to the velocity of each boid in the following steps, after the rules and before noise. NULL removes the
 * changes. engine_set() and engine_retune() remove the changes. In one process only.
 *
 * @return false with an error: memory ran out, or the arithmetic cannot represent a change (ERROR_REFUSED).
 */
bool engine_set_changes(struct engine *engine, const double (*changes)[2], struct error *error);

/** Advance by one step.
 *
 * @return FLOCK_E_RANGE if an agent has left the range of the arithmetic; the flock must then not be used any more.
 *   FLOCK_E_CANCELLED if the step was cancelled; the flock is unchanged.
 */
enum flock_status engine_step(struct engine *engine);

/** After FLOCK_E_RANGE: the index of the first agent that left the range; boids come before predators. The index does
 * not depend on the instruction set or the number of threads. */
size_t engine_first_out_of_range(const struct engine *engine);

/** After FLOCK_E_RANGE: report the first agent that left the range in the step after `step`. `ids` are the ids of the
 * agents; NULL: the ids are the indices. `ending` ends the message.
 *
 * @return false, always.
 */
bool engine_report_out_of_range(const struct engine *engine, uint64_t step, const int32_t *ids,
                                const char *ending, struct error *error);

/** The largest work of a rank divided by the mean of all ranks, at the last load balancing; 1 for one rank. `moves`:
 * the number of times that boundaries have moved since the rules last changed. */
double engine_imbalance(const struct engine *engine, uint64_t *moves);

/** The number of threads that the system refused to start; the flock is stepped without them. */
int engine_missing_threads(const struct engine *engine);

/** The name of an arithmetic: "float32", "float64", "fixed". */
const char *engine_arithmetic_name(enum flock_arithmetic arithmetic);

/** Free an engine; NULL is accepted. */
void engine_free(struct engine *engine);
