/* One back end: a table of functions whose numbers are double, whatever its own number type is.
 *
 * On several ranks, all of them call each function, in the same order.
 *
 * backend_scalar.c and backend_sync.c are compiled once per number type, like the core itself, backend_inplace.c for float32
 * and float64; each defines a table. The user of a table need not know which type is behind it.
 */
#ifndef ENGINE_CORE_OPS_H
#define ENGINE_CORE_OPS_H

#include "agent.h"
#include "comm/comm.h"
#include "flock/model.h"
#include "isa.h"
#include "step_monitor.h"
#include "team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Rules, flock and memory of one build; opaque. */
struct core_flock;

/** What changes the speed of a flock and nothing else. */
struct core_tuning {
    enum isa isa;
    int threads;                        /**< 1 to TEAM_MOST */
    struct team *team;                  /**< of so many; to create() */
    const struct step_monitor *monitor; /**< likewise; asked during a step */
    const struct comm *comm;            /**< of the flock; domain.c only */
    uint64_t
        partition_seed; /**< likewise, for tests: not 0, random boundaries between subdomains after each step */
};

struct core_ops {
    /** Whether it supports all that a model asks for; the scalar core does. */
    bool (*supports)(const struct flock_model *model);
    /** Rows of cells; domain.c only. */
    uint32_t (*rows)(const struct flock_model *model, uint32_t boids);
    /** Bytes that create() will take. */
    size_t (*memory)(const struct flock_model *model, uint32_t boids, uint32_t predators,
                     const struct core_tuning *tuning);
    /** A flock of so many agents, unset; NULL when memory ran out. */
    struct core_flock *(*create)(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                 const struct core_tuning *tuning);
    /** Free it; NULL: by free(). */
    void (*free)(struct core_flock *flock);
    /** Place all agents at random, at step 0. */
    void (*place)(struct core_flock *flock, const struct flock_model *model);
    /** True when the number type can hold a value. */
    bool (*can_represent)(double value);
    /** Set or get all agents: boids, then predators. Setting rounds to the nearest number; `step` is the frame they are. Of several
     * ranks rank 0 has them, and the others give NULL. */
    void (*set)(struct core_flock *flock, const struct agent *agents, uint64_t step);
    void (*get)(const struct core_flock *flock, struct agent *agents);
    /** Rank 0 gets boids [first, first + count), at most ENGINE_SLAB; behind those of the last slab come all predators. domain.c
     * only. */
    void (*get_slab)(const struct core_flock *flock, uint32_t first, uint32_t count, struct agent *agents);
    /** The boids that this rank owns, in any order, and all predators behind them. Returns how many boids these are; with null
     * pointers it does nothing else. Not collective. domain.c only. */
    uint32_t (*get_own)(const struct core_flock *flock, uint32_t *ids, struct agent *agents);
    /** Set all agents, of which each rank gives some boids, with the predators behind those of rank 0. Null `ids`: from 0 on.
     * domain.c only. */
    void (*set_own)(struct core_flock *flock, uint32_t count, const uint32_t *ids, const struct agent *agents,
                    uint64_t step);
    /** flock_hash(). */
    uint64_t (*hash)(const struct core_flock *flock);
    /** One step. FLOCK_E_CANCELLED: it was not wanted to the end, and the flock is as before it. Of several ranks
     * none may have room for another: has_room(). */
    enum flock_status (*step)(struct core_flock *flock);
    /** The others that a boid is compared with, in the mean over all, or over this rank's: between steps. Called by any
     * rank alone. */
    double (*mean_candidates)(struct core_flock *flock);
    /** What that is for boids spread evenly over the world. */
    double (*expected_candidates)(const struct flock_model *model, uint32_t boids);
    /** domain.c only: false where a rank found no memory in place(), set() or step(). After the first two the flock is not
     * complete; a step is complete, but is the last. `wanted`: for how many boids this rank has no memory; 0: another rank. */
    bool (*has_room)(const struct core_flock *flock, uint64_t *wanted);
    /** domain.c only: the imbalance factor (struct load_balance), and how often boundaries were moved. */
    double (*imbalance)(const struct core_flock *flock, uint64_t *moves);
    /** When that has failed: the first agent that left, boids before predators. */
    uint32_t (*lost)(const struct core_flock *flock);
};

extern const struct core_ops core_ops_scalar_f32, core_ops_scalar_f64, core_ops_scalar_fixed;

/** Synchronous flocks, in SIMD vectors (backend_sync.c). */
extern const struct core_ops core_ops_sync_f32, core_ops_sync_f64;

/** Synchronous flocks of floats on several ranks (domain.c). */
extern const struct core_ops core_ops_domain_f32, core_ops_domain_f64;

/** Sequential flocks of floats and those in passes, candidates abreast (backend_inplace.c). */
extern const struct core_ops core_ops_inplace_f32, core_ops_inplace_f64;

#endif
