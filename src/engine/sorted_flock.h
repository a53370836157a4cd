/* The boids of a synchronous flock in some rows of cells: sorted by cell, then id, and stepped in SIMD vectors. A
 * store of all rows is a whole flock (backend_synchronous.c); a store of some rows, with a ghost row on either side, is a
 * subdomain (mpi/backend_domain.c). Compiled once per number type. The results are bit-identical to those of the scalar core.
 *
 * There are two buffers. `latest` has the state after the last step, with each boid in the slot that it had before
 * it moved. The sort copies it into `sorted`, and the step writes the next state into the same slots of `latest`:
 *
 *     latest --sort by cell, then id--> sorted --step--> latest      the ids are sorted, too
 */
#pragma once

#include "backend.h"
#include "base/arena.h"
#include "engine/simd/simd_step.h"
#include "engine/threads/team.h"
#include "flock/flock.h"
#include "nearest_sums.h"
#include "step_cancellation.h"
#include "undivided_flock.h"

#include <stdatomic.h>
#include <stdint.h>

struct sorted_flock {
    struct flock_params params;
    /* First row of the table in this store, and number of rows; the table is a ring. */
    uint32_t first_row, rows;
    uint32_t cells;                      /* number of cells in the rows of this store */
    uint32_t begin, end;                 /* the slots of `latest` to sort */
    uint32_t capacity, max_cells;        /* allocated memory, in boids and in cells */
    struct flock_agent *latest, *sorted; /* with room for one SIMD vector after the last boid */
    uint64_t *keys, *other_keys; /* the cell and the id of each slot; the second array is scratch memory */
    /* Cell of the boid in each slot of `latest`: its index in the store (before the sort) or in the whole table (after a step). */
    uint32_t *cell;
    uint32_t *start; /* first slot of each cell in `sorted` */
    /* An array of chunks x cells: first the number of boids of each chunk in each cell, later the lowest slot of these boids. */
    uint32_t *slot_counts;
    int max_chunks, chunks;  /* number of chunks of the sort: the maximum, and the number in this step */
    uint32_t sums[TEAM_MAX]; /* number of boids in each chunk of the cells */
    struct team *team;
    const struct step_cancellation *cancellation;
    atomic_bool has_failed, is_cancelled;
    struct nearest_sums *nearest; /* NULL: no rule has `nearest`; otherwise the store has all boids */
    simd_step_rows *step_rows;
};

#define sorted_flock_make               FLOCK_TYPED(sorted_flock_make)
#define sorted_flock_sort_chunks        FLOCK_TYPED(sorted_flock_sort_chunks)
#define sorted_flock_set_rows           FLOCK_TYPED(sorted_flock_set_rows)
#define sorted_flock_allocate           FLOCK_TYPED(sorted_flock_allocate)
#define sorted_flock_clear_padding      FLOCK_TYPED(sorted_flock_clear_padding)
#define sorted_flock_step               FLOCK_TYPED(sorted_flock_step)
#define sorted_flock_first_out_of_range FLOCK_TYPED(sorted_flock_first_out_of_range)
#define sorted_flock_rollback           FLOCK_TYPED(sorted_flock_rollback)

static inline uint64_t sorted_flock_key(uint32_t cell, uint32_t id)
{
    return (uint64_t)cell << 32 | id;
}

static inline uint32_t sorted_flock_id(const struct sorted_flock *store, uint32_t slot)
{
    return (uint32_t)store->keys[slot];
}

/** The slots of `latest` from `begin` on. */
static inline struct boid_slots sorted_flock_slots(const struct sorted_flock *store)
{
    return (struct boid_slots){.boids = store->latest + store->begin, .keys = store->keys + store->begin};
}

/** The maximum number of chunks in which `boids` boids are sorted. */
int sorted_flock_sort_chunks(uint32_t boids, const struct backend_tuning *tuning);

/** An empty store of all rows, for `boids` boids. Its memory is not allocated yet. */
struct sorted_flock sorted_flock_make(const struct flock_model *model, uint32_t boids,
                                      const struct backend_tuning *tuning);

/** Let the store cover `rows` rows of cells from `first_row` on. Its boids keep their cells. */
void sorted_flock_set_rows(struct sorted_flock *store, uint32_t first_row, uint32_t rows);

/** Take memory for `capacity` boids from the arena (which only counts the bytes if its base is NULL). */
void sorted_flock_allocate(struct sorted_flock *store, struct arena *arena);

/** Fill the slots after the last boid with positions that are not near any boid, because SIMD vectors read these
 * slots. */
void sorted_flock_clear_padding(struct sorted_flock *store);

/** Sort the boids by cell and id into slots from 0 on, and step those in rows [begin, end) of the store. Afterwards
 * `latest` has no boids of other rows.
 *
 * @return FLOCK_E_RANGE if a boid leaves the range of num, FLOCK_E_CANCELLED if the step is cancelled.
 */
enum flock_status sorted_flock_step(struct sorted_flock *store, const struct flock_step_context *context,
                                    uint32_t begin, uint32_t end);

/** After FLOCK_E_RANGE: the lowest id of the boids of the store that left the range; UINT32_MAX: none. */
uint32_t sorted_flock_first_out_of_range(const struct sorted_flock *store);

/** Undo a step, even a failed one: `latest` has the state before the step again. */
void sorted_flock_rollback(struct sorted_flock *store);
