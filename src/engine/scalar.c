/* The scalar core behind its table. Compiled once per number type. */
#include "core.h"

#include "convert.h"
#include "flock/from_model.h"

#include <stdlib.h>

struct core_flock {
    struct flock_params params;
    struct flock flock;
    _Alignas(max_align_t) unsigned char memory[];
};

/* Lists lie before the flock. */
static size_t lists_memory(const struct flock_model *model)
{
    const size_t grain = _Alignof(max_align_t);
    return (flock_lists_memory(model) + grain - 1) / grain * grain;
}

static size_t scalar_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                            const struct core_tuning *tuning)
{
    (void)tuning;
    const struct flock_params params = flock_params_from_model(model, boids);
    return sizeof(struct core_flock) + lists_memory(model) + flock_memory(&params, boids, predators);
}

static struct core_flock *scalar_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                        const struct core_tuning *tuning)
{
    struct core_flock *core = malloc(scalar_memory(model, boids, predators, tuning));
    if (!core)
        return NULL;
    core->params = flock_params_from_model(model, boids);
    flock_lists_from_model(&core->params, model, core->memory);
    flock_init(&core->flock, &core->params, boids, predators, core->memory + lists_memory(model));
    return core;
}

static void scalar_place(struct core_flock *core, const struct flock_model *model)
{
    const struct flock_start start = flock_start_from_model(model);
    flock_place(&core->flock, &core->params, &start);
}

static void scalar_set(struct core_flock *core, const struct agent *agents, uint64_t step)
{
    struct flock *flock = &core->flock;
    flock->step = step;
    agents_in(flock->boids, agents, flock->count);
    agents_in(flock->predators, agents + flock->count, flock->predator_count);
}

static void scalar_get(const struct core_flock *core, struct agent *agents)
{
    const struct flock *flock = &core->flock;
    agents_out(agents, flock->boids, flock->count);
    agents_out(agents + flock->count, flock->predators, flock->predator_count);
}

static uint64_t scalar_hash(const struct core_flock *core)
{
    return flock_hash(&core->flock);
}

static enum flock_status scalar_step(struct core_flock *core)
{
    return flock_step(&core->flock, &core->params);
}

static uint32_t scalar_lost(const struct core_flock *core)
{
    return core->flock.lost;
}

const struct core_table FLOCK_TAGGED(core_table) = {
    .memory = scalar_memory,
    .create = scalar_create,
    .place = scalar_place,
    .holds = num_holds,
    .set = scalar_set,
    .get = scalar_get,
    .hash = scalar_hash,
    .step = scalar_step,
    .lost = scalar_lost,
};
