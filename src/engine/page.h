/* A page: the boids of a synchronous flock that stand in some rows of cells, kept sorted by cell, then id, and stepped in
 * SIMD vectors. The page of all rows is a whole flock (backend_sync.c); with a ghost row on either side, those of a subdomain (domain.c).
 * Compiled once per number type; the scalar core does the same, and its bits are the measure.
 *
 * Two pages of records take turns (a double buffer). `latest` holds the state as the last step left it: each boid in the slot it had
 * before it moved. Sorting copies it into `sorted`, stepping writes the next state back into the same slots:
 *
 *     latest --sort by cell, then id--> sorted --step--> latest      ids go along with the sort
 */
#ifndef PAGE_H
#define PAGE_H

#include "arena.h"
#include "core_ops.h"
#include "flock/flock.h"
#include "pace.h"
#include "simd_step.h"
#include "team.h"
#include "watch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { PAGE_PADDING = 16 };

struct page {
    struct flock_params params;
    uint32_t first_row, rows;            /* of the table; behind the last comes the first again */
    uint32_t cells;                      /* of these rows, counted from the first of them */
    uint32_t begin, end;                 /* the slots of `latest` that are to be sorted */
    uint32_t capacity, most_cells;       /* that there is room for */
    struct flock_agent *latest, *sorted; /* room for one SIMD vector more */
    uint64_t *keys,
        *other_keys;  /* likewise: the cell when it was sorted, then the id; the page to sort into */
    uint32_t *cell;   /* of the slots of `latest`: of the page before the sort, of the table after a step */
    uint32_t *start;  /* of the cells in `sorted` */
    uint32_t *places; /* shares x cells: how many boids a share has in a cell, then where they go */
    int most_shares, shares;  /* of the sort: at most, and in this step */
    uint32_t sums[TEAM_MOST]; /* the boids in each share of the cells */
    struct team *team;
    const struct watch *watch;
    atomic_bool has_failed, is_dropped;
    struct pace pace;
    simd_step_rows *step_rows;
};

#define page_make         FLOCK_TYPED(page_make)
#define page_shares_of    FLOCK_TYPED(page_shares_of)
#define page_take_rows    FLOCK_TYPED(page_take_rows)
#define page_lay_out      FLOCK_TYPED(page_lay_out)
#define page_blank        FLOCK_TYPED(page_blank)
#define page_sort_and_fly FLOCK_TYPED(page_sort_and_fly)
#define page_find_lost    FLOCK_TYPED(page_find_lost)
#define page_go_back      FLOCK_TYPED(page_go_back)
#define page_count        FLOCK_TYPED(page_count)

static inline uint64_t page_key(uint32_t cell, uint32_t id)
{
    return (uint64_t)cell << 32 | id;
}

static inline uint32_t page_id(const struct page *page, uint32_t slot)
{
    return (uint32_t)page->keys[slot];
}

/** Into how many shares the sort of so many boids is cut at most. */
int page_shares_of(uint32_t boids, const struct core_tuning *tuning);

/** A page of all rows for a flock of so many boids, empty and without memory. */
struct page page_make(const struct flock_model *model, uint32_t boids, const struct core_tuning *tuning);

/** Have it hold other rows. What it holds keeps the cells that it had. */
void page_take_rows(struct page *page, uint32_t first_row, uint32_t rows);

/** Deal it memory for `capacity` boids; with a null base only add up what it needs. */
void page_lay_out(struct page *page, struct arena *arena);

/** Behind the boids stands nobody: SIMD vectors read there what no one has written. */
void page_blank(struct page *page);

/** Sort the boids, by cell and id, into slots from 0 on, and fly those in rows [begin, end) of the page. Those of other rows
 * are then nowhere in `latest`.
 *
 * @return FLOCK_E_RANGE when a boid leaves what num can hold, FLOCK_E_CANCELLED when the step is not wanted any more.
 */
enum flock_status page_sort_and_fly(struct page *page, const struct flock_step_context *context,
                                    uint32_t begin, uint32_t end);

/** When that has failed, the lowest id of those in slots [begin, end) that left; UINT32_MAX: none. */
uint32_t page_find_lost(const struct page *page, uint32_t begin, uint32_t end);

/** After a step, whatever became of it: `latest` is the page once more that was flown. */
void page_go_back(struct page *page);

/** Between steps: start[c] is the number of boids in cell c, until the next sort. */
void page_count(struct page *page);

#endif
