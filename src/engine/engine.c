/* Which build of the core steps a flock: scalar or packed, with which instructions and how many threads. Nobody above
 * knows, and no choice changes a bit. */
#include "engine.h"

#include "core.h"
#include "processors.h"
#include "team.h"

#include <stdlib.h>

struct engine {
    const struct core_table *table;
    struct core_flock *flock;
    struct core_tuning tuning;
    struct flock_model model;
    uint32_t boids, predators;
};

static const struct core_table *scalar_table(enum flock_arithmetic arithmetic)
{
    static const struct core_table *const tables[] = {
        [FLOCK_FLOAT32] = &core_table_f32,
        [FLOCK_FLOAT64] = &core_table_f64,
        [FLOCK_FIXED] = &core_table_fixed,
    };
    return tables[arithmetic];
}

static bool is_torus(const struct flock_model *model)
{
    return model->world.border == FLOCK_WRAP && model->world.distance == FLOCK_TORUS;
}

static const struct core_table *fastest_table(const struct flock_model *model, enum isa isa)
{
    if (isa == ISA_SCALAR || model->arithmetic == FLOCK_FIXED)
        return scalar_table(model->arithmetic);
    if (model->update != FLOCK_SYNCHRONOUS)
        return model->arithmetic == FLOCK_FLOAT32 ? &core_table_turns_f32 : &core_table_turns_f64;
    return model->arithmetic == FLOCK_FLOAT32 ? &core_table_packed_f32 : &core_table_packed_f64;
}

const char *engine_arithmetic_name(enum flock_arithmetic arithmetic)
{
    static const char *const names[] = {
        [FLOCK_FLOAT32] = "float32",
        [FLOCK_FLOAT64] = "float64",
        [FLOCK_FIXED] = "fixed",
    };
    return names[arithmetic];
}

static int count_threads(int threads)
{
    const int wanted = threads > 0 ? threads : processors_count();
    return wanted < TEAM_MOST ? wanted : TEAM_MOST;
}

size_t engine_memory(const struct flock_model *model, uint32_t boids, uint32_t predators, int threads)
{
    struct fault fault = {0};
    struct core_tuning tuning = {.threads = count_threads(threads)};
    if (!isa_choose(&tuning.isa, &fault))
        tuning.isa = ISA_SCALAR;
    return sizeof(struct engine) + fastest_table(model, tuning.isa)->memory(model, boids, predators, &tuning);
}

static bool take_table(struct engine *engine, const struct core_table *table, struct fault *fault)
{
    engine->table = table;
    engine->flock = table->create(&engine->model, engine->boids, engine->predators, &engine->tuning);
    return engine->flock || fault_fail(fault, "there is no memory for %u boids", engine->boids);
}

struct engine *engine_create(const struct flock_model *model, uint32_t boids, uint32_t predators, int threads,
                             struct fault *fault)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        fault_fail(fault, "there is no memory for %u boids", boids);
        return NULL;
    }
    engine->model = *model;
    engine->boids = boids;
    engine->predators = predators;
    engine->tuning.threads = count_threads(threads);
    engine->tuning.team = team_create(engine->tuning.threads);
    if (!engine->tuning.team)
        fault_fail(fault, "there is no memory for %u boids", boids);
    else if (isa_choose(&engine->tuning.isa, fault) &&
             take_table(engine, fastest_table(model, engine->tuning.isa), fault))
        return engine;
    engine_free(engine);
    return NULL;
}

void engine_place(struct engine *engine)
{
    engine->table->place(engine->flock, &engine->model);
}

static bool is_outside(const struct flock_world_model *world, const struct agent *agent)
{
    return agent->x < 0 || agent->x > world->width || agent->y < 0 || agent->y > world->height;
}

/* Packs know one image of a neighbour across the seam; agents that were put outside of a torus may need others. */
static bool needs_scalar(const struct engine *engine, const struct agent *agents, size_t count)
{
    if (!is_torus(&engine->model))
        return false;
    size_t i = 0;
    while (i < count && !is_outside(&engine->model.world, &agents[i]))
        i++;
    return i < count;
}

bool engine_set(struct engine *engine, const struct agent *agents, uint64_t step, size_t *misfit,
                struct fault *fault)
{
    bool (*const holds)(double) = engine->table->holds;
    const size_t count = (size_t)engine->boids + engine->predators;
    for (*misfit = 0; *misfit < count; (*misfit)++) {
        const struct agent *agent = &agents[*misfit];
        if (!holds(agent->x) || !holds(agent->y) || !holds(agent->vx) || !holds(agent->vy))
            return false;
    }
    const struct core_table *scalar = scalar_table(engine->model.arithmetic);
    if (engine->table != scalar && needs_scalar(engine, agents, count)) {
        free(engine->flock);
        if (!take_table(engine, scalar, fault))
            return false;
    }
    engine->table->set(engine->flock, agents, step);
    return true;
}

void engine_get(const struct engine *engine, struct agent *agents)
{
    engine->table->get(engine->flock, agents);
}

uint64_t engine_hash(const struct engine *engine)
{
    return engine->table->hash(engine->flock);
}

enum flock_status engine_step(struct engine *engine)
{
    return engine->table->step(engine->flock);
}

int engine_missing_threads(const struct engine *engine)
{
    return engine->tuning.threads - team_size(engine->tuning.team);
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    free(engine->flock);
    team_free(engine->tuning.team);
    free(engine);
}
