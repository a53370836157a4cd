/* The boids, fields, steps and observables that the section "output" selects. */
#include "config/config.h"

#include "base/text.h"
#include "measure/measure.h"

#include <math.h>
#include <string.h>

struct text_nearest config_observable_nearest(const char *word)
{
    struct text_nearest nearest = text_nearest_begin(word);
    FOR_EACH_OBSERVABLE (k)
        text_nearest_add(&nearest, measure_names[k]);
    return nearest;
}

void config_observables_describe(uint32_t bits, char text[CONFIG_TEXT_SIZE])
{
    *text = '\0';
    FOR_EACH_OBSERVABLE (k)
        if (bits >> k & 1)
            snprintf(text + strlen(text), CONFIG_TEXT_SIZE - strlen(text), "%s%s", *text ? ", " : "",
                     measure_names[k]);
}

int config_observable_find(const char *name, const char *until, struct error *error)
{
    FOR_EACH_OBSERVABLE (k)
        if (text_is_same(measure_names[k], name))
            return k;
    const struct text_nearest nearest = config_observable_nearest(name);
    const bool is_known = nearest.name[0];
    if (!is_known)
        error_advise(error, "help ", "output.observables", "lists them");
    error_refuse(error, "%s%s%s%s is not an observable%s%s%s", until ? "--until " : "", until ? until : "",
                 until ? ": " : "", name, is_known ? "; did you mean " : "", nearest.name,
                 is_known ? "?" : "");
    return -1;
}

uint64_t config_mean_from(const struct config *config, uint64_t first)
{
    const double from = config->output.mean_from;
    const uint64_t steps = config->steps > first ? config->steps - first : 0;
    return isnan(from) ? first + steps / 2 : (uint64_t)from;
}

bool config_writes_boid(const struct config *config, int32_t id)
{
    const struct config_boids *boids = &config->output.boids;
    const uint64_t wide = (uint64_t)id;
    return wide % boids->every == 0 && wide >= boids->from && wide <= boids->to;
}

bool config_writes_all_boids(const struct config *config)
{
    const struct config_boids *boids = &config->output.boids;
    return boids->every == 1 && boids->from == 0 && boids->to == INT32_MAX;
}

bool config_writes_whole_frames(const struct config *config)
{
    return config_writes_all_boids(config) && (~config->output.fields & CONFIG_ALL_FIELDS) == 0;
}

bool config_unwraps(const struct config *config)
{
    return config->output.fields & CONFIG_UNWRAPPED && config->model.world.border == FLOCK_WRAP;
}

bool config_rounds_frames(const struct config *config)
{
    return config_unwraps(config) ||
           (config->model.arithmetic != FLOCK_FLOAT32 && config->output.precision == CONFIG_FLOAT32);
}
