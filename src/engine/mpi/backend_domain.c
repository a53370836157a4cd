/* Domain decomposition of a synchronous flock over several ranks. Compiled for float32 and float64. The results are
 * bit-identical to those of backend_synchronous.c.
 *
 * Cells outside of the table are mapped into it (core/grid.h), so its rows form a ring even if the world is not a
 * torus. Each rank owns a subdomain of consecutive rows of the table, so a boid outside of the world also
 * has a row and an owner. The store of a rank has the rows of its subdomain and a ghost row on either side:
 *
 *     table   | 0 1 2 3 | 4 5 6 7 | 8 9 10 11 |        store of rank 1   3 [4 5 6 7] 8
 *              rank 0    rank 1    rank 2              store of rank 0  11 [0 1 2 3] 4
 *
 * Migration and halo exchange use the same messages: after a step, each boid is sent to every rank that owns its row
 * or an adjacent row. A subdomain has at least two rows, so a store has no row twice, and a boid is sent to at most
 * two other ranks.
 *
 *     sort and step the subdomain   the neighbours of a boid are in the same order as on one rank
 *     agree                         one reduction: did the step succeed on all ranks?
 *     collect                       boids near a boundary, or beyond it, go into the messages
 *     exchange                      domain_exchange.c
 *
 * Neighbours are added up by cell, then id, as in one process, so the results have the same bits. Random numbers
 * depend on id and step. Every rank steps all predators; those that hunt get all boids. Hashes are added up modulo
 * 2^64.
 */
#include "domain_flock.h"

#include "domain_exchange.h"
#include "engine/backend.h"
#include "flock/flock.h"
#include "step_context.h"

#include <stdlib.h>

/* Create and free. */

static struct domain_flock domain_describe(const struct flock_model *model, uint32_t boids,
                                           uint32_t predators, const struct backend_tuning *tuning)
{
    enum { SPARE_BOIDS = 1024 };
    const uint32_t count = (uint32_t)tuning->comm->count, share = boids / count;
    struct domain_flock flock = {
        .whole = {.count = boids, .predator_count = predators},
        .store = sorted_flock_make(model, boids, tuning),
        .comm = tuning->comm,
    };
    struct sorted_flock *store = &flock.store;
    const uint32_t rows = store->rows / count + 3;
    store->max_chunks = sorted_flock_sort_chunks(share, tuning);
    store->capacity = share + share / 2 + boids / store->rows * 4 + SPARE_BOIDS;
    store->max_cells = rows * domain_columns(&flock);
    return flock;
}

static size_t domain_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                            const struct backend_tuning *tuning)
{
    struct domain_flock flock = domain_describe(model, boids, predators, tuning);
    struct arena arena = {NULL, 0};
    sorted_flock_allocate(&flock.store, &arena);
    return sizeof flock + arena.used + domain_buffer_memory(&flock) + flock_lists_memory(model) +
           predators * sizeof(struct flock_agent);
}

static void domain_free(void *context)
{
    struct domain_flock *flock = context;
    if (!flock)
        return;
    domain_free_buffers(flock);
    partition_free(&flock->partition);
    load_balance_free(&flock->balance);
    free(flock->whole.predators);
    free(flock->lists);
    free(flock->memory);
    free(flock);
}

static void *domain_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                           const struct backend_tuning *tuning)
{
    struct domain_flock *flock = malloc(sizeof *flock);
    if (!flock)
        return NULL;
    *flock = domain_describe(model, boids, predators, tuning);
    const uint32_t rows = flock->store.rows;
    flock->whole.predators = calloc((size_t)predators + 1, sizeof *flock->whole.predators);
    flock->lists = malloc(flock_lists_memory(model) + 1);
    if (flock->lists)
        flock_lists_from_model(&flock->store.params, model, flock->lists);
    if (flock->whole.predators && flock->lists && domain_init_buffers(flock) &&
        partition_init(&flock->partition, tuning->comm->count, rows) &&
        load_balance_init(&flock->balance, &flock->partition) &&
        domain_allocate_store(&flock->store, &flock->memory))
        return flock;
    domain_free(flock);
    return NULL;
}

/* Collect the boids that other ranks need. */

static void swap_slots(struct sorted_flock *store, uint32_t a, uint32_t b)
{
    const struct flock_agent boid = store->latest[a];
    const uint64_t key = store->keys[a];
    store->latest[a] = store->latest[b];
    store->keys[a] = store->keys[b];
    store->cell[a] = store->cell[b];
    store->latest[b] = boid;
    store->keys[b] = key;
}

/* Send the boids that other ranks need: those in the first or last row of the subdomain, or outside of it. Swap each boid that this rank
 * no longer needs with the last boid of all. The removed boids are kept after the last boid in case the exchange fails. */
static void collect(struct domain_flock *flock)
{
    struct sorted_flock *store = &flock->store;
    const uint32_t inner = 2 * domain_columns(flock), inner_end = store->cells - inner;
    for (uint32_t s = store->begin; s < store->end;) {
        const uint32_t cell = domain_store_cell(flock, store->cell[s]);
        const struct boid_message message = {store->latest[s], sorted_flock_id(store, s), store->cell[s]};
        if ((cell >= inner && cell < inner_end) || domain_enqueue_others(flock, &message))
            store->cell[s++] = cell;
        else
            swap_slots(store, s, --store->end);
    }
}

