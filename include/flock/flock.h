/* The flock: its rules, its state and its step.
 *
 * The caller owns all memory: it asks flock_memory() how much, hands a block to flock_init(), fills in the agents
 * (flock_randomise() or its own) and calls flock_step(). Nothing here allocates, prints, starts threads or keeps a
 * global. Everything is compiled once per number type (num.h) and carries the type in its link name.
 *
 * A step, for each boid (formulas in docs/models.md):
 *
 *     gather    what it sees: sums over the neighbours, found through a grid of cells
 *     steer     three rules turn the sums into changes of velocity
 *     finish    bounce, predators, speed limits, move, wrap or reflect
 *
 * Sums run by cell, then by id, an order that the state alone determines: who runs a step, and in how many pieces,
 * changes no bit.
 */
#ifndef FLOCK_FLOCK_H
#define FLOCK_FLOCK_H

#include "flock/model.h"
#include "flock/num.h"
#include "flock/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define flock_begin_in_place FLOCK_TYPED(flock_begin_in_place)
#define flock_axis           FLOCK_TYPED(flock_axis)
#define flock_init           FLOCK_TYPED(flock_init)
#define flock_memory         FLOCK_TYPED(flock_memory)
#define flock_end_step       FLOCK_TYPED(flock_end_step)
#define flock_hash           FLOCK_TYPED(flock_hash)
#define flock_params         FLOCK_TYPED(flock_params)
#define flock_run_pass       FLOCK_TYPED(flock_run_pass)
#define flock_randomise      FLOCK_TYPED(flock_randomise)
#define flock_random_boid    FLOCK_TYPED(flock_random_boid)
#define flock_plan_grid      FLOCK_TYPED(flock_plan_grid)
#define flock_sort           FLOCK_TYPED(flock_sort)
#define flock_step           FLOCK_TYPED(flock_step)
#define flock_step_range     FLOCK_TYPED(flock_step_range)
#define flock_update_range   FLOCK_TYPED(flock_update_range)
#define flock_swap_buffers   FLOCK_TYPED(flock_swap_buffers)

struct flock_vec {
    flock_num x, y;
};

/** A point of the circle: cosine and sine in Q2.30, whatever the arithmetic. */
struct flock_direction {
    int32_t cosine, sine;
};

/** A boid or a predator: position in world units, velocity in world units per step. */
struct flock_agent {
    struct flock_vec position, velocity;
};

/** One direction of the world and of the grid over it (flock/params.def); src/core/grid.h has the cells. */
struct flock_axis {
#define FLOCK_AXIS_PART(type, name, value) type name;
#include "flock/params.def"
};

/** An obstacle. Boids steer so as to stay `reach` away from its centre, and never come nearer than its radius. */
struct flock_obstacle {
    struct flock_vec centre;
    flock_num radius, reach;
    flock_square radius_squared, reach_squared;
};

/** One rule: who counts and how much it weighs (flock/params.def). */
struct flock_rule {
#define FLOCK_RULE_PART(type, name, value) type name;
#include "flock/params.def"
};

/** Between which a speed is kept (flock/params.def). */
struct flock_limits {
#define FLOCK_LIMITS_PART(type, name, value) type name;
#include "flock/params.def"
};

/** The rules in the core's numbers (flock/params.def). Filled in by flock_params_from_model(), or by a generated header on
 * a board. */
struct flock_params {
#define FLOCK_PARAM(type, name, value) type name;
#include "flock/params.def"
};

/** The cells, in one of two forms (src/core/grid.h). */
struct flock_grid {
    uint32_t *start; /**< runs: the first slot of each cell, cells + 1 of them; lists: its first boid */
    struct flock_agent *slots; /**< runs: copies of the boids by cell, then id */
    uint32_t *boid_of;         /**< runs: the boid in a slot */
    uint32_t *slot_of;         /**< runs, `passes` only: the slot of a boid */
    uint32_t *next;            /**< lists: the next boid of the same cell, by id */
};

struct flock {
    uint32_t count, predator_count;
    struct flock_agent *boids;      /**< the state, in order of id */
    struct flock_agent *predators;  /**< likewise */
    struct flock_agent *next_boids; /**< synchronous: the state being written */
    uint64_t *order;                /**< shuffled: whose turn is next, in the lower half */
    struct flock_grid grid;
    uint64_t step; /**< the number of the frame that the state is: 0 where it begins */
    uint32_t
        lost; /**< set by a flock_step() that fails: the first agent that has left, boids before predators */
};

