/* Indices ascend, so an agent that moves up in a frame only overwrites agents that were moved or are left out. */
#include "selection.h"

#include "config/keys.h"
#include "config/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void choose(struct agent_selection *selection, const struct config *config, const int32_t *ids,
                   size_t boids, size_t predators)
{
    size_t count = 0;
    for (size_t i = 0; i < boids + predators; i++) {
        if (i < boids && !config_writes_boid(config, ids[i]))
            continue;
        selection->indices[count] = i;
        selection->ids[count++] = ids[i];
    }
    selection->predators = predators;
    selection->boids = count - predators;
}

static void take_all(struct agent_selection *selection, const int32_t *ids, size_t boids, size_t predators)
{
    memcpy(selection->ids, ids, (boids + predators) * sizeof *ids);
    selection->boids = boids;
    selection->predators = predators;
}

bool agent_selection_check(const struct config *config, const int32_t *ids, size_t boids, struct fault *fault)
{
    const struct config_key *key = config_key_find("output.boids");
    const char *origin = config->origins[key - config_keys].text;
    char asked[CONFIG_VALUE_TEXT_SIZE];
    for (size_t i = 0; i < boids; i++)
        if (config_writes_boid(config, ids ? ids[i] : (int32_t)i))
            return true;
    config_value_spell(config, key, asked);
    return fault_refuse(fault, "%s%s%s is %s, but there is no such boid; ids go from %" PRId32 " to %" PRId32,
                        origin, *origin != '\0' ? ": " : "", key->path, asked, ids ? ids[0] : 0,
                        ids ? ids[boids - 1] : (int32_t)boids - 1);
}

/* Memory for all agents. */
static struct agent_selection *allocate(size_t count, bool has_indices)
{
    struct agent_selection *selection = calloc(1, sizeof *selection);
    if (!selection)
        return NULL;
    selection->ids = malloc(count * sizeof *selection->ids);
    selection->indices = has_indices ? malloc(count * sizeof *selection->indices) : NULL;
    if (selection->ids && (selection->indices || !has_indices))
        return selection;
    agent_selection_free(selection);
    return NULL;
}

struct agent_selection *agent_selection_create(const struct config *config, const int32_t *ids, size_t boids,
                                               size_t predators, struct fault *fault)
{
    const size_t count = boids + predators;
    struct agent_selection *selection = allocate(count, !config_writes_all_boids(config));
    if (!selection) {
        fault_fail(fault, "there is no memory for %zu boids and predators", count);
        return NULL;
    }
    selection->has_positions = config->output.fields & CONFIG_POSITION;
    selection->has_velocities = config->output.fields & CONFIG_VELOCITY;
    if (selection->indices)
        choose(selection, config, ids, boids, predators);
    else
        take_all(selection, ids, boids, predators);
    if (selection->boids > 0 || agent_selection_check(config, ids, boids, fault))
        return selection;
    agent_selection_free(selection);
    return NULL;
}

void agent_selection_gather(const struct agent_selection *selection, struct agent *agents)
{
    const size_t count = selection->boids + selection->predators;
    for (size_t i = 0; i < count && selection->indices; i++)
        agents[i] = agents[selection->indices[i]];
    for (size_t i = 0; i < count && !selection->has_positions; i++)
        agents[i].x = agents[i].y = NAN;
    for (size_t i = 0; i < count && !selection->has_velocities; i++)
        agents[i].vx = agents[i].vy = NAN;
}

void agent_selection_free(struct agent_selection *selection)
{
    if (!selection)
        return;
    free(selection->ids);
    free(selection->indices);
    free(selection);
}

void observable_set_init(struct observable_set *observables, uint32_t bits)
{
    *observables = (struct observable_set){.bits = bits};
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (observable_set_contains(observables, (enum measure_quantity)k))
            observables->names[observables->count++] = measure_names[k];
}

bool observable_set_contains(const struct observable_set *observables, enum measure_quantity quantity)
{
    return observables->bits >> quantity & 1;
}

void observable_set_copy(const struct observable_set *observables, const double all[MEASURE_COUNT],
                         double *chosen)
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (observable_set_contains(observables, (enum measure_quantity)k))
            *chosen++ = all[k];
}