/* If nothing was sent after boids were collected, put them back. Their cells are not restored, because only the next
 * step would need them. */
static void undo_collect(struct domain_flock *flock, const struct sorted_flock *before)
{
    struct sorted_flock *store = &flock->store;
    domain_clear_buffers(flock);
    sorted_flock_set_rows(store, before->first_row, before->rows);
    store->end = before->end;
    for (uint32_t s = store->begin; s < store->end; s++)
        store->cell[s] = domain_columns(flock);
}

/* Load balancing. */

/* The number of boids of a row that are in this column or the two adjacent ones; with three columns or fewer, all
 * boids of the row. Each row is a ring. */
static uint32_t count_around(const uint32_t *start, uint32_t columns, uint32_t column)
{
    if (columns <= 3)
        return start[columns] - start[0];
    if (column == 0)
        return start[2] - start[0] + start[columns] - start[columns - 1];
    if (column == columns - 1)
        return start[columns] - start[columns - 2] + start[1] - start[0];
    return start[column + 2] - start[column - 1];
}

/* The cost of a row of the store, after a sort. It must not be the first or the last row. */
static uint64_t cost_of_row(const struct sorted_flock *store, uint32_t row)
{
    const uint32_t columns = (uint32_t)store->params.x.table_cells;
    const uint32_t *own = store->start + (size_t)row * columns;
    uint64_t sum = (uint64_t)DOMAIN_CELL_COST * columns;
    for (uint32_t c = 0; c < columns; c++) {
        const uint64_t boids = own[c + 1] - own[c];
        if (boids > 0)
            sum += boids * ((uint64_t)DOMAIN_BOID_COST + count_around(own - columns, columns, c) +
                            count_around(own, columns, c) + count_around(own + columns, columns, c));
    }
    return sum;
}

static void move_boundaries(struct domain_flock *flock)
{
    struct load_balance *balance = &flock->balance;
    const uint32_t first = flock->partition.first[flock->comm->rank];
    if (load_balance_is_due(balance)) {
        load_balance_clear(balance);
        for (uint32_t row = 1; row < flock->store.rows - 1; row++)
            balance->costs[first + row - 1] = cost_of_row(&flock->store, row);
        load_balance_update(balance, &flock->partition, flock->comm);
    }
    partition_randomise(&flock->partition, flock->whole.step);
}

/* The step. */

/* The status over all ranks: cancelled if any rank cancelled the step, otherwise failed if any rank failed. */
static enum flock_status domain_step_boids(struct domain_flock *flock)
{
    struct sorted_flock *store = &flock->store;
    const struct flock_step_context context = flock_step_context_of(&flock->whole, &store->params);
    _Static_assert(FLOCK_OK < FLOCK_E_RANGE && FLOCK_E_RANGE < FLOCK_E_CANCELLED,
                   "the largest status is used");
    sorted_flock_clear_padding(store);
    uint64_t status = sorted_flock_step(store, &context, 1, store->rows - 1);
    flock->comm->allreduce(flock->comm, &status, 1, COMM_MAX);
    return (enum flock_status)status;
}

static void migrate(struct domain_flock *flock)
{
    const struct sorted_flock before = flock->store;
    move_boundaries(flock);
    domain_set_rows(flock);
    collect(flock);
    if (!domain_exchange(flock))
        undo_collect(flock, &before);
}

static enum flock_status domain_step(void *context)
{
    struct domain_flock *flock = context;
    struct sorted_flock *store = &flock->store;
    const uint32_t columns = domain_columns(flock);
    enum flock_status status = domain_step_boids(flock);
    if (status == FLOCK_E_CANCELLED) {
        sorted_flock_rollback(store);
        return status;
    }
    /* Exclude the ghosts. */
    store->begin = store->start[columns];
    store->end = store->start[store->cells - columns];
    if (status == FLOCK_E_RANGE) {
        uint64_t first = sorted_flock_first_out_of_range(store);
        flock->comm->allreduce(flock->comm, &first, 1, COMM_MIN);
        flock->whole.first_out_of_range = (uint32_t)first;
        return status;
    }
    if (flock->whole.boids)
        domain_gather_all(flock);
    status = flock_end_step(&flock->whole, &store->params);
    if (status == FLOCK_OK)
        migrate(flock);
    return status;
}

/* The other functions of the back end. */

static uint32_t domain_rows(const struct flock_model *model)
{
    const struct flock_params params = flock_params_from_model(model, model->boid_count);
    return (uint32_t)params.y.table_cells;
}

static double domain_imbalance(const void *context, uint64_t *moves)
{
    const struct domain_flock *flock = context;
    *moves = flock->balance.moves;
    return flock->balance.imbalance;
}

static bool domain_has_memory_for_boids(const void *context, uint64_t *wanted)
{
    const struct domain_flock *flock = context;
    *wanted = flock->wanted;
    return !flock->is_short;
}

const struct backend FLOCK_TYPED(backend_domain) = {
    .rows = domain_rows,
    .memory = domain_memory,
    .create = domain_create,
    .free = domain_free,
    .place = domain_place,
    .set = domain_set,
    .get = domain_get,
    .hash = domain_hash,
    .step = domain_step,
    .has_memory_for_boids = domain_has_memory_for_boids,
    .imbalance = domain_imbalance,
    .first_out_of_range = whole_flock_first_out_of_range,
};
