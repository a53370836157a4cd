/* The back end of the scalar core. Compiled once per number type. */
#include "core_ops.h"

#include "agent_convert.h"
#include "arena.h"
#include "flock/flock.h"

#include <stdlib.h>
#include <string.h>

struct core_flock {
    struct flock_params params;
    struct flock flock;
    size_t list_bytes;
    void *lists; /* the lists of obstacles and goals */
    const struct step_cancellation *cancellation;
    struct flock_agent *
        before; /* a copy of the boids before the step; NULL for a synchronous flock, which does not overwrite them */
};

static bool scalar_supports(const struct flock_model *model)
{
    (void)model;
    return true;
}

static struct core_flock scalar_describe(const struct flock_model *model, uint32_t boids,
                                         const struct core_tuning *tuning)
{
    return (struct core_flock){
        .params = flock_params_from_model(model, boids),
        .list_bytes = flock_lists_memory(model),
        .cancellation = tuning->cancellation,
    };
}

static size_t scalar_lay_out(struct core_flock *core, uint32_t boids, uint32_t predators,
                             unsigned char *memory)
{
    const bool is_synchronous = core->params.update == FLOCK_SYNCHRONOUS;
    struct arena arena = {memory, 0};
    arena_alloc(&arena, 1, sizeof *core);
    core->lists = arena_alloc(&arena, core->list_bytes, 1);
    if (!is_synchronous)
        core->before = arena_alloc(&arena, boids, sizeof *core->before);
    void *rest = arena_alloc(&arena, flock_memory(&core->params, boids, predators), 1);
    if (rest)
        flock_init(&core->flock, &core->params, boids, predators, rest);
    return arena.used;
}

static size_t scalar_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                            const struct core_tuning *tuning)
{
    struct core_flock core = scalar_describe(model, boids, tuning);
    return scalar_lay_out(&core, boids, predators, NULL);
}

static struct core_flock *scalar_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                        const struct core_tuning *tuning)
{
    unsigned char *memory = malloc(scalar_memory(model, boids, predators, tuning));
    if (!memory)
        return NULL;
    struct core_flock *core = (struct core_flock *)(void *)memory;
    *core = scalar_describe(model, boids, tuning);
    scalar_lay_out(core, boids, predators, memory);
    flock_lists_from_model(&core->params, model, core->lists);
    return core;
}

static void scalar_place(struct core_flock *core, const struct flock_model *model)
{
    const struct flock_init_params start = flock_init_params_from_model(model);
    flock_randomise(&core->flock, &core->params, &start);
}

static void scalar_set(struct core_flock *core, const struct agent *agents, uint64_t step)
{
    struct flock *flock = &core->flock;
    flock->step = step;
    agents_to_core(flock->boids, agents, flock->count);
    agents_to_core(flock->predators, agents + flock->count, flock->predator_count);
}

static void scalar_get(const struct core_flock *core, struct agent *agents)
{
    const struct flock *flock = &core->flock;
    agents_from_core(agents, flock->boids, flock->count);
    agents_from_core(agents + flock->count, flock->predators, flock->predator_count);
}

static uint64_t scalar_hash(const struct core_flock *core)
{
    return flock_hash(&core->flock);
}

/* Boids [begin, end), in one pass of `passes`. */
static enum flock_status step_piece(struct core_flock *core, enum flock_pass pass, uint32_t begin,
                                    uint32_t end)
{
    switch (core->params.update) {
    case FLOCK_SYNCHRONOUS: return flock_step_range(&core->flock, &core->params, begin, end);
    case FLOCK_SEQUENTIAL:
    case FLOCK_SHUFFLED: return flock_update_range(&core->flock, &core->params, begin, end);
    case FLOCK_PASSES: break;
    }
    return flock_run_pass(&core->flock, &core->params, pass, begin, end);
}

/* Step all boids in pieces. The step may be cancelled after each piece. */
static enum flock_status scalar_step_boids(struct core_flock *core, enum flock_pass pass)
{
    const uint32_t count = core->flock.count;
    struct step_cancellation_count cancellable = {core->cancellation, 0};
    for (uint32_t begin = 0; begin < count; begin += STEP_CANCELLATION_BOIDS) {
        const uint32_t end =
            count - begin < STEP_CANCELLATION_BOIDS ? count : begin + STEP_CANCELLATION_BOIDS;
        const enum flock_status status = step_piece(core, pass, begin, end);
        if (status != FLOCK_OK)
            return status;
        if (!step_cancellation_continues(&cancellable, end - begin))
            return FLOCK_E_CANCELLED;
    }
    return FLOCK_OK;
}

static enum flock_status step_synchronous(struct core_flock *core)
{
    flock_sort(&core->flock, &core->params);
    const enum flock_status status = scalar_step_boids(core, FLOCK_PASS_LAST);
    if (status == FLOCK_OK)
        return flock_swap_buffers(&core->flock, &core->params);
    /* The step continues after an error, so that it finds the first agent that left the range. */
    return status == FLOCK_E_RANGE ? flock_step(&core->flock, &core->params) : status;
}

/* Predators move after all boids. */
static enum flock_status step_in_place(struct core_flock *core)
{
    struct flock *flock = &core->flock;
    enum flock_status status = FLOCK_OK;
    memcpy(core->before, flock->boids, flock->count * sizeof *core->before);
    if (core->params.update == FLOCK_PASSES) {
        flock_sort(flock, &core->params);
        for (enum flock_pass pass = FLOCK_PASS_SEPARATION; pass <= FLOCK_PASS_LAST && status == FLOCK_OK;
             pass++)
            status = scalar_step_boids(core, pass);
    } else {
        flock_begin_in_place(flock, &core->params);
        status = scalar_step_boids(core, FLOCK_PASS_LAST);
    }
    if (status == FLOCK_E_CANCELLED)
        memcpy(flock->boids, core->before, flock->count * sizeof *core->before);
    return status == FLOCK_OK ? flock_end_step(flock, &core->params) : status;
}

static enum flock_status scalar_step(struct core_flock *core)
{
    return core->params.update == FLOCK_SYNCHRONOUS ? step_synchronous(core) : step_in_place(core);
}

static uint32_t scalar_first_out_of_range(const struct core_flock *core)
{
    return core->flock.first_out_of_range;
}

const struct core_ops FLOCK_TYPED(core_ops_scalar) = {
    .supports = scalar_supports,
    .memory = scalar_memory,
    .create = scalar_create,
    .place = scalar_place,
    .can_represent = num_holds,
    .set = scalar_set,
    .get = scalar_get,
    .hash = scalar_hash,
    .step = scalar_step,
    .first_out_of_range = scalar_first_out_of_range,
};
