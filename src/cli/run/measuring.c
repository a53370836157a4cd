#include "measuring.h"

#include "cli/frames/places.h"
#include "cli/run/together.h"
#include "ranks/ranks.h"

#include <stdlib.h>
#include <string.h>

static bool fits(const struct config *config, const void *context, struct fault *fault)
{
    const struct choice *choice = context;
    (void)fault;
    return measure_fits_bands(&config->model, choice->bits, engine_reach(&config->model));
}

static bool pays(const struct config *config)
{
    const char *hook = getenv("BOIDS_MEASURE");
    return hook ? strcmp(hook, "together") == 0 : config->model.boid_count >= RANKS_MANY;
}

bool measuring_is_together(const struct config *config, const struct options *options)
{
    struct choice choice;
    struct fault none = {0};
    choice_make(&choice, config->output.observables);
    return ranks_world()->count > 1 && pays(config) && places_are_measured(options, config) &&
           together_check_each(config, fits, &choice, &none);
}

size_t measuring_memory(const struct config *config)
{
    const uint32_t boids = config->model.boid_count / (uint32_t)ranks_world()->count;
    return measure_memory_of_band(boids) + engine_band_memory(boids);
}

struct measure *measuring_create(const struct flock_model *model, bool is_together,
                                 const struct choice *choice, struct fault *fault)
{
    struct measure *measure =
        is_together ? measure_create_banded(model, ranks_world(), fault) : measure_create(model, fault);
    if (measure)
        measure_limit(measure, choice->bits);
    return measure;
}

bool measuring_take(struct measure *measure, const struct engine *engine, double values[MEASURE_COUNT],
                    struct fault *fault)
{
    struct band band;
    engine_band(engine, &band);
    return measure_take_band(measure, &band, values, fault);
}
