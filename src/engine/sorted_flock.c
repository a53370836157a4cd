/* A counting sort by cell. The last step has computed the cells. Each thread counts and moves one chunk of the
 * slots. The boids of a cell keep their order, which is nearly that of their ids; an insertion sort completes it. */
#include "sorted_flock.h"

#include "base/array.h"
#include "grid.h"

#include <string.h>

/* With at least this number of boids, several threads are faster than one. */
enum { FEW = 4000 };

int sorted_flock_sort_chunks(uint32_t boids, const struct backend_tuning *tuning)
{
    return boids < FEW ? 1 : tuning->threads;
}

struct sorted_flock sorted_flock_make(const struct flock_model *model, uint32_t boids,
                                      const struct backend_tuning *tuning)
{
    struct sorted_flock store = {
        .params = flock_params_from_model(model, boids),
        .capacity = boids,
        .max_chunks = sorted_flock_sort_chunks(boids, tuning),
        .team = tuning->team,
        .cancellation = tuning->cancellation,
        .step_rows = simd_kernels_for(tuning->isa)->step_rows,
    };
    sorted_flock_set_rows(&store, 0, (uint32_t)store.params.y.table_cells);
    store.max_cells = store.cells;
    return store;
}

void sorted_flock_set_rows(struct sorted_flock *store, uint32_t first_row, uint32_t rows)
{
    store->first_row = first_row;
    store->rows = rows;
    store->cells = rows * (uint32_t)store->params.x.table_cells;
}

void sorted_flock_allocate(struct sorted_flock *store, struct arena *arena)
{
    const size_t n = store->capacity;
    ARENA_ARRAY(arena, store->latest, n + SIMD_LANES_MAX);
    ARENA_ARRAY(arena, store->sorted, n + SIMD_LANES_MAX);
    ARENA_ARRAY(arena, store->keys, n + SIMD_LANES_MAX);
    ARENA_ARRAY(arena, store->other_keys, n + SIMD_LANES_MAX);
    ARENA_ARRAY(arena, store->cell, n);
    ARENA_ARRAY(arena, store->start, (size_t)store->max_cells + 1);
    ARENA_ARRAY(arena, store->slot_counts, (size_t)store->max_cells * (size_t)store->max_chunks);
}

void sorted_flock_clear_padding(struct sorted_flock *store)
{
    const uint32_t count = store->end - store->begin;
    memset(store->latest + store->end, 0, SIMD_LANES_MAX * sizeof *store->latest);
    memset(store->sorted + count, 0, SIMD_LANES_MAX * sizeof *store->sorted);
    memset(store->keys + store->end, 0, SIMD_LANES_MAX * sizeof *store->keys);
    memset(store->other_keys + count, 0, SIMD_LANES_MAX * sizeof *store->other_keys);
}

/* Sorting. */

struct range {
    uint32_t begin, end;
};

static struct range chunk_of(struct range all, int chunk, int chunks)
{
    const uint64_t n = all.end - all.begin;
    return (struct range){all.begin + (uint32_t)(n * (uint64_t)chunk / (uint64_t)chunks),
                          all.begin + (uint32_t)(n * (uint64_t)(chunk + 1) / (uint64_t)chunks)};
}

static struct range slots_of(const struct sorted_flock *store, int chunk)
{
    return chunk_of((struct range){store->begin, store->end}, chunk, store->chunks);
}

static struct range cells_of(const struct sorted_flock *store, int chunk)
{
    return chunk_of((struct range){0, store->cells}, chunk, store->chunks);
}

/* Count the boids of a chunk in each cell. */
static void count_boids(void *context, int chunk)
{
    struct sorted_flock *store = context;
    const struct range slots = slots_of(store, chunk);
    uint32_t *places = store->slot_counts + (size_t)chunk * store->cells;
    memset(places, 0, store->cells * sizeof *places);
    for (uint32_t s = slots.begin; s < slots.end; s++)
        places[store->cell[s]]++;
}

/* Add up the boids of all chunks in a range of cells. */
static void add_up(void *context, int chunk)
{
    struct sorted_flock *store = context;
    const struct range cells = cells_of(store, chunk);
    uint32_t sum = 0;
    for (int other = 0; other < store->chunks; other++)
        for (uint32_t c = cells.begin; c < cells.end; c++)
            sum += store->slot_counts[(size_t)other * store->cells + c];
    store->sums[chunk] = sum;
}

/* Compute the first slot of each cell and, in each cell, the first slot for the boids of each chunk. */
static void assign_places(void *context, int chunk)
{
    struct sorted_flock *store = context;
    const struct range cells = cells_of(store, chunk);
    uint32_t slot = 0;
    for (int earlier = 0; earlier < chunk; earlier++)
        slot += store->sums[earlier];
    for (uint32_t c = cells.begin; c < cells.end; c++) {
        store->start[c] = slot;
        for (int other = 0; other < store->chunks; other++) {
            uint32_t *place = &store->slot_counts[(size_t)other * store->cells + c];
            const uint32_t size = *place;
            *place = slot;
            slot += size;
        }
    }
}

