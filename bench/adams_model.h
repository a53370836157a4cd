/* V. Hunter Adams' rules in a box, for all benchmarks. */
#ifndef BENCH_ADAMS_MODEL_H
#define BENCH_ADAMS_MODEL_H

#include "flock/model.h"

#include <math.h>

static const double adams_radius = 40;

/** Make the box a square in which each boid has `neighbours` neighbours on average. */
static inline void adams_set_box(struct flock_model *model, uint32_t count, double neighbours)
{
    const double area = count * 3.14159265358979 * adams_radius * adams_radius / neighbours;
    model->boid_count = count;
    model->world.width = model->world.height = sqrt(area);
}

static inline struct flock_model adams_model(uint32_t count, double neighbours)
{
    struct flock_model model = {
        .seed = 1,
        .world = {.margin = {100, 100, 100, 100},
                  .turn_factor = 0.2,
                  .border = FLOCK_BOUNCE,
                  .distance = FLOCK_PLANE},
        .min_speed = 3,
        .max_speed = 6,
        .max_force = NAN,
        .inertia = 1,
        .separation = {.radius = 8, .factor = 0.05},
        .alignment = {.radius = adams_radius, .inner_radius = 8, .factor = 0.05},
        .cohesion = {.radius = adams_radius, .inner_radius = 8, .factor = 0.0005},
        .init_speed = {3, 6},
        .init_direction = NAN,
    };
    adams_set_box(&model, count, neighbours);
    return model;
}

#endif
