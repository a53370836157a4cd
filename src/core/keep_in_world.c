/* After the move, agents are moved out of obstacles, then back into a world that wraps or reflects: one at a time,
 * because few need this in a step. */
#include "keep_in_world.h"

#include "lane_ops_scalar.h"
#include "neighbour_selection.h"

static num wrap(const struct flock_axis *axis, enum flock_wrap_to wrap_to, num a)
{
    const bool is_below = num_less(a, num_zero());
    if (!is_below && !num_less(axis->length, a))
        return a;
    if (wrap_to == FLOCK_WRAP_EDGE)
        return is_below ? axis->length : num_zero();
    const num once = is_below ? num_add(a, axis->length) : num_subtract(a, axis->length);
    bool is_odd;
    if (!num_less(once, num_zero()) && !num_less(axis->length, once))
        return once;
    /* Subtract whole multiples of the length of the world; the far edge is inside. */
    const num rest = num_modulo(a, axis->length, &is_odd);
    return num_is_zero(rest) && !is_below ? axis->length : rest;
}

/* Mirror at both walls until the agent is inside: in one step, an agent can cross more than the width of the world. */
static void reflect(const struct flock_axis *axis, num *position, num *velocity)
{
    const num a = *position;
    const bool is_below = num_less(a, num_zero());
    if (!is_below && !num_less(axis->length, a))
        return;
    bool is_odd = true;
    num mirrored =
        is_below ? num_subtract(num_zero(), a) : num_subtract(axis->length, num_subtract(a, axis->length));
    if (num_less(mirrored, num_zero()) || num_less(axis->length, mirrored)) {
        mirrored = num_modulo(a, axis->length, &is_odd);
        const bool is_on_far_wall = num_is_zero(mirrored) && !is_below;
        if (is_odd)
            mirrored = num_subtract(axis->length, mirrored);
        /* An agent on the wall is inside, so it is not mirrored again. */
        is_odd = is_odd != is_on_far_wall;
    }
    *position = mirrored;
    if (is_odd)
        *velocity = num_subtract(num_zero(), *velocity);
}

/* At the wall of a disc, mirror along the diameter through the agent, as reflect() does along an axis. */
static void reflect_in_disc(struct flock_agent *agent, const struct flock_params *params)
{
    const struct flock_vec offset = offset_from_centre(params, agent->position);
    num_square squared = lane_vec_norm_squared(offset);
    if (!num_square_less(params->disc_squared, squared))
        return;
    num along = num_add(params->x.half, lane_vec_length(offset));
    const struct flock_vec away = lane_vec_rescale(offset, &squared);
    const struct flock_vec outward = lane_vec_over_length(away, squared);
    const num speed = lane_vec_dot(agent->velocity, outward);
    num mirrored = speed;
    reflect(&params->x, &along, &mirrored);
    const num change = num_subtract(mirrored, speed), distance = num_subtract(along, params->x.half);
    const struct flock_vec centre = {params->x.half, params->y.half};
    agent->position = lane_vec_add(centre, lane_vec_scale_to(away, distance, squared));
    agent->velocity = lane_vec_add(agent->velocity, (struct flock_vec){num_multiply(change, outward.x),
                                                                       num_multiply(change, outward.y)});
}

static void wrap_position(struct flock_agent *agent, const struct flock_params *params,
                          enum flock_wrap_to wrap_to)
{
    agent->position.x = wrap(&params->x, wrap_to, agent->position.x);
    agent->position.y = wrap(&params->y, wrap_to, agent->position.y);
}

/* From the exact centre, leave along -v, or along +x if at rest. */
static void leave_centre(struct flock_agent *agent, const struct flock_obstacle *obstacle)
{
    const struct flock_vec back = lane_vec_subtract(lane_vec_zero(), agent->velocity);
    struct flock_vec edge = {obstacle->radius, num_zero()};
    if (!lane_vec_is_zero(back))
        edge = lane_vec_of_length(back, obstacle->radius, lane_vec_norm_squared(back));
    *agent = (struct flock_agent){lane_vec_add(obstacle->centre, edge), back};
}

/* Move the agent to the edge of the obstacle. The inward part of its velocity is mirrored, so its speed does not
 * change. */
static void leave_one_obstacle(struct flock_agent *agent, const struct flock_obstacle *obstacle,
                               struct flock_vec away, num_square squared)
{
    const struct flock_vec outward = lane_vec_over_length(away, squared);
    const num speed = lane_vec_dot(agent->velocity, outward);
    const num twice = num_add(speed, speed);
    agent->position = lane_vec_add(obstacle->centre, lane_vec_scale_to(away, obstacle->radius, squared));
    if (num_less(speed, num_zero())) {
        const struct flock_vec change = {num_multiply(twice, outward.x), num_multiply(twice, outward.y)};
        agent->velocity = lane_vec_subtract(agent->velocity, change);
    }
}

static void leave_obstacles(struct flock_agent *agent, const struct flock_params *params)
{
    bool is_moved = false;
    /* Wrap to the edge first, because this may move the agent into an obstacle at that edge. */
    if (params->border == FLOCK_WRAP && params->wrap_to == FLOCK_WRAP_EDGE)
        wrap_position(agent, params, FLOCK_WRAP_EDGE);
    for (uint32_t k = 0; k < params->obstacle_count; k++) {
        const struct flock_obstacle *obstacle = &params->obstacles[k];
        const struct flock_vec offset = offset_between(params, agent->position, obstacle->centre);
        num_square squared = lane_vec_norm_squared(offset);
        if (!num_square_less(squared, obstacle->radius_squared))
            continue;
        const struct flock_vec away = lane_vec_rescale(offset, &squared);
        is_moved = true;
        if (num_square_is_zero(squared))
            leave_centre(agent, obstacle);
        else
            leave_one_obstacle(agent, obstacle, away, squared);
    }
    /* An obstacle on the seam of the torus may have moved the agent out of the world, by less than the width of the
     * obstacle. So the position is wrapped modulo the world: `wrap_to` "edge" would move the agent back into the
     * obstacle. */
    if (is_moved && params->x.is_torus)
        wrap_position(agent, params, FLOCK_WRAP_MODULO);
}

void flock_keep_in_world(struct flock_agent *agent, const struct flock_params *params)
{
    if (params->obstacle_count > 0)
        leave_obstacles(agent, params);
    switch (params->border) {
    case FLOCK_WRAP: wrap_position(agent, params, params->wrap_to); break;
    case FLOCK_REFLECT:
        if (params->is_disc) {
            reflect_in_disc(agent, params);
            break;
        }
        reflect(&params->x, &agent->position.x, &agent->velocity.x);
        reflect(&params->y, &agent->position.y, &agent->velocity.y);
        break;
    case FLOCK_BOUNCE:
    case FLOCK_OPEN: break;
    }
}
