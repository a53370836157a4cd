/* A whole flock in one block of memory, for programs that use only the core. The parts of the block, each aligned:
 *
 *     struct flock_simulation | goals and obstacles | the flock
 */
#include "flock/simulation.h"

#include <math.h>

static size_t aligned(size_t size)
{
    enum { ALIGNMENT = 16 };
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The defaults that all rules share. */
#define RULE .view = 360, .nearest = NAN, .max_turn = NAN

struct flock_model flock_model_defaults(void)
{
    return (struct flock_model){
        .seed = 1,
        .arithmetic = FLOCK_FLOAT64,
        .world = {.width = 640,
                  .height = 480,
                  .border = FLOCK_BOUNCE,
                  .margin = {100, 100, 100, 100},
                  .turn_factor = 0.2,
                  .distance = FLOCK_PLANE},
        .boid_count = 400,
        .min_speed = 3,
        .max_speed = 6,
        .max_force = NAN,
        .max_turn = NAN,
        .inertia = 1,
        .separation = {.radius = 8, .factor = 0.05, RULE},
        .alignment = {.radius = 40, .factor = 0.05, RULE, .falloff_scale = NAN, .falloff_exponent = 1},
        .cohesion = {.radius = 40, .factor = 0.0005, RULE, .falloff_scale = NAN, .falloff_exponent = 1},
        .init_speed = {3, 6},
        .init_direction = NAN,
        .goal_factor = 0.05,
        .goal_radius = NAN,
        .goal_direction = NAN,
        .goal_share = 1,
        .obstacle_clearance = 5,
        .obstacle_look_ahead = 20,
        .obstacle_turn_factor = 0.5,
        .predator_radius = 100,
        .predator_turn_factor = 0.5,
        .hunt_factor = 0.2,
    };
}

size_t flock_simulation_memory(const struct flock_model *model)
{
    const struct flock_params params = flock_params_from_model(model, model->boid_count);
    return aligned(sizeof(struct flock_simulation)) + aligned(flock_lists_memory(model)) +
           flock_memory(&params, model->boid_count, model->predator_count);
}

struct flock_simulation *flock_simulation_create(const struct flock_model *model, void *memory)
{
    struct flock_simulation *simulation = memory;
    const struct flock_init_params start = flock_init_params_from_model(model);
    unsigned char *lists = (unsigned char *)memory + aligned(sizeof *simulation);
    unsigned char *flock = lists + aligned(flock_lists_memory(model));
    simulation->params = flock_params_from_model(model, model->boid_count);
    flock_lists_from_model(&simulation->params, model, lists);
    flock_init(&simulation->flock, &simulation->params, model->boid_count, model->predator_count, flock);
    flock_randomise(&simulation->flock, &simulation->params, &start);
    return simulation;
}

enum flock_status flock_simulation_step(struct flock_simulation *simulation)
{
    return flock_step(&simulation->flock, &simulation->params);
}
