/* The flock: its rules, its state and its step.
 *
 * The caller owns all memory: flock_memory() returns the size of a block, flock_init() divides the block,
 * flock_randomise() or the caller fills in the agents, and flock_step() advances them. No function here allocates
 * memory, prints, starts threads or has global state. The library is static: there is no shared library. The core is
 * compiled once per number type (num.h), and the name of each symbol includes this type. flock/simulation.h has a
 * simpler interface.
 *
 * A step, for each boid (formulas in docs/models.md):
 *
 *     sum       sums over the neighbours, found through a grid of cells
 *     steer     three rules make changes of velocity from the sums
 *     finish    bounce, predators, speed limits, move, obstacles, wrap or reflect
 *
 * Sums are computed in order of cell, then id. This order depends only on the state, so results are bit-identical
 * for any number of threads and any division of the step.
 */
#pragma once

#include "flock/model.h"
#include "flock/num.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define flock_begin_in_place         FLOCK_TYPED(flock_begin_in_place)
#define flock_axis                   FLOCK_TYPED(flock_axis)
#define flock_init                   FLOCK_TYPED(flock_init)
#define flock_init_params_from_model FLOCK_TYPED(flock_init_params_from_model)
#define flock_lists_from_model       FLOCK_TYPED(flock_lists_from_model)
#define flock_lists_memory           FLOCK_TYPED(flock_lists_memory)
#define flock_memory                 FLOCK_TYPED(flock_memory)
#define flock_end_step               FLOCK_TYPED(flock_end_step)
#define flock_hash                   FLOCK_TYPED(flock_hash)
#define flock_params                 FLOCK_TYPED(flock_params)
#define flock_params_from_model      FLOCK_TYPED(flock_params_from_model)
#define flock_run_pass               FLOCK_TYPED(flock_run_pass)
#define flock_randomise              FLOCK_TYPED(flock_randomise)
#define flock_random_boid            FLOCK_TYPED(flock_random_boid)
#define flock_plan_grid              FLOCK_TYPED(flock_plan_grid)
#define flock_sort                   FLOCK_TYPED(flock_sort)
#define flock_step                   FLOCK_TYPED(flock_step)
#define flock_step_range             FLOCK_TYPED(flock_step_range)
#define flock_step_while             FLOCK_TYPED(flock_step_while)
#define flock_update_range           FLOCK_TYPED(flock_update_range)
#define flock_swap_buffers           FLOCK_TYPED(flock_swap_buffers)

struct flock_vec {
    flock_num x, y;
};

/** A direction: its cosine and sine in Q2.30, for every number type. */
struct flock_direction {
    int32_t cosine, sine;
};

/** A boid or a predator: position in world units, velocity in world units per step. */
struct flock_agent {
    struct flock_vec position, velocity;
};

/** One axis of the world and of the grid over it (flock/params.def); src/core/grid.h has the cells. */
struct flock_axis {
#define FLOCK_AXIS_PART(type, name, value) type name;
#include "flock/params.def"
};

/** An obstacle. Boids steer to keep the distance `reach` from its centre. A boid inside its radius is moved out. */
struct flock_obstacle {
    struct flock_vec centre;
    flock_num radius, reach;
    flock_square radius_squared, reach_squared;
};

/** One rule: its range of neighbours and its factor (flock/params.def). */
struct flock_rule {
#define FLOCK_RULE_PART(type, name, value, general) type name;
#include "flock/params.def"
};

/** Limits of a speed (flock/params.def). */
struct flock_limits {
#define FLOCK_LIMITS_PART(type, name, value) type name;
#include "flock/params.def"
};

/** The rules, in the number type of the core (flock/params.def). Filled in by flock_params_from_model(), or by a
 * generated header on a board. */
struct flock_params {
#define FLOCK_PARAM(type, name, value, general) type name;
#include "flock/params.def"
};

/** The cells, in one of two forms (src/core/grid.h). */
struct flock_grid {
    /** Sorted: the first slot of each cell (cells + 1 elements); linked: the first boid of each cell. */
    uint32_t *start;
    struct flock_agent *slots; /**< sorted: copies of the boids by cell, then id */
    uint32_t *boid_of;         /**< sorted: id of the boid in each slot */
    uint32_t *slot_of;         /**< sorted, but not synchronous: slot of each boid */
    uint32_t *next;            /**< linked: for each boid, the next boid in the same cell */
};

struct flock {
    uint32_t count, predator_count;
    struct flock_agent *boids;      /**< current state of the boids, in order of id */
    struct flock_agent *predators;  /**< current state of the predators, in order of id */
    struct flock_agent *next_boids; /**< synchronous: the state being written */
    uint64_t *order; /**< random orders: the ids in the order of this step, in the lower half of each word */
    struct flock_grid grid;
    uint64_t step; /**< steps since the initial state */
    /** Changes of the velocities of all boids in the next step, by id, in addition to those by the rules; NULL: none. */
    const struct flock_vec *changes;
    /** Index of the first agent out of range if flock_step() fails; boids before predators. */
    uint32_t first_out_of_range;
};

/** Choose the cells: their side is just above the widest radius, and there are at most about two cells per boid.
 *
 * `count` is the number of boids. Call this once, after all other members of `params` are set.
 */
void flock_plan_grid(struct flock_params *params, uint32_t count);

/** The bytes that flock_init() needs for this number of agents and these rules. */
size_t flock_memory(const struct flock_params *params, uint32_t count, uint32_t predator_count);

