/* The boids of a synchronous flock in some rows of cells: sorted by cell, then id, and stepped in SIMD vectors. A store of all rows
 * is a whole flock (backend_sync.c); a store of some rows, with a ghost row on either side, is a subdomain (domain.c). Compiled
 * once per number type. The bits are those of the scalar core.
 *
 * Storage is double-buffered. `latest` holds the state after the last step: each boid in the slot that it had before it moved.
 * Sorting copies it into `sorted`, and the step writes the next state back into the same slots:
 *
 *     latest --sort by cell, then id--> sorted --step--> latest      the ids are sorted along
 */
#ifndef CELL_STORE_H
#define CELL_STORE_H

#include "arena.h"
#include "core_ops.h"
#include "flock/flock.h"
#include "simd_step.h"
#include "step_monitor.h"
#include "team.h"
#include "thread_tuner.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CELL_STORE_PADDING = 16 };

struct cell_store {
    struct flock_params params;
    uint32_t first_row, rows;            /* of the table; behind the last comes the first again */
    uint32_t cells;                      /* of these rows, counted from the first of them */
    uint32_t begin, end;                 /* the slots of `latest` that are to be sorted */
    uint32_t capacity, most_cells;       /* that there is room for */
    struct flock_agent *latest, *sorted; /* room for one SIMD vector more */
    uint64_t *keys,
        *other_keys;  /* likewise: the cell when it was sorted, then the id; the store to sort into */
    uint32_t *cell;   /* of the slots of `latest`: of the store before the sort, of the table after a step */
    uint32_t *start;  /* of the cells in `sorted` */
    uint32_t *places; /* chunks x cells: how many boids a chunk has in a cell, then where they go */
    int most_chunks, chunks;  /* of the sort: at most, and in this step */
    uint32_t sums[TEAM_MOST]; /* the boids in each chunk of the cells */
    struct team *team;
    const struct step_monitor *monitor;
    atomic_bool has_failed, is_cancelled;
    struct thread_tuner tuner;
    simd_step_rows *step_rows;
};

#define cell_store_make               FLOCK_TYPED(cell_store_make)
#define cell_store_sort_chunks        FLOCK_TYPED(cell_store_sort_chunks)
#define cell_store_set_rows           FLOCK_TYPED(cell_store_set_rows)
#define cell_store_allocate           FLOCK_TYPED(cell_store_allocate)
#define cell_store_clear_padding      FLOCK_TYPED(cell_store_clear_padding)
#define cell_store_step               FLOCK_TYPED(cell_store_step)
#define cell_store_first_out_of_range FLOCK_TYPED(cell_store_first_out_of_range)
#define cell_store_rollback           FLOCK_TYPED(cell_store_rollback)
#define cell_store_count              FLOCK_TYPED(cell_store_count)

static inline uint64_t cell_store_key(uint32_t cell, uint32_t id)
{
    return (uint64_t)cell << 32 | id;
}

static inline uint32_t cell_store_id(const struct cell_store *store, uint32_t slot)
{
    return (uint32_t)store->keys[slot];
}

/** Into how many chunks the sort of so many boids is cut at most. */
int cell_store_sort_chunks(uint32_t boids, const struct core_tuning *tuning);

/** A store of all rows for a flock of so many boids, empty and without memory. */
struct cell_store cell_store_make(const struct flock_model *model, uint32_t boids,
                                  const struct core_tuning *tuning);

/** Have it hold other rows. What it holds keeps the cells that it had. */
void cell_store_set_rows(struct cell_store *store, uint32_t first_row, uint32_t rows);

/** Deal it memory for `capacity` boids; with a null base only add up what it needs. */
void cell_store_allocate(struct cell_store *store, struct arena *arena);

/** Behind the boids stands nobody: SIMD vectors read there what no one has written. */
void cell_store_clear_padding(struct cell_store *store);

/** Sort the boids, by cell and id, into slots from 0 on, and step those in rows [begin, end) of the store. Boids of other rows
 * are then not in `latest`.
 *
 * @return FLOCK_E_RANGE when a boid leaves what num can hold, FLOCK_E_CANCELLED when the step is not wanted any more.
 */
enum flock_status cell_store_step(struct cell_store *store, const struct flock_step_context *context,
                                  uint32_t begin, uint32_t end);

/** When that has failed, the lowest id of those in slots [begin, end) that left; UINT32_MAX: none. */
uint32_t cell_store_first_out_of_range(const struct cell_store *store, uint32_t begin, uint32_t end);

/** After a step, also a failed one: `latest` is again the state before the step. */
void cell_store_rollback(struct cell_store *store);

/** Between steps: start[c] is the number of boids in cell c, until the next sort. */
void cell_store_count(struct cell_store *store);

#endif
