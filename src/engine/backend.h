/* A back end steps a flock in one way. It is a table of functions that take and return doubles, whatever its number type is. On several
 * ranks, all ranks call each function in the same order. Each of these files defines a table: backend_scalar.c, which is compiled once per
 * number type, and backend_synchronous.c, backend_inplace.c and mpi/backend_domain.c, which are compiled for float32 and float64. */
#pragma once

#include "base/agent.h"
#include "engine/mpi/comm.h"
#include "engine/simd/isa.h"
#include "engine/threads/team.h"
#include "flock/model.h"
#include "step_cancellation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Settings that affect only the speed. */
struct backend_tuning {
    enum isa isa;
    int threads;                                  /**< 1 to TEAM_MAX */
    struct team *team;                            /**< a team of `threads` threads */
    const struct step_cancellation *cancellation; /**< called during a step */
    const struct comm *comm;                      /**< the ranks; mpi/backend_domain.c only */
};

/** `flock` is a struct of the back end, with the rules, the state and all memory. */
struct backend {
    /** The number of rows of cells; mpi/backend_domain.c only. */
    uint32_t (*rows)(const struct flock_model *model);
    /** Make a flock with these numbers of agents, whose state is not set yet, in a block of memory. Returns the number of bytes that it
     * takes. If `memory` is NULL, only this number is computed. mpi/backend_domain.c has the next three functions instead. */
    size_t (*make)(void *memory, const struct flock_model *model, uint32_t boids, uint32_t predators,
                   const struct backend_tuning *tuning);
    /** The number of bytes that create() allocates. */
    size_t (*memory)(const struct flock_model *model, uint32_t boids, uint32_t predators,
                     const struct backend_tuning *tuning);
    /** Create a flock. Returns NULL if memory runs out. */
    void *(*create)(const struct flock_model *model, uint32_t boids, uint32_t predators,
                    const struct backend_tuning *tuning);
    void (*free)(void *flock);
    /** Place all agents at random, at step 0. */
    void (*place)(void *flock, const struct flock_model *model);
    /** True if the number type can represent a value. Not in mpi/backend_domain.c, as round(). */
    bool (*can_represent)(double value);
    /** The nearest value that the number type can represent. */
    double (*round)(double value);
    /** Set or get all agents: boids, then predators. Setting rounds to the nearest number; `step` is the number of the
     * frame. On several ranks, rank 0 has the agents and the others pass NULL. */
    void (*set)(void *flock, const struct agent *agents, uint64_t step);
    /** If `ids` is not NULL, boids may come in another order, in which neighbours are near each other. Returns true if they do; then `ids`
     * has their ids. */
    bool (*get)(const void *flock, struct agent *agents, uint32_t *ids);
    /** In the following steps, add `changes`, rounded to the number type, to the velocities of all boids (struct flock). `room` holds two
     * doubles per boid, and must live as long as the flock. `changes` NULL: no changes. Not in mpi/backend_domain.c. */
    void (*set_changes)(void *flock, const double (*changes)[2], void *room);
    /** flock_hash(). */
    uint64_t (*hash)(const void *flock);
    /** Advance by one step. FLOCK_E_CANCELLED: the step was cancelled, and the flock is unchanged. On several ranks, has_memory_for_boids()
     * returns true after a step if all ranks have memory for the next one. */
    enum flock_status (*step)(void *flock);
    /** True if all ranks had enough memory in place(), set() or step(). If not, the flock is incomplete after place()
     * and set(); after step(), it is complete, but cannot be stepped again. `wanted`: the number of boids for which
     * this rank had no memory; 0 if only another rank ran out of memory. mpi/backend_domain.c only. */
    bool (*has_memory_for_boids)(const void *flock, uint64_t *wanted);
    /** The imbalance factor (struct load_balance), and the number of times that boundaries were moved. mpi/backend_domain.c only. */
    double (*imbalance)(const void *flock, uint64_t *moves);
    /** After FLOCK_E_RANGE: the index of the first agent that left the range; boids come before predators. */
    uint32_t (*first_out_of_range)(const void *flock);
};

/** Create a flock; NULL if memory runs out. */
void *backend_create(const struct backend *backend, const struct flock_model *model, uint32_t boids,
                     uint32_t predators, const struct backend_tuning *tuning);

void backend_free(const struct backend *backend, void *flock);

extern const struct backend backend_scalar_f32, backend_scalar_f64, backend_scalar_fixed;

/** Synchronous flocks, in SIMD vectors (backend_synchronous.c). */
extern const struct backend backend_synchronous_f32, backend_synchronous_f64;

/** Synchronous flocks of floats on several ranks (mpi/backend_domain.c). */
extern const struct backend backend_domain_f32, backend_domain_f64;

/** Flocks of floats with the update orders sequential, shuffled and passes; the candidates of one boid are in the
 * lanes of a SIMD vector (backend_inplace.c). */
extern const struct backend backend_inplace_f32, backend_inplace_f64;
