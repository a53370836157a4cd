/* The back end of a synchronous flock in one process: a cell store with all rows. Compiled once per number type. */
#include "core_ops.h"

#include "agent_convert.h"
#include "arena.h"
#include "cell_store.h"
#include "flock/flock.h"
#include "flock_hash.h"
#include "grid.h"
#include "hunt.h"
#include "step_context.h"

#include <string.h>

struct core_flock {
    struct cell_store store;
    uint64_t step;
    uint32_t count, predator_count;
    size_t list_bytes;
    void *lists;                 /* the lists of obstacles and goals */
    struct nearest_sums nearest; /* if a rule has `nearest` */
    struct flock_agent *predators;
    struct flock_agent
        *prey; /* for predators that hunt: the boids in order of id, after all boids have moved */
    uint32_t first_out_of_range; /* after a failed step: the lowest id of an agent that left the range */
};

/* Memory. */

static struct flock sync_as_flock(struct core_flock *flock)
{
    return (struct flock){
        .step = flock->step,
        .count = flock->count,
        .predator_count = flock->predator_count,
        .boids = flock->store.latest,
        .predators = flock->predators,
    };
}

static bool is_hunted(struct core_flock *flock)
{
    const struct flock whole = sync_as_flock(flock);
    return flock_is_hunted(&whole, &flock->store.params);
}

static size_t sync_lay_out(struct core_flock *flock, unsigned char *memory)
{
    struct arena arena = {memory, 0};
    arena_alloc(&arena, 1, sizeof *flock);
    flock->lists = arena_alloc(&arena, flock->list_bytes, 1);
    cell_store_allocate(&flock->store, &arena);
    if (nearest_sums_are_needed(&flock->store.params)) {
        nearest_sums_allocate(&flock->nearest, &flock->store.params, flock->count, &arena);
        flock->store.nearest = &flock->nearest;
    }
    flock->predators = arena_alloc(&arena, flock->predator_count, sizeof *flock->predators);
    flock->prey = arena_alloc(&arena, is_hunted(flock) ? flock->count : 0, sizeof *flock->prey);
    return arena.used;
}

static struct core_flock sync_describe(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                       const struct core_tuning *tuning)
{
    struct core_flock flock = {
        .store = cell_store_make(model, boids, tuning),
        .count = boids,
        .predator_count = predators,
        .list_bytes = flock_lists_memory(model),
    };
    flock.store.end = boids;
    flock.nearest.search = simd_kernels_for(tuning->isa)->search_nearest;
    return flock;
}

static bool sync_supports(const struct flock_model *model)
{
    return model->update == FLOCK_SYNCHRONOUS;
}

static size_t sync_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                          const struct core_tuning *tuning)
{
    struct core_flock flock = sync_describe(model, boids, predators, tuning);
    return sync_lay_out(&flock, NULL);
}

static struct core_flock *sync_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                      const struct core_tuning *tuning)
{
    unsigned char *memory = arena_create_block(sync_memory(model, boids, predators, tuning));
    if (!memory)
        return NULL;
    struct core_flock *flock = (struct core_flock *)(void *)memory;
    *flock = sync_describe(model, boids, predators, tuning);
    sync_lay_out(flock, memory);
    flock_lists_from_model(&flock->store.params, model, flock->lists);
    cell_store_clear_padding(&flock->store);
    return flock;
}

/* The step. */

static void order_prey(struct core_flock *flock)
{
    for (uint32_t s = 0; s < flock->count; s++)
        flock->prey[cell_store_id(&flock->store, s)] = flock->store.latest[s];
}

static enum flock_status sync_step(struct core_flock *flock)
{
    struct cell_store *store = &flock->store;
    struct flock whole = sync_as_flock(flock);
    const struct flock_step_context context = flock_step_context_of(&whole, &store->params);
    enum flock_status status = cell_store_step(store, &context, 0, store->rows);
    if (status == FLOCK_E_RANGE)
        flock->first_out_of_range = cell_store_first_out_of_range(store, 0, flock->count);
    if (status == FLOCK_E_CANCELLED)
        cell_store_rollback(store);
    if (status != FLOCK_OK)
        return status;
    if (is_hunted(flock)) {
        order_prey(flock);
        whole.boids = flock->prey;
    }
    status = flock_end_step(&whole, &store->params);
    flock->step = whole.step;
    flock->first_out_of_range = whole.first_out_of_range;
    return status;
}

static uint32_t sync_first_out_of_range(const struct core_flock *flock)
{
    return flock->first_out_of_range;
}

/* In and out. */

static void sync_begin(struct core_flock *flock)
{
    for (uint32_t i = 0; i < flock->count; i++) {
        flock->store.keys[i] = cell_store_key(0, i);
        flock->store.cell[i] = flock_grid_cell(&flock->store.params, flock->store.latest[i].position);
    }
}

static void sync_place(struct core_flock *flock, const struct flock_model *model)
{
    const struct flock_init_params start = flock_init_params_from_model(model);
    struct flock whole = sync_as_flock(flock);
    flock_randomise(&whole, &flock->store.params, &start);
    flock->step = whole.step;
    sync_begin(flock);
}

static void sync_set(struct core_flock *flock, const struct agent *agents, uint64_t step)
{
    flock->step = step;
    agents_to_core(flock->store.latest, agents, flock->count);
    sync_begin(flock);
    agents_to_core(flock->predators, agents + flock->count, flock->predator_count);
}

static void sync_get(const struct core_flock *flock, struct agent *agents)
{
    for (uint32_t s = 0; s < flock->count; s++)
        agents[cell_store_id(&flock->store, s)] = agent_from_core(&flock->store.latest[s]);
    agents_from_core(agents + flock->count, flock->predators, flock->predator_count);
}

static uint64_t sync_hash(const struct core_flock *flock)
{
    uint64_t sum = flock_hash_agents(flock->predators, flock->predator_count, flock->count);
    for (uint32_t s = 0; s < flock->count; s++)
        sum += flock_hash_agent(&flock->store.latest[s], cell_store_id(&flock->store, s));
    return sum;
}

const struct core_ops FLOCK_TYPED(core_ops_sync) = {
    .supports = sync_supports,
    .memory = sync_memory,
    .create = sync_create,
    .place = sync_place,
    .can_represent = num_holds,
    .set = sync_set,
    .get = sync_get,
    .hash = sync_hash,
    .step = sync_step,
    .first_out_of_range = sync_first_out_of_range,
};
