/* A synchronous flock that several ranks fly together. Compiled for float32 and float64; the bits are those of packed.c.
 *
 * The table of cells is a ring of rows, whatever the border: cells are folded. Each rank owns a band of rows, by the table's
 * numbers and not by place, so that whoever leaves the world or runs away has a row and an owner like anybody else. A rank's
 * page is its band and a row more on either side, the halo:
 *
 *     table   | 0 1 2 3 | 4 5 6 7 | 8 9 10 11 |        page of rank 1   3 [4 5 6 7] 8
 *              rank 0    rank 1    rank 2              page of rank 0  11 [0 1 2 3] 4
 *
 * One rule does migration and halos in one message: after a step each boid is told to every rank that owns its row or a row
 * beside it. A band has at least two rows, so that no row stands in a page twice and no boid has more than two to be told.
 * Most news is for the two neighbours. Who has jumped farther (a stray) is told as well, and then everybody learns how many
 * messages to expect. In what order they come does not matter: a page is sorted by cell, then id.
 *
 *     sort, fly the band | agree that it is good | sort out | agree on strays and room | exchange | take in
 *
 * Each rank flies all predators. They see nobody but, where they hunt, their prey (bands_hunt.h), when the boids have moved and
 * before anybody is told of it.
 *
 * This file has the step and the table of functions. Others, joined by bands.h, have the memory (bands_memory.c), letters and
 * messages (bands_mail.c), and how boids come in (bands_deal.c) and go out (bands_ask.c).
 */
#include "bands.h"

#include "bands_weight.h"
#include "crowd.h"
#include "flock/from_model.h"
#include "scene.h"

#include <math.h>

static bool tell_of_slot(struct core_flock *flock, uint32_t slot)
{
    const struct page *page = &flock->page;
    const struct letter letter = {page->latest[slot], page_id(page, slot), page->cell[slot]};
    return bands_tell_others(flock, &letter);
}

static void change_slots(struct page *page, uint32_t a, uint32_t b)
{
    const struct flock_agent boid = page->latest[a];
    const uint64_t key = page->keys[a];
    page->latest[a] = page->latest[b];
    page->keys[a] = page->keys[b];
    page->cell[a] = page->cell[b];
    page->latest[b] = boid;
    page->keys[b] = key;
}

/* Slots looked at together. */
enum { BLOCK = 256 };

/* Whether nobody in a block concerns anybody else: in cells of the table from `first` on. */
static bool are_inner(const uint32_t *cells, uint32_t first, uint32_t count)
{
    uint32_t outside = 0;
    for (int i = 0; i < BLOCK; i++)
        outside |= cells[i] - first >= count;
    return !outside;
}

static void shift(uint32_t *cells, uint32_t by)
{
    for (int i = 0; i < BLOCK; i++)
        cells[i] += by;
}

/* Who does not concern this rank any more changes slots with the last, and waits behind the end until all have gone. Returns
 * the slot to go on with. */
static uint32_t sort_out_some(struct core_flock *flock, uint32_t s)
{
    struct page *page = &flock->page;
    const uint32_t until = s + BLOCK, inner = 2 * bands_columns_of(flock), inner_end = page->cells - inner;
    while (s < until && s < page->end) {
        const uint32_t cell = bands_cell_of_page(flock, page->cell[s]);
        if ((cell >= inner && cell < inner_end) || tell_of_slot(flock, s))
            page->cell[s++] = cell;
        else
            change_slots(page, s, --page->end);
    }
    return s;
}

/* Whoever is in the first or last row of the band, or has left it, may concern others. Hardly anybody is: boids stand in the
 * order of their cells as the last step found them, so that most blocks are passed over at once. */
static void sort_out(struct core_flock *flock)
{
    struct page *page = &flock->page;
    const uint32_t columns = bands_columns_of(flock), inner = 2 * columns;
    const uint32_t first = (flock->edges.first[flock->ranks->rank] + 1) * columns;
    const uint32_t count = page->cells - 2 * inner;
    for (uint32_t s = page->begin; s < page->end;) {
        if (page->end - s < BLOCK || !are_inner(page->cell + s, first, count)) {
            s = sort_out_some(flock, s);
            continue;
        }
        shift(page->cell + s, inner - first);
        s += BLOCK;
    }
}

/* Nobody has been told anything. What cells they are in only the next step would ask. */
static void take_back(struct core_flock *flock, const struct page *before)
{
    struct page *page = &flock->page;
    bands_empty_boxes(flock);
    page_take_rows(page, before->first_row, before->rows);
    page->end = before->end;
    for (uint32_t s = page->begin; s < page->end; s++)
        page->cell[s] = bands_columns_of(flock);
}

static struct flock as_flock(const struct core_flock *flock)
{
    return (struct flock){.step = flock->step,
                          .count = flock->count,
                          .predator_count = flock->predator_count,
                          .predators = flock->predators};
}