static void move_boids(void *context, int chunk)
{
    struct sorted_flock *store = context;
    const struct range slots = slots_of(store, chunk);
    uint32_t *places = store->slot_counts + (size_t)chunk * store->cells;
    for (uint32_t s = slots.begin; s < slots.end; s++) {
        const uint32_t cell = store->cell[s];
        const uint32_t to = places[cell]++;
        store->sorted[to] = store->latest[s];
        store->other_keys[to] = sorted_flock_key(cell, sorted_flock_id(store, s));
    }
}

/* Sort the boids of each cell by id, with an insertion sort. */
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

static void order_cells(void *context, int chunk)
{
    struct sorted_flock *store = context;
    const struct range cells = cells_of(store, chunk);
    order_slots(store->other_keys, store->sorted, store->start[cells.begin], store->start[cells.end]);
}

static void sort(struct sorted_flock *store)
{
    static team_task *const phases[] = {count_boids, add_up, assign_places, move_boids, order_cells};
    store->start[store->cells] = store->end - store->begin;
    FOR_EACH (phase, phases)
        team_parallel_for(store->team, *phase, store, store->chunks);
    uint64_t *sorted_keys = store->other_keys;
    store->other_keys = store->keys;
    store->keys = sorted_keys;
}

/* The step. */

/* For step_row(). */
struct row_task {
    struct sorted_flock *store;
    const struct flock_step_context *context;
    uint32_t first_row;
};

static enum flock_status step_rows_of_thread(const struct row_task *task,
                                             struct step_cancellation_count *count, uint32_t begin,
                                             uint32_t end)
{
    const struct sorted_flock *store = task->store;
    const struct simd_flock read = {.boids = store->sorted,
                                    .start = store->start,
                                    .keys = store->keys,
                                    .nearest = store->nearest,
                                    .first_row = store->first_row,
                                    .rows = store->rows};
    const struct simd_output next = {store->latest, store->cell};
    return store->step_rows(&read, task->context, &next, count, begin, end);
}

static void step_row(void *context, int row_index)
{
    const struct row_task *task = context;
    struct sorted_flock *store = task->store;
    const uint32_t row = task->first_row + (uint32_t)row_index;
    struct step_cancellation_count count = {store->cancellation, 0};
    if (atomic_load_explicit(&store->is_cancelled, memory_order_relaxed))
        return;
    const enum flock_status status = step_rows_of_thread(task, &count, row, row + 1);
    if (status == FLOCK_E_RANGE)
        atomic_store(&store->has_failed, true);
    if (status == FLOCK_E_CANCELLED || !step_cancellation_poll(&count))
        atomic_store(&store->is_cancelled, true);
}

static enum flock_status step_all_rows(struct sorted_flock *store, const struct flock_step_context *context,
                                       uint32_t begin, uint32_t end)
{
    struct row_task task = {store, context, begin};
    struct step_cancellation_count count = {store->cancellation, 0};
    if (store->chunks == 1)
        return step_rows_of_thread(&task, &count, begin, end);
    atomic_store(&store->is_cancelled, false);
    team_parallel_for(store->team, step_row, &task, (int)(end - begin));
    return atomic_load(&store->is_cancelled) ? FLOCK_E_CANCELLED
           : atomic_load(&store->has_failed) ? FLOCK_E_RANGE
                                             : FLOCK_OK;
}

/* Searches by the core read the cells of the store. */
static void lend_cells_to_core(struct sorted_flock *store)
{
    struct flock_grid *grid = &store->nearest->flock.grid;
    grid->start = store->start;
    grid->slots = store->sorted;
    for (uint32_t s = 0; s < store->end - store->begin; s++)
        grid->boid_of[s] = sorted_flock_id(store, s);
}

enum flock_status sorted_flock_step(struct sorted_flock *store, const struct flock_step_context *context,
                                    uint32_t begin, uint32_t end)
{
    /* One chunk per thread that could be started. */
    const int threads = team_size(store->team);
    store->chunks = threads < store->max_chunks ? threads : store->max_chunks;
    sort(store);
    if (store->nearest)
        lend_cells_to_core(store);
    return step_all_rows(store, context, begin, end);
}

uint32_t sorted_flock_first_out_of_range(const struct sorted_flock *store)
{
    const struct boid_slots slots = sorted_flock_slots(store);
    return boid_slots_first_out_of_range(&slots, store->end - store->begin);
}

/* `keys` still has the cells and ids of the last sort. */
void sorted_flock_rollback(struct sorted_flock *store)
{
    store->begin = 0;
    store->end = store->start[store->cells];
    memcpy(store->latest, store->sorted, store->end * sizeof *store->latest);
    for (uint32_t s = store->begin; s < store->end; s++)
        store->cell[s] = (uint32_t)(store->keys[s] >> 32);
}