/** Lay the cells over the world: sides just above the widest radius, no more cells than about two a boid.
 *
 * To be called once after everything else in `params` is set, with the number of boids that will fly.
 */
void flock_plan_grid(struct flock_params *params, uint32_t count);

/** The bytes that flock_init() needs for so many agents under these rules. */
size_t flock_memory(const struct flock_params *params, uint32_t count, uint32_t predator_count);

/** Lay out a flock in `memory`, flock_memory() bytes aligned as for any type, at step 0. The agents are left unset. */
void flock_init(struct flock *flock, const struct flock_params *params, uint32_t count,
                uint32_t predator_count, void *memory);

/** How a flock is placed (flock/params.def). */
struct flock_init_params {
#define FLOCK_INIT_PART(type, name, value) type name;
#include "flock/params.def"
};

/** Place all boids and predators at random: uniformly over the world, each from random numbers of its own. */
void flock_randomise(struct flock *flock, const struct flock_params *params,
                     const struct flock_init_params *start);

/** Boid `id` as flock_randomise() places it, for who holds a part of a flock. */
struct flock_agent flock_random_boid(const struct flock_params *params, const struct flock_init_params *start,
                                     uint32_t id);

/** Advance the whole flock by one step, in the order of turns that `params` asks for.
 *
 * @return FLOCK_OK, or FLOCK_E_RANGE when a boid has left what num can hold. In a synchronous flock the state is then
 *         as before the step; in the other orders, which work in place, it is spoilt.
 *
 * Cost: the candidates in nine cells a boid.
 */
enum flock_status flock_step(struct flock *flock, const struct flock_params *params);

/* The phases of a synchronous step, for those who share it among threads, cores or ranks:
 *
 *     flock_sort                       once
 *     flock_step_range(begin, end)     any partition of the slots [0, count), in any order or at once
 *     flock_swap_buffers                  once, when all ranges have returned FLOCK_OK
 */

/** File every boid in its cell. */
void flock_sort(struct flock *flock, const struct flock_params *params);

/** Fly the boids in slots [begin, end): by cell, then id.
 *
 * Each boid reads its neighbours as they stood at flock_sort(), so the result does not depend on how the slots are
 * cut into ranges. Writes the next state only.
 *
 * @return FLOCK_OK, or FLOCK_E_RANGE when a boid leaves what num can hold; the current state is untouched.
 */
enum flock_status flock_step_range(struct flock *flock, const struct flock_params *params, uint32_t begin,
                                   uint32_t end);

/** Make the next state the current one, and end the step. */
enum flock_status flock_swap_buffers(struct flock *flock, const struct flock_params *params);

/* Those of the other two orders, for those who look at something else meanwhile. They work in place:
 *
 *     sequential    flock_begin_in_place, flock_update_range over all turns in ascending pieces, flock_end_step; shuffled as well
 *     passes        flock_sort, flock_run_pass for each pass over all boids in ascending pieces, flock_end_step
 */

/** File every boid, and choose the order of turns. */
void flock_begin_in_place(struct flock *flock, const struct flock_params *params);

/** Let those whose turns are [begin, end) take them one after the other; in a sequential flock these are the boids.
 * @return FLOCK_OK, or FLOCK_E_RANGE, after which the flock is spoilt. */
enum flock_status flock_update_range(struct flock *flock, const struct flock_params *params, uint32_t begin,
                                     uint32_t end);

enum flock_pass {
    FLOCK_PASS_SEPARATION,
    FLOCK_PASS_ALIGNMENT,
    FLOCK_PASS_COHESION,
    FLOCK_PASS_LAST /**< everybody moves */
};

/** One pass over the boids [begin, end); returns as flock_update_range(). */
enum flock_status flock_run_pass(struct flock *flock, const struct flock_params *params, enum flock_pass pass,
                                 uint32_t begin, uint32_t end);

/** When all boids have moved: move the predators, and count the step. flock_swap_buffers() does it. Predators that hunt look for
 * the boids in `flock->boids`, by id. */
enum flock_status flock_end_step(struct flock *flock, const struct flock_params *params);

/** A hash of the state, 64 bits: equal on every machine that flew the same flock to the same bits. `boids --hash` prints
 * it. */
uint64_t flock_hash(const struct flock *flock);

#ifdef __cplusplus
}
#endif

#endif
