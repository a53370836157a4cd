/* What steps a flock on a host: picks the build of the core that a model asks for and drives it.
 *
 *     engine_create -> engine_place or engine_set -> engine_step ... engine_get -> engine_free
 *
 * On several ranks (comm/comm.h), all of them call each function, in the same order, and get the same answer. Rank 0 has the
 * agents; the others pass NULL.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "agent.h"
#include "fault.h"
#include "flock/model.h"
#include "step_monitor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;

/** For tests: if it is not 0, engines on several ranks have random boundaries between subdomains after each step. */
extern uint64_t engine_test_partition_seed;

enum { ENGINE_MOST_THREADS = 1024 };

/** The boids that rank 0 gathers at a time. */
enum { ENGINE_SLAB = 1 << 18 };

/** How many threads `threads` stands for; as in engine_create(). */
int engine_count_threads(int threads);

/** Bytes that an engine for so many agents takes; `threads` as in engine_create(). */
size_t engine_memory(const struct flock_model *model, uint32_t boids, uint32_t predators, int threads);

/** The number of rows of cells of a flock of floats: ranks own rows. */
uint32_t engine_rows(const struct flock_model *model);

/** A flock of so many agents, not yet placed. `model` is copied.
 *
 * @param threads  to step with, at most ENGINE_MOST_THREADS; 0: as many as there are processors for this program
 *                 (cpu_count.h). Small flocks use one, none uses more than TEAM_MOST. Changes no bit of the result.
 * @return NULL with a fault: memory ran out, or BOIDS_ISA names an instruction set that this machine does not have (refused).
 */
struct engine *engine_create(const struct flock_model *model, uint32_t boids, uint32_t predators, int threads,
                             struct fault *fault);

/** Place all agents at random, as the model says: frame 0. */
void engine_place(struct engine *engine);

/** Whether all ranks have found memory for their boids, in engine_place() and in each step. If not, the flock
 * must not be stepped again; the frame that the last step has reached can be read. */
bool engine_has_room(const struct engine *engine);

/** Why not, with the name of the rank.
 *
 * @return false, always.
 */
bool engine_refuse_room(const struct engine *engine, struct fault *fault);

/** Set all agents, boids then predators, rounded to the engine's arithmetic.
 *
 * @param step    the number of the frame that they are: a resumed run goes on with the random numbers that follow it.
 * @param misfit  on refusal, the index of the first agent that the arithmetic cannot hold.
 * @return false when there is such an agent, or, with a fault, when memory ran out.
 */
bool engine_set(struct engine *engine, const struct agent *agents, uint64_t step, size_t *misfit,
                struct fault *fault);

/** Go on with other rules, from the frame `step` that the flock is: as a new engine of `model` would after engine_set(). What
 * the flock is (counts, arithmetic, update, world, seed) must be the same.
 *
 * @return false with a fault when memory ran out; the engine may then have no flock, and can only be freed.
 */
bool engine_retune(struct engine *engine, const struct flock_model *model, uint64_t step,
                   struct fault *fault);

/** Whether it still has a flock: on all ranks alike. */
bool engine_has_flock(const struct engine *engine);

/** Copy all agents out: boids, then predators. */
void engine_get(const struct engine *engine, struct agent *agents);

/** On several ranks: copy boids [first, first + count), at most ENGINE_SLAB, to rank 0. Behind the boids of the last slab come all
 * predators. */
void engine_get_slab(const struct engine *engine, uint32_t first, uint32_t count, struct agent *agents);

/** A hash of the state (flock_hash()): the same on every machine, and on the board. */
uint64_t engine_hash(const struct engine *engine);

/** Have steps monitored from now on (step_monitor.h); `monitor` is copied. */
void engine_set_monitor(struct engine *engine, const struct step_monitor *monitor);

/** Advance by one step.
 *
 * @return FLOCK_E_RANGE when an agent has left what the arithmetic can hold; the flock is then of no more use.
 *         FLOCK_E_CANCELLED if the monitor has cancelled the step; the flock is as before it.
 */
enum flock_status engine_step(struct engine *engine);

/** When that has failed: the index of the first agent that left, boids before predators. No choice of instructions or
 * threads changes it. */
size_t engine_lost(const struct engine *engine);

/** How many others a boid is compared with in a step, in the mean: all in its own cell and those around it. */
double engine_mean_candidates(const struct engine *engine);

/** The same for so many boids spread evenly over the world. */
double engine_crowd_expected(const struct flock_model *model, uint32_t boids);

/** The largest work of a rank over the mean of all, at the last load balancing; 1 for one rank. `moves`: how often boundaries have
 * moved since the rules last changed. */
double engine_imbalance(const struct engine *engine, uint64_t *moves);

/** How many threads the system would not start; the others step the flock without them. */
int engine_missing_threads(const struct engine *engine);

/** The engine's own word for an arithmetic: "float32", "float64", "fixed". */
const char *engine_arithmetic_name(enum flock_arithmetic arithmetic);

/** Free an engine; NULL is accepted. */
void engine_free(struct engine *engine);

#endif
