/* The scalar core behind one door. Instruction sets and threads will be chosen here, and nowhere above. */
#include "engine.h"

#include "core.h"

#include <stdlib.h>

struct engine {
    const struct core_table *table;
    struct core_flock *flock;
    struct flock_model model;
    uint32_t boids, predators;
};

static const struct core_table *table_for(enum flock_arithmetic arithmetic)
{
    static const struct core_table *const tables[] = {
        [FLOCK_FLOAT32] = &core_table_f32,
        [FLOCK_FLOAT64] = &core_table_f64,
        [FLOCK_FIXED] = &core_table_fixed,
    };
    return tables[arithmetic];
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

size_t engine_memory(const struct flock_model *model, uint32_t boids, uint32_t predators)
{
    return sizeof(struct engine) + table_for(model->arithmetic)->memory(model, boids, predators);
}

struct engine *engine_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                             struct fault *fault)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (engine) {
        engine->table = table_for(model->arithmetic);
        engine->model = *model;
        engine->boids = boids;
        engine->predators = predators;
        engine->flock = engine->table->create(model, boids, predators);
    }
    if (engine && engine->flock)
        return engine;
    engine_free(engine);
    fault_fail(fault, "there is no memory for %u boids", boids);
    return NULL;
}

void engine_place(struct engine *engine, uint64_t seed)
{
    engine->table->place(engine->flock, &engine->model, seed);
}

size_t engine_set(struct engine *engine, const struct agent *agents)
{
    bool (*const holds)(double) = engine->table->holds;
    const size_t count = (size_t)engine->boids + engine->predators;
    for (size_t i = 0; i < count; i++)
        if (!holds(agents[i].x) || !holds(agents[i].y) || !holds(agents[i].vx) || !holds(agents[i].vy))
            return i;
    engine->table->set(engine->flock, agents);
    return count;
}

void engine_get(const struct engine *engine, struct agent *agents)
{
    engine->table->get(engine->flock, agents);
}

enum flock_status engine_step(struct engine *engine)
{
    return engine->table->step(engine->flock);
}

void engine_free(struct engine *engine)
{
    if (engine)
        free(engine->flock);
    free(engine);
}
