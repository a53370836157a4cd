/* Text, what is packed, some of the boids and what the leader measures need whole frames at one place. */
#include "sharing.h"

#include "cli/frames/about.h"
#include "cli/frames/places.h"
#include "cli/run/measuring.h"
#include "config/text.h"
#include "ranks/ranks.h"

bool sharing_pays(const struct config *config, const struct options *options)
{
    const struct trajectory_about about = about_configured(config, NULL, 0);
    return ranks_world()->count > 1 && places_hold_only_hdf5(options) && config_writes_all_boids(config) &&
           (!places_are_measured(options, config) || measuring_is_together(config, options)) &&
           shares_pay(&about);
}

bool sharing_reads(const struct config *config, const struct options *options)
{
    const bool can_be_cut = options->resume
                                ? config->output.compression == 0
                                : trajectory_format_of_input(config->init_file) == TRAJECTORY_HDF5;
    return ranks_world()->count > 1 && shares_are_many(config->model.boid_count) && can_be_cut;
}

size_t sharing_memory(const struct config *config)
{
    const struct trajectory_about about = about_configured(config, NULL, 0);
    return shares_memory(&about);
}

static void get_boids(void *context, size_t first, size_t count, struct agent *agents)
{
    engine_get_boids(context, (uint32_t)first, (uint32_t)count, agents);
}

static void get_predators(void *context, struct agent *agents)
{
    engine_get_predators(context, agents);
}

struct shares_source sharing_source(struct engine *engine)
{
    return (struct shares_source){get_boids, get_predators, engine};
}
