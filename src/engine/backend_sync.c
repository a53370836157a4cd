/* The back end of a synchronous flock in one process: a cell store with all rows. Compiled once per number type. */
#include "backend.h"

#include "base/arena.h"
#include "flock/flock.h"
#include "grid.h"
#include "hunt.h"
#include "sorted_cells.h"
#include "step_context.h"
#include "undivided_flock.h"

struct sync_flock {
    struct undivided_flock local;
    struct sorted_cells store;
    size_t list_bytes;
    void *lists;                 /* the lists of obstacles and goals */
    struct nearest_sums nearest; /* if a rule has `nearest` */
    struct flock_agent *by_id;   /* if predators hunt: the boids in order of id, after all boids have moved */
};

/* Memory. */

static size_t sync_lay_out(struct sync_flock *flock, unsigned char *memory)
{
    struct flock *whole = &flock->local.whole;
    struct arena arena = {memory, 0};
    arena_alloc(&arena, 1, sizeof *flock);
    flock->lists = arena_alloc(&arena, flock->list_bytes, 1);
    sorted_cells_allocate(&flock->store, &arena);
    if (nearest_sums_are_needed(&flock->store.params)) {
        nearest_sums_allocate(&flock->nearest, &flock->store.params, whole->count, &arena);
        flock->store.nearest = &flock->nearest;
    }
    whole->boids = flock->store.latest;
    whole->predators = arena_alloc(&arena, whole->predator_count, sizeof *whole->predators);
    if (flock_is_hunted(whole, &flock->store.params))
        flock->by_id = arena_alloc(&arena, whole->count, sizeof *flock->by_id);
    return arena.used;
}

static void sync_begin(void *context)
{
    struct sync_flock *flock = context;
    struct sorted_cells *store = &flock->store;
    for (uint32_t i = 0; i < flock->local.whole.count; i++) {
        store->keys[i] = sorted_cells_key(0, i);
        store->cell[i] = flock_grid_cell(&store->params, store->latest[i].position);
    }
}

static struct boid_slots sync_slots(const void *context)
{
    const struct sync_flock *flock = context;
    return sorted_cells_slots(&flock->store);
}

static struct sync_flock sync_describe(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                       const struct backend_tuning *tuning)
{
    struct sync_flock flock = {
        .local = {{.count = boids, .predator_count = predators}, sync_begin, sync_slots},
        .store = sorted_cells_make(model, boids, tuning),
        .list_bytes = flock_lists_memory(model),
    };
    flock.store.end = boids;
    flock.nearest.kernels = simd_kernels_for(tuning->isa);
    return flock;
}

static size_t sync_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                          const struct backend_tuning *tuning)
{
    struct sync_flock flock = sync_describe(model, boids, predators, tuning);
    return sync_lay_out(&flock, NULL);
}

static void *sync_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                         const struct backend_tuning *tuning)
{
    struct sync_flock *flock = arena_create_block(sync_memory(model, boids, predators, tuning));
    if (!flock)
        return NULL;
    *flock = sync_describe(model, boids, predators, tuning);
    sync_lay_out(flock, (unsigned char *)flock);
    flock_lists_from_model(&flock->store.params, model, flock->lists);
    sorted_cells_clear_padding(&flock->store);
    return flock;
}

static enum flock_status sync_step(void *context)
{
    struct sync_flock *flock = context;
    struct sorted_cells *store = &flock->store;
    struct flock *whole = &flock->local.whole;
    const struct flock_step_context step = flock_step_context_of(whole, &store->params);
    enum flock_status status = sorted_cells_step(store, &step, 0, store->rows);
    if (status == FLOCK_E_RANGE)
        whole->first_out_of_range = sorted_cells_first_out_of_range(store);
    if (status == FLOCK_E_CANCELLED)
        sorted_cells_rollback(store);
    if (status != FLOCK_OK)
        return status;
    if (flock->by_id) {
        const struct boid_slots slots = sorted_cells_slots(store);
        boid_slots_copy(&slots, whole->count, flock->by_id);
        whole->boids = flock->by_id;
    }
    status = flock_end_step(whole, &store->params);
    whole->boids = store->latest;
    return status;
}

const struct backend FLOCK_TYPED(backend_sync) = {
    .memory = sync_memory,
    .create = sync_create,
    .step = sync_step,
    UNDIVIDED_FLOCK_FUNCTIONS,
};
