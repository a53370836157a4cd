/* Sorting is a counting sort over the cells, which the step has told already. Each thread counts and deals a share of the
 * slots; within a cell boids then stand as they stood before, nearly in order of id, and an insertion sort mends the rest.
 */
#include "page.h"

#include "flock/from_model.h"
#include "grid.h"

#include <string.h>

/* Threads pay from here on. */
enum { FEW = 4000 };

int page_shares_of(uint32_t boids, const struct core_tuning *tuning)
{
    return boids < FEW ? 1 : tuning->threads;
}

struct page page_make(const struct flock_model *model, uint32_t boids, const struct core_tuning *tuning)
{
    struct page page = {
        .params = flock_params_from_model(model, boids),
        .capacity = boids,
        .most_shares = page_shares_of(boids, tuning),
        .team = tuning->team,
        .watch = tuning->watch,
        .step_rows = simd_kernels_for(tuning->isa)->step_rows,
    };
    page_take_rows(&page, 0, (uint32_t)page.params.y.table_cells);
    page.most_cells = page.cells;
    pace_init(&page.pace);
    return page;
}

void page_take_rows(struct page *page, uint32_t first_row, uint32_t rows)
{
    page->first_row = first_row;
    page->rows = rows;
    page->cells = rows * (uint32_t)page->params.x.table_cells;
}

void page_lay_out(struct page *page, struct arena *arena)
{
    const size_t n = page->capacity;
    page->latest = arena_alloc(arena, n + PAGE_PADDING, sizeof *page->latest);
    page->sorted = arena_alloc(arena, n + PAGE_PADDING, sizeof *page->sorted);
    page->keys = arena_alloc(arena, n + PAGE_PADDING, sizeof *page->keys);
    page->other_keys = arena_alloc(arena, n + PAGE_PADDING, sizeof *page->other_keys);
    page->cell = arena_alloc(arena, n, sizeof *page->cell);
    page->start = arena_alloc(arena, (size_t)page->most_cells + 1, sizeof *page->start);
    page->places =
        arena_alloc(arena, (size_t)page->most_cells * (size_t)page->most_shares, sizeof *page->places);
}

void page_blank(struct page *page)
{
    const uint32_t count = page->end - page->begin;
    memset(page->latest + page->end, 0, PAGE_PADDING * sizeof *page->latest);
    memset(page->sorted + count, 0, PAGE_PADDING * sizeof *page->sorted);
    memset(page->keys + page->end, 0, PAGE_PADDING * sizeof *page->keys);
    memset(page->other_keys + count, 0, PAGE_PADDING * sizeof *page->other_keys);
}

/* Sorting. */

struct range {
    uint32_t begin, end;
};

static struct range share_of(struct range all, int share, int shares)
{
    const uint64_t n = all.end - all.begin;
    return (struct range){all.begin + (uint32_t)(n * (uint64_t)share / (uint64_t)shares),
                          all.begin + (uint32_t)(n * (uint64_t)(share + 1) / (uint64_t)shares)};
}

static struct range slots_of(const struct page *page, int share)
{
    return share_of((struct range){page->begin, page->end}, share, page->shares);
}

static struct range cells_of(const struct page *page, int share)
{
    return share_of((struct range){0, page->cells}, share, page->shares);
}

static void count_boids(void *context, int share)
{
    struct page *page = context;
    const struct range slots = slots_of(page, share);
    uint32_t *places = page->places + (size_t)share * page->cells;
    memset(places, 0, page->cells * sizeof *places);
    for (uint32_t s = slots.begin; s < slots.end; s++)
        places[page->cell[s]]++;
}

/* The boids in a share of the cells. */
static void add_up(void *context, int share)
{
    struct page *page = context;
    const struct range cells = cells_of(page, share);
    uint32_t sum = 0;
    for (int other = 0; other < page->shares; other++)
        for (uint32_t c = cells.begin; c < cells.end; c++)
            sum += page->places[(size_t)other * page->cells + c];
    page->sums[share] = sum;
}

/* Where each cell begins, and within it the boids of each share, in the order of the shares. */
static void assign_places(void *context, int share)
{
    struct page *page = context;
    const struct range cells = cells_of(page, share);
    uint32_t slot = 0;
    for (int earlier = 0; earlier < share; earlier++)
        slot += page->sums[earlier];
    for (uint32_t c = cells.begin; c < cells.end; c++) {
        page->start[c] = slot;
        for (int other = 0; other < page->shares; other++) {
            uint32_t *place = &page->places[(size_t)other * page->cells + c];
            const uint32_t size = *place;
            *place = slot;
            slot += size;
        }
    }
}

static void deal_boids(void *context, int share)
{
    struct page *page = context;
    const struct range slots = slots_of(page, share);
    uint32_t *places = page->places + (size_t)share * page->cells;
    for (uint32_t s = slots.begin; s < slots.end; s++) {
        const uint32_t cell = page->cell[s];
        const uint32_t to = places[cell]++;
        page->sorted[to] = page->latest[s];
        page->other_keys[to] = page_key(cell, page_id(page, s));
    }
}

