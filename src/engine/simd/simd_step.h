/* The synchronous step with SIMD: one vector of boids at a time.
 *
 * The boids are sorted by cell, then id. Eight or sixteen adjacent boids of a row of cells are put into the lanes of a SIMD vector. All
 * their candidates are in three spans of memory: one in the row above, one in their own row, one in the row below. Each candidate is
 * read once and compared with all lanes.
 *
 *     row above      . . [c c c c c c c] . .
 *     own row        . . [c B B B B B c] . .       B: the lanes
 *     row below      . . [c c c c c c c] . .       c: candidates
 *
 * Each lane adds up its neighbours by cell, then id. These are the same additions as in the scalar core, in the same
 * order, so the results have the same bits.
 */
#pragma once

#include "engine/step_cancellation.h"
#include "flock/flock.h"
#include "isa.h"
#include "num.h"
#include "step_context.h"

/** The sums of one rule over the neighbours of each boid. */
struct rule_sums {
    num *x, *y, *count;
};

/** The sum of a rule over the nearest neighbours of one boid. */
struct nearest_sum {
    num x, y, count;
};

/** The largest number of lanes. Arrays that are loaded into SIMD vectors have room for this number of elements after the last one. */
enum { SIMD_LANES_MAX = 16 };

struct nearest_sums; /* engine/nearest_sums.h */

/** A flock between two steps, sorted by cell, then id. */
struct simd_flock {
    const struct flock_agent *boids; /**< with room for one SIMD vector after the last boid */
    const uint32_t *start;           /**< first slot of each cell; cells + 1 numbers */
    const uint64_t *keys; /**< one key per slot, whose lower half is the id; used only by simd_step_rows */
    const num *x, *y;     /**< copies of the positions; used by simd_list_neighbours only */
    const struct nearest_sums *nearest; /**< NULL: no rule has `nearest`; otherwise the flock has all boids */
    /** First row of the table in this flock, and number of rows; the table is a ring. */
    uint32_t first_row, rows;
};

/** The next state, in the same slots as the current one. */
struct simd_output {
    struct flock_agent *boids;
    uint32_t *cell; /**< cell of each boid in the next state */
};

/** Step the boids in rows [begin, end) of `flock`. If `flock` is a part of the table, its first and last row cannot be
 * stepped.
 *
 * @return FLOCK_E_RANGE if a boid leaves the range of num; all boids are stepped nevertheless, and the state of this
 *   boid in `next->boids` is not finite. FLOCK_E_CANCELLED as soon as the step is cancelled, which is checked with `count`.
 */
typedef enum flock_status simd_step_rows(const struct simd_flock *flock,
                                         const struct flock_step_context *context,
                                         const struct simd_output *next,
                                         struct step_cancellation_count *count, uint32_t begin, uint32_t end);

static inline bool simd_is_out_of_range(const struct flock_agent *boid)
{
    return !num_is_finite(boid->position.x) || !num_is_finite(boid->position.y) ||
           !num_is_finite(boid->velocity.x) || !num_is_finite(boid->velocity.y);
}

/** Slots of neighbours by cell, then id. */
enum { SIMD_LIST_MAX = 256 };

struct slot_list {
    uint32_t slots[SIMD_LIST_MAX + SIMD_LANES_MAX];
    uint32_t count;
};

/** One boid with its candidates in lanes, for flocks whose boids are updated one after another. The sums of a boid
 * depend on the previous boid, so they are computed for one boid at a time, by the scalar rules. */
struct simd_neighbour_lists {
    const struct simd_flock *flock;
    const struct flock_params *params;
    uint32_t slot, column, row; /**< slot of the boid, and column and row of its cell */
    unsigned wanted;            /**< rules (enum rule_set), for `general` */
    /** Alignment and separation have the same neighbours, and the list of separation stays empty. */
    bool shares_alignment_list;
    int span;            /**< where to continue: index of the span of candidates; 0 at first */
    uint32_t at;         /**< where to continue: slot of the candidate; 0 at first */
    bool crosses_seam;   /**< set with the lists: candidates are across the seam of a torus */
    uint32_t seen_count; /**< number of neighbours within the widest radius; only `general` sets it */
    struct slot_list separation, alignment, cohesion; /**< the neighbours of each rule */
};

/** List the neighbours of the boid. Returns true if the lists were full before the last candidate; the next call continues there with empty
 * lists. */
typedef bool simd_list_neighbours(struct simd_neighbour_lists *lists);

/** Five versions. The first lists the neighbours of alignment only, the second those of all rules. The third is for
 * flocks in which alignment and cohesion have the same neighbours, so that cohesion needs no list. The fourth and
 * fifth do the same as the second and third for rules that depend on more than distances (ZONES_GENERAL). */
struct simd_list_kernels {
    simd_list_neighbours *alignment, *all, *shared, *general, *general_shared;
};

/** The first pass, which depends on positions only: separation changes the velocities in the `boids` of the flock, and
 * cohesion is summed at the same time. False if `count` cancels the step. */
typedef bool simd_first_pass(const struct simd_flock *flock, const struct flock_params *params,
                             struct flock_agent *boids, const struct rule_sums *cohesion,
                             struct step_cancellation_count *count);

/** The last pass: cohesion, and the rest of the update. It affects no other boid.
 *
 * @param before the flock before the first pass, by slot; may be the memory of the next state.
 * @param cohesion the sums of cohesion by slot, from the first pass, with room for one SIMD vector after the last.
 * @param ids id of each slot, with room for one SIMD vector after the last.
 * @return as simd_step_rows.
 */
typedef enum flock_status simd_last_pass(const struct simd_flock *flock,
                                         const struct flock_step_context *context,
                                         const struct rule_sums *cohesion, const struct flock_agent *before,
                                         const uint32_t *ids, const struct simd_output *next);

/** The loops of one instruction set. */
struct simd_kernels {
    simd_step_rows *step_rows;
    struct simd_list_kernels list_neighbours;
    simd_first_pass *first_pass;
    simd_last_pass *last_pass;
};

#define simd_kernels_plain FLOCK_TYPED(simd_kernels_plain)
#define simd_kernels_v3    FLOCK_TYPED(simd_kernels_v3)
#define simd_kernels_v4    FLOCK_TYPED(simd_kernels_v4)
#define simd_kernels_for   FLOCK_TYPED(simd_kernels_for)

extern const struct simd_kernels simd_kernels_plain, simd_kernels_v3, simd_kernels_v4;

/** The loops of an instruction set; NULL if this build does not have it. */
const struct simd_kernels *simd_kernels_for(enum isa isa);
