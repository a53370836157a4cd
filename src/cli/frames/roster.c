/* Places ascend, so that whoever moves up in a frame moves to where nobody is any more. */
#include "roster.h"

#include "config/keys.h"
#include "config/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void choose(struct roster *roster, const struct config *config, const int32_t *ids, size_t boids,
                   size_t predators)
{
    size_t count = 0;
    for (size_t i = 0; i < boids + predators; i++) {
        if (i < boids && !config_writes_boid(config, ids[i]))
            continue;
        roster->places[count] = i;
        roster->ids[count++] = ids[i];
    }
    roster->predators = predators;
    roster->boids = count - predators;
}

static void take_all(struct roster *roster, const int32_t *ids, size_t boids, size_t predators)
{
    memcpy(roster->ids, ids, (boids + predators) * sizeof *ids);
    roster->boids = boids;
    roster->predators = predators;
}

bool roster_check(const struct config *config, const int32_t *ids, size_t boids, struct fault *fault)
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

/* Room for all. */
static struct roster *allocate(size_t count, bool has_places)
{
    struct roster *roster = calloc(1, sizeof *roster);
    if (!roster)
        return NULL;
    roster->ids = malloc(count * sizeof *roster->ids);
    roster->places = has_places ? malloc(count * sizeof *roster->places) : NULL;
    if (roster->ids && (roster->places || !has_places))
        return roster;
    roster_free(roster);
    return NULL;
}

struct roster *roster_create(const struct config *config, const int32_t *ids, size_t boids, size_t predators,
                             struct fault *fault)
{
    const size_t count = boids + predators;
    struct roster *roster = allocate(count, !config_writes_all_boids(config));
    if (!roster) {
        fault_fail(fault, "there is no memory for %zu boids and predators", count);
        return NULL;
    }
    roster->has_positions = config->output.fields & CONFIG_POSITION;
    roster->has_velocities = config->output.fields & CONFIG_VELOCITY;
    if (roster->places)
        choose(roster, config, ids, boids, predators);
    else
        take_all(roster, ids, boids, predators);
    if (roster->boids > 0 || roster_check(config, ids, boids, fault))
        return roster;
    roster_free(roster);
    return NULL;
}

void roster_gather(const struct roster *roster, struct agent *agents)
{
    const size_t count = roster->boids + roster->predators;
    for (size_t i = 0; i < count && roster->places; i++)
        agents[i] = agents[roster->places[i]];
    for (size_t i = 0; i < count && !roster->has_positions; i++)
        agents[i].x = agents[i].y = NAN;
    for (size_t i = 0; i < count && !roster->has_velocities; i++)
        agents[i].vx = agents[i].vy = NAN;
}

void roster_free(struct roster *roster)
{
    if (!roster)
        return;
    free(roster->ids);
    free(roster->places);
    free(roster);
}