/* An insertion sort by cell, then id, of slots that are sorted by cell. */
static void order_slots(uint64_t *keys, struct flock_agent *boids, uint32_t begin, uint32_t end)
{
    for (uint32_t s = begin + 1; s < end; s++) {
        const uint64_t key = keys[s];
        if (keys[s - 1] < key)
            continue;
        const struct flock_agent boid = boids[s];
        uint32_t to = s;
        for (; to > begin && keys[to - 1] > key; to--) {
            keys[to] = keys[to - 1];
            boids[to] = boids[to - 1];
        }
        keys[to] = key;
        boids[to] = boid;
    }
}

static void order_cells(void *context, int share)
{
    struct page *page = context;
    const struct range cells = cells_of(page, share);
    order_slots(page->other_keys, page->sorted, page->start[cells.begin], page->start[cells.end]);
}

static void sort(struct page *page)
{
    static team_task *const phases[] = {count_boids, add_up, assign_places, deal_boids, order_cells};
    page->start[page->cells] = page->end - page->begin;
    for (size_t k = 0; k < sizeof phases / sizeof *phases; k++)
        team_do(page->team, phases[k], page, page->shares);
    uint64_t *sorted_keys = page->other_keys;
    page->other_keys = page->keys;
    page->keys = sorted_keys;
}

/* The step. */

/* What a piece of work is told. */
struct flight {
    struct page *page;
    const struct flock_step_context *context;
    uint32_t first_row;
};

static enum flock_status fly_rows(const struct flight *flight, struct watch_count *count, uint32_t begin,
                                  uint32_t end)
{
    const struct page *page = flight->page;
    const struct simd_flock read = {.boids = page->sorted,
                                    .start = page->start,
                                    .keys = page->keys,
                                    .first_row = page->first_row,
                                    .rows = page->rows};
    const struct simd_output next = {page->latest, page->cell};
    return page->step_rows(&read, flight->context, &next, count, begin, end);
}

static void fly_row(void *context, int piece)
{
    const struct flight *flight = context;
    struct page *page = flight->page;
    const uint32_t row = flight->first_row + (uint32_t)piece;
    struct watch_count count = {page->watch, 0};
    if (atomic_load_explicit(&page->is_dropped, memory_order_relaxed))
        return;
    const enum flock_status status = fly_rows(flight, &count, row, row + 1);
    if (status == FLOCK_E_RANGE)
        atomic_store(&page->has_failed, true);
    if (status == FLOCK_E_CANCELLED || !watch_ask(&count))
        atomic_store(&page->is_dropped, true);
}

static enum flock_status fly(struct page *page, const struct flock_step_context *context, uint32_t begin,
                             uint32_t end)
{
    struct flight flight = {page, context, begin};
    struct watch_count count = {page->watch, 0};
    if (page->shares == 1)
        return fly_rows(&flight, &count, begin, end);
    atomic_store(&page->is_dropped, false);
    team_do(page->team, fly_row, &flight, (int)(end - begin));
    return atomic_load(&page->is_dropped)   ? FLOCK_E_CANCELLED
           : atomic_load(&page->has_failed) ? FLOCK_E_RANGE
                                            : FLOCK_OK;
}

/* One for each thread that could be started. */
static int choose_shares(struct page *page)
{
    const int size = team_size(page->team);
    const int most = size < page->most_shares ? size : page->most_shares;
    return pace_begin(&page->pace) ? most : 1;
}

enum flock_status page_sort_and_fly(struct page *page, const struct flock_step_context *context,
                                    uint32_t begin, uint32_t end)
{
    page->shares = choose_shares(page);
    sort(page);
    const enum flock_status status = fly(page, context, begin, end);
    pace_end(&page->pace);
    return status;
}

/* Whoever flew it. */
uint32_t page_find_lost(const struct page *page, uint32_t begin, uint32_t end)
{
    uint32_t lost = UINT32_MAX;
    for (uint32_t s = begin; s < end; s++)
        if (simd_is_out_of_range(&page->latest[s]) && page_id(page, s) < lost)
            lost = page_id(page, s);
    return lost;
}

/* Keys are those of the sort. */
void page_go_back(struct page *page)
{
    struct flock_agent *flown = page->latest;
    page->latest = page->sorted;
    page->sorted = flown;
    page->begin = 0;
    page->end = page->start[page->cells];
    for (uint32_t s = page->begin; s < page->end; s++)
        page->cell[s] = (uint32_t)(page->keys[s] >> 32);
}

void page_count(struct page *page)
{
    memset(page->start, 0, page->cells * sizeof *page->start);
    for (uint32_t s = page->begin; s < page->end; s++)
        page->start[page->cell[s]]++;
}
