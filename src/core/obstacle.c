/* Out of obstacles, one agent at a time: few have flown into one in a step. */
#include "obstacle.h"

#include "border.h"
#include "lane.h"
#include "sight.h"

/* From the very centre it goes back to where it came from, or, at rest, along +x. */
static void leave_centre(struct flock_agent *agent, const struct flock_circle *circle)
{
    const struct flock_vec back = lane_vec_subtract(lane_vec_zero(), agent->velocity);
    const num_square squared = lane_vec_norm_squared(back);
    struct flock_vec edge = {circle->radius, num_zero()};
    if (!num_square_is_zero(squared))
        edge = lane_vec_scale_to(back, circle->radius, squared);
    *agent = (struct flock_agent){lane_vec_add(circle->centre, edge), back};
}

/* Onto the circle, and what was inward of its velocity is mirrored, so that it is as fast as before. */
static void leave(struct flock_agent *agent, const struct flock_circle *circle, struct flock_vec away,
                  num_square squared)
{
    const struct flock_vec outward = lane_vec_over_length(away, squared);
    const num speed = lane_vec_dot(agent->velocity, outward);
    const num twice = num_add(speed, speed);
    agent->position = lane_vec_add(circle->centre, lane_vec_scale_to(away, circle->radius, squared));
    if (num_less(speed, num_zero())) {
        const struct flock_vec change = {num_multiply(twice, outward.x), num_multiply(twice, outward.y)};
        agent->velocity = lane_vec_subtract(agent->velocity, change);
    }
}

void flock_leave_obstacles(struct flock_agent *agent, const struct flock_params *params)
{
    bool is_moved = false;
    /* `wrap_to` "edge" may put the agent into a circle there. */
    if (params->border == FLOCK_WRAP && params->wrap_to == FLOCK_WRAP_EDGE)
        flock_wrap(agent, params, FLOCK_WRAP_EDGE);
    for (uint32_t k = 0; k < params->circle_count; k++) {
        const struct flock_circle *circle = &params->circles[k];
        const struct flock_vec away = sight_offset(params, agent->position, circle->centre);
        const num_square squared = lane_vec_norm_squared(away);
        if (!num_square_less(squared, circle->radius_squared))
            continue;
        is_moved = true;
        if (num_square_is_zero(squared))
            leave_centre(agent, circle);
        else
            leave(agent, circle, away, squared);
    }
    /* A circle across the seam has put the agent beside the world, as far as that edge is from the other: `wrap_to` "edge" would put
     * it back into the circle. */
    if (is_moved && params->x.is_torus)
        flock_wrap(agent, params, FLOCK_WRAP_MODULO);
}
