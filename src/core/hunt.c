/* Each predator is compared with all boids, in order of id: with a few predators, this takes a small part of a step. With 64
 * and more, as in a study of many hunters, it takes most of it (docs/performance.md); no preset has them. */
#include "hunt.h"

#include "lane_ops_scalar.h"
#include "neighbour_selection.h"

/* If two boids are at the same distance, the one with the lower id is the target. */
static struct flock_vec offset_to_nearest_boid(const struct flock *flock, const struct flock_params *params,
                                               struct flock_vec from)
{
    struct flock_vec nearest = offset_between(params, flock->boids[0].position, from);
    num_square min = lane_vec_norm_squared(nearest);
    for (uint32_t i = 1; i < flock->count; i++) {
        const struct flock_vec offset = offset_between(params, flock->boids[i].position, from);
        const num_square squared = lane_vec_norm_squared(offset);
        if (num_square_less(squared, min)) {
            nearest = offset;
            min = squared;
        }
    }
    return nearest;
}

/* On a torus, the nearest image of each boid is used, as in cohesion. */
static struct flock_vec offset_to_centre(const struct flock *flock, const struct flock_params *params,
                                         struct flock_vec from)
{
    num_sum x = num_sum_zero(), y = num_sum_zero();
    for (uint32_t i = 0; i < flock->count; i++) {
        const struct flock_vec offset = offset_between(params, flock->boids[i].position, from);
        x = num_sum_add(x, offset.x);
        y = num_sum_add(y, offset.y);
    }
    return (struct flock_vec){num_sum_mean(x, flock->count), num_sum_mean(y, flock->count)};
}

struct flock_vec flock_hunt_prey(const struct flock *flock, const struct flock_params *params,
                                 const struct flock_agent *predator)
{
    const struct flock_vec offset =
        (params->hunt == FLOCK_HUNT_NEAREST ? offset_to_nearest_boid : offset_to_centre)(flock, params,
                                                                                         predator->position);
    if (lane_vec_is_zero(offset))
        return predator->velocity;
    const struct flock_vec way = lane_vec_unit(offset, lane_vec_norm_squared(offset));
    return lane_vec_add(predator->velocity, lane_vec_scale(params->hunt_factor, way));
}
