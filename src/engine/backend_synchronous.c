/* The back end of a synchronous flock in one process: a cell store with all rows. Compiled once per number type. */
#include "backend.h"

#include "base/arena.h"
#include "flock/flock.h"
#include "grid.h"
#include "hunt.h"
#include "sorted_flock.h"
#include "step_context.h"
#include "undivided_flock.h"

struct sync_flock {
    struct undivided_flock local;
    struct sorted_flock store;
    struct nearest_sums nearest; /* if a rule has `nearest` */
    struct flock_agent *by_id;   /* if predators hunt: the boids in order of id, after all boids have moved */
};

static void sync_begin(void *context)
{
    struct sync_flock *flock = context;
    struct sorted_flock *store = &flock->store;
    for (uint32_t i = 0; i < flock->local.whole.count; i++) {
        store->keys[i] = sorted_flock_key(0, i);
        store->cell[i] = flock_grid_cell(&store->params, store->latest[i].position);
    }
}

static struct boid_slots sync_slots(const void *context)
{
    const struct sync_flock *flock = context;
    return sorted_flock_slots(&flock->store);
}

static size_t sync_make(void *memory, const struct flock_model *model, uint32_t boids, uint32_t predators,
                        const struct backend_tuning *tuning)
{
    struct sync_flock counted = {0}, *flock = memory ? memory : &counted;
    struct sorted_flock *store = &flock->store;
    struct flock *whole = &flock->local.whole;
    struct arena arena = {memory, 0};
    *flock = (struct sync_flock){
        .local = {{.count = boids, .predator_count = predators}, sync_begin, sync_slots},
        .store = sorted_flock_make(model, boids, tuning),
    };
    store->end = boids;
    arena_alloc(&arena, 1, sizeof *flock);
    void *lists = arena_alloc(&arena, flock_lists_memory(model), 1);
    sorted_flock_allocate(store, &arena);
    store->nearest = nearest_sums_allocate(&flock->nearest, &store->params, boids, &arena);
    whole->boids = store->latest;
    ARENA_ARRAY(&arena, whole->predators, predators);
    if (flock_is_hunted(whole, &store->params))
        ARENA_ARRAY(&arena, flock->by_id, boids);
    if (memory) {
        flock_lists_from_model(&store->params, model, lists);
        sorted_flock_clear_padding(store);
    }
    return arena.used;
}

static enum flock_status sync_step(void *context)
{
    struct sync_flock *flock = context;
    struct sorted_flock *store = &flock->store;
    struct flock *whole = &flock->local.whole;
    const struct flock_step_context step = flock_step_context_of(whole, &store->params);
    enum flock_status status = sorted_flock_step(store, &step, 0, store->rows);
    if (status == FLOCK_E_RANGE)
        whole->first_out_of_range = sorted_flock_first_out_of_range(store);
    if (status == FLOCK_E_CANCELLED)
        sorted_flock_rollback(store);
    if (status != FLOCK_OK)
        return status;
    if (flock->by_id) {
        const struct boid_slots slots = sorted_flock_slots(store);
        boid_slots_copy(&slots, whole->count, flock->by_id);
        whole->boids = flock->by_id;
    }
    status = flock_end_step(whole, &store->params);
    whole->boids = store->latest;
    return status;
}

const struct backend FLOCK_TYPED(backend_synchronous) = {
    .make = sync_make,
    .step = sync_step,
    UNDIVIDED_FLOCK_FUNCTIONS,
};