/* The same on all ranks: dropped when one has dropped it, else failed when one has. */
static enum flock_status fly(struct core_flock *flock)
{
    struct page *page = &flock->page;
    const struct flock whole = as_flock(flock);
    const struct flock_scene scene = flock_scene_of(&whole, &page->params);
    _Static_assert(FLOCK_OK < FLOCK_E_RANGE && FLOCK_E_RANGE < FLOCK_E_DROPPED, "the largest counts");
    page_blank(page);
    balance_begin(&flock->balance);
    const enum flock_status status = page_sort_and_fly(page, &scene, 1, page->rows - 1);
    balance_end(&flock->balance);
    return (enum flock_status)bands_agree(flock, status);
}

static void find_lost(struct core_flock *flock)
{
    uint64_t lost = page_find_lost(&flock->page, flock->page.begin, flock->page.end);
    flock->ranks->merge(flock->ranks, &lost, 1, RANKS_LEAST);
    flock->lost = (uint32_t)lost;
}

/* Of the page that was flown only the band stays. */
static void keep_band(struct page *page, uint32_t columns)
{
    page->begin = page->start[columns];
    page->end = page->start[page->cells - columns];
}

static void look_at_balance(struct core_flock *flock)
{
    struct balance *balance = &flock->balance;
    const uint32_t first = flock->edges.first[flock->ranks->rank];
    balance_clear(balance);
    for (uint32_t row = 1; row < flock->page.rows - 1; row++)
        balance->words[first + row - 1] = bands_weight_of_row(&flock->page, row);
    balance_look(balance, &flock->edges, flock->ranks);
}

static void move_edges(struct core_flock *flock)
{
    if (balance_is_due(&flock->balance))
        look_at_balance(flock);
    bands_edges_draw(&flock->edges, flock->step);
}

/* When that is not to be done, the flock stays as it is, for somebody to write it. */
static void hand_over(struct core_flock *flock)
{
    const struct page before = flock->page;
    move_edges(flock);
    bands_take_band(flock);
    sort_out(flock);
    if (!bands_deliver(flock, false))
        take_back(flock, &before);
}

/* The page has the band alone. Those who hunt are shown a flock of their prey. */
static enum flock_status end_step(struct core_flock *flock)
{
    struct flock whole = as_flock(flock);
    bands_hunt_look(&flock->hunt, flock->ranks, &flock->page, flock->predators);
    whole.boids = flock->hunt.prey;
    whole.count = flock->hunt.prey_count;
    const enum flock_status status = flock_end_step(&whole, &flock->page.params);
    flock->step = whole.step;
    flock->lost = flock->count + whole.lost - whole.count;
    return status;
}

static enum flock_status bands_step(struct core_flock *flock)
{
    enum flock_status status = fly(flock);
    if (status == FLOCK_E_DROPPED) {
        page_go_back(&flock->page);
        return status;
    }
    keep_band(&flock->page, bands_columns_of(flock));
    if (status == FLOCK_E_RANGE) {
        find_lost(flock);
        return status;
    }
    status = end_step(flock);
    if (status == FLOCK_OK)
        hand_over(flock);
    return status;
}

/* What else the table has. */

static bool bands_knows(const struct flock_model *model)
{
    return model->update == FLOCK_SYNCHRONOUS;
}

static uint32_t bands_rows(const struct flock_model *model, uint32_t boids)
{
    const struct flock_params params = flock_params_from_model(model, boids);
    return (uint32_t)params.y.table_cells;
}

/* Cells of other rows have nobody. */
static uint32_t count_in_cell(const void *context, uint32_t cell)
{
    const struct core_flock *flock = context;
    const uint32_t own = bands_cell_of_page(flock, cell);
    return own < flock->page.cells ? flock->page.start[own] : 0;
}

static double bands_crowd(struct core_flock *flock)
{
    page_count(&flock->page);
    return crowd_of(&flock->page.params, flock->page.end - flock->page.begin, count_in_cell, flock);
}

static double bands_imbalance(const struct core_flock *flock, uint64_t *moves)
{
    *moves = flock->balance.moves;
    return flock->balance.ratio;
}

static bool bands_has_room(const struct core_flock *flock, uint64_t *wanted)
{
    *wanted = flock->wanted;
    return !flock->is_short;
}

static uint32_t bands_lost(const struct core_flock *flock)
{
    return flock->lost;
}

const struct core_table FLOCK_TAGGED(core_table_bands) = {
    .knows = bands_knows,
    .rows = bands_rows,
    .memory = bands_memory,
    .create = bands_create,
    .free = bands_free,
    .place = bands_place,
    .holds = num_holds,
    .set = bands_set,
    .set_boids = bands_set_boids,
    .get = bands_get,
    .get_boids = bands_get_boids,
    .get_predators = bands_get_predators,
    .hash = bands_hash,
    .step = bands_step,
    .crowd = bands_crowd,
    .has_room = bands_has_room,
    .imbalance = bands_imbalance,
    .lost = bands_lost,
};