/** Set up a flock at step 0. `memory` has flock_memory() bytes and is aligned for any type. The positions and
 * velocities of the agents are not set. */
void flock_init(struct flock *flock, const struct flock_params *params, uint32_t count,
                uint32_t predator_count, void *memory);

/** Random initial states (flock/params.def). */
struct flock_init_params {
#define FLOCK_INIT_PART(type, name, value) type name;
#include "flock/params.def"
};

/** Place all boids and predators at random, uniformly over the world. The random numbers of an agent depend only on
 * the seed and its id. */
void flock_randomise(struct flock *flock, const struct flock_params *params,
                     const struct flock_init_params *start);

/** The state that flock_randomise() gives to boid `id`, for a process that has only a part of the flock. */
struct flock_agent flock_random_boid(const struct flock_params *params, const struct flock_init_params *start,
                                     uint32_t id);

/** Advance the whole flock by one step, in the update order of `params`.
 *
 * @return FLOCK_OK, or FLOCK_E_RANGE if an agent leaves the range of flock_num. In a synchronous flock, the state is
 *   then the same as before the step. In the other update orders, which work in place, it is undefined.
 *
 * Cost: each boid is compared with the candidates in nine cells.
 */
enum flock_status flock_step(struct flock *flock, const struct flock_params *params);

/** flock_step(), which a caller can cancel: after each 64 boids (of each pass), the step goes on only if `continues` is true.
 *
 * @return as flock_step(), or FLOCK_E_CANCELLED. Boids that are updated in place are then partly updated. */
enum flock_status flock_step_while(struct flock *flock, const struct flock_params *params,
                                   bool (*continues)(void *context, uint32_t boids), void *context);

/* The phases of a synchronous step, to divide it among threads, cores or processes:
 *
 *     flock_sort                       once
 *     flock_step_range(begin, end)     any partition of the slots [0, count), in any order or at once
 *     flock_swap_buffers               once, when all ranges have returned FLOCK_OK
 */

/** Sort the boids by cell. */
void flock_sort(struct flock *flock, const struct flock_params *params);

/** Step the boids in slots [begin, end), which are sorted by cell, then id.
 *
 * Each boid reads its neighbours as they were at flock_sort(), so the result does not depend on the ranges. Writes
 * only the next state.
 *
 * @return FLOCK_OK, or FLOCK_E_RANGE if a boid leaves the range of flock_num; the current state is unchanged.
 */
enum flock_status flock_step_range(struct flock *flock, const struct flock_params *params, uint32_t begin,
                                   uint32_t end);

/** Make the next state the current one, and end the step. */
enum flock_status flock_swap_buffers(struct flock *flock, const struct flock_params *params);

/* The phases of the other orders, which work in place:
 *
 *     sequential, shuffled          flock_begin_in_place, then flock_update_range for all boids in ascending pieces,
 *                                   then flock_end_step
 *     passes, shuffled_velocities   the same, with flock_run_pass for all boids, once per pass, instead of
 *                                   flock_update_range
 */

/** Put each boid into its cell (in a synchronous flock, as flock_sort()). If the update order is random, shuffle the ids. */
void flock_begin_in_place(struct flock *flock, const struct flock_params *params);

/** Update boids [begin, end) of the update order one after another. A sequential flock is updated in order of id.
 * @return FLOCK_OK, or FLOCK_E_RANGE; in that case the state is undefined. */
enum flock_status flock_update_range(struct flock *flock, const struct flock_params *params, uint32_t begin,
                                     uint32_t end);

enum flock_pass {
    FLOCK_PASS_SEPARATION,
    FLOCK_PASS_ALIGNMENT,
    FLOCK_PASS_COHESION,
    FLOCK_PASS_RULES, /**< shuffled_velocities: all rules */
    FLOCK_PASS_LAST   /**< noise, borders, limits, move */
};

/** Run one pass over boids [begin, end); do nothing if the update order does not have this pass. Returns as flock_update_range(). */
enum flock_status flock_run_pass(struct flock *flock, const struct flock_params *params, enum flock_pass pass,
                                 uint32_t begin, uint32_t end);

/** Move the predators and increment the step number. Call this after all boids have moved; flock_swap_buffers() calls
 * it itself. Predators that hunt read `flock->boids`, in order of id. */
enum flock_status flock_end_step(struct flock *flock, const struct flock_params *params);

/* Conversion of a model in doubles to parameters in the number type of the core (src/core/params_from_model.c). */

/** The parameters for this number of boids; boid_count of the model is ignored. They include the cells.
 * flock_lists_from_model() adds goals and obstacles. */
struct flock_params flock_params_from_model(const struct flock_model *model, uint32_t boids);

/** The number of bytes for the goals and obstacles of a model; 0 if it has none. */
size_t flock_lists_memory(const struct flock_model *model);

/** Add the goals and obstacles of a model to `params` and store them in `memory`. `memory` has flock_lists_memory()
 * bytes, is aligned for any type, and must live as long as `params`. On a torus, positions outside the world are
 * replaced by their images inside. */
void flock_lists_from_model(struct flock_params *params, const struct flock_model *model, void *memory);

/** The parameters of the random initial state of the model, for flock_randomise(). */
struct flock_init_params flock_init_params_from_model(const struct flock_model *model);

/** A 64-bit hash of the state. Bit-identical states have the same hash on every machine. `boids --hash` prints it. */
uint64_t flock_hash(const struct flock *flock);

#ifdef __cplusplus
}
#endif
