/* The motion of one agent, after steering.h has changed its velocity:
 *
 *     update_agent
 *         update_velocity    the rules (steering.h)
 *         update_finish      noise and the largest turn, then
 *             update_move    bounce, obstacles, predators, speed limits, move; also used by predators
 *
 * Then keep_in_world.c moves boids out of obstacles, and wraps or reflects them, one at a time, because few need this in a
 * step. Formulas are in docs/models.md.
 */
#pragma once

#include "steering.h"

/** A boid, or a SIMD vector of them. */
struct lane_agent {
    lane_vec position, velocity;
    lane_id id;
};

/* Add `by` to the velocity in the lanes `up`, and subtract it in the lanes `down`. */
LANE_OP lane update_nudge(lane_mask up, lane_mask down, num by, lane velocity)
{
    if (lane_worth_doing(up))
        velocity = lane_select(up, lane_add(velocity, lane_set1(by)), velocity);
    if (lane_worth_doing(down))
        velocity = lane_select(down, lane_subtract(velocity, lane_set1(by)), velocity);
    return velocity;
}

/* If margins overlap, both changes apply. */
LANE_OP lane update_bounce(const struct flock_axis *axis, num turn_factor, lane position, lane velocity)
{
    return update_nudge(lane_less(position, lane_set1(axis->near)), lane_less(lane_set1(axis->far), position),
                        turn_factor, velocity);
}

/* In the margin of a disc, the velocity changes towards the centre. */
STEP_NOINLINE lane_vec update_bounce_in_disc(const struct flock_params *params, lane_vec position,
                                             lane_vec velocity)
{
    const lane_vec outward = offset_from_centre(params, position);
    const lane_square squared = lane_vec_norm_squared(outward);
    const lane_mask is_in_margin = lane_square_more(squared, params->bounce_squared);
    if (!lane_worth_doing(is_in_margin))
        return velocity;
    const lane_vec change = lane_vec_of_length(outward, lane_set1(params->turn_factor), squared);
    return lane_vec_select(is_in_margin, lane_vec_subtract(velocity, change), velocity);
}

/* Obstacles ahead, after Reynolds (1999) and OpenSteer: a boid turns away from the first obstacle that is too near
 * to its straight path. */
struct avoid_ahead {
    lane_vec heading;
    /* Distance to the nearest blocking obstacle found so far; initially, the distance that a boid looks ahead. */
    lane nearest;
    lane side; /* distance from the path to the centre of this obstacle, positive to the left */
    lane_mask is_blocked;
};

/* True if an obstacle may be in the way, that is, if its distance along each axis is at most `horizon` + 2 `reach`. */
LANE_OP lane_mask avoid_is_near(lane_vec way, lane horizon, num reach)
{
    const lane far = lane_add(horizon, lane_set1(num_add(reach, reach)));
    const lane minus = lane_subtract(lane_zero(), far);
    const lane_mask is_left = lane_or(lane_less(way.x, minus), lane_less(far, way.x));
    const lane_mask is_below = lane_or(lane_less(way.y, minus), lane_less(far, way.y));
    return lane_not(lane_or(is_left, is_below));
}

LANE_OP void avoid_look_ahead(struct avoid_ahead *ahead, const struct flock_obstacle *obstacle, lane_vec way,
                              lane_mask is_near)
{
    const lane along = lane_vec_dot(way, ahead->heading), side = lane_vec_cross(ahead->heading, way);
    const lane_mask is_aside =
        lane_square_less(lane_norm_squared(side, lane_zero()), obstacle->reach_squared);
    const lane_mask is_in_way = lane_and(lane_and(is_near, is_aside), lane_less(lane_zero(), along));
    if (!lane_any_of(is_in_way))
        return;
    const lane until = lane_subtract(along, lane_sqrt_diff_squares(obstacle->reach_squared, side));
    const lane_mask is_first = lane_and(is_in_way, lane_less(until, ahead->nearest));
    ahead->nearest = lane_select(is_first, until, ahead->nearest);
    ahead->side = lane_select(is_first, side, ahead->side);
    ahead->is_blocked = lane_or(ahead->is_blocked, is_first);
}

LANE_OP lane_vec update_avoid(const struct flock_params *params, lane_vec position, lane_vec velocity)
{
    const lane_square squared = lane_vec_norm_squared(velocity);
    const lane_mask is_moving = lane_not(lane_vec_is_zero(velocity));
    if (!lane_any_of(is_moving))
        return velocity;
    const lane horizon = lane_scale(params->look_ahead, lane_vec_length(velocity));
    struct avoid_ahead ahead = {lane_vec_unit(velocity, squared), horizon, lane_zero(),
                                lane_mask_set1(false)};
    for (uint32_t k = 0; k < params->obstacle_count; k++) {
        const struct flock_obstacle *obstacle = &params->obstacles[k];
        const lane_vec way = offset_between(params, lane_vec_set1(obstacle->centre), position);
        const lane_mask is_near = lane_and(is_moving, avoid_is_near(way, horizon, obstacle->reach));
        if (lane_any_of(is_near))
            avoid_look_ahead(&ahead, obstacle, way, is_near);
    }
    if (!lane_any_of(ahead.is_blocked))
        return velocity;
    /* Turn right if the obstacle is to the left; turn left if it is exactly ahead. */
    const lane_vec left = {lane_subtract(lane_zero(), ahead.heading.y), ahead.heading.x};
    const lane_vec right = {ahead.heading.y, lane_subtract(lane_zero(), ahead.heading.x)};
    const lane_vec aside = lane_vec_select(lane_less(lane_zero(), ahead.side), right, left);
    const lane_vec turned = lane_vec_add(velocity, lane_vec_scale(params->avoid_factor, aside));
    return lane_vec_select(ahead.is_blocked, turned, velocity);
}

/** The lanes inside an obstacle. */
LANE_OP lane_mask update_is_inside_obstacle(const struct flock_params *params, lane_vec position)
{
    lane_mask is_inside = lane_mask_set1(false);
    for (uint32_t k = 0; k < params->obstacle_count; k++) {
        const struct flock_obstacle *obstacle = &params->obstacles[k];
        const lane_vec away = offset_between(params, position, lane_vec_set1(obstacle->centre));
        is_inside =
            lane_or(is_inside, lane_square_less(lane_vec_norm_squared(away), obstacle->radius_squared));
    }
    return is_inside;
}

LANE_OP lane flee_axis(num turn_factor, lane_sum sum, lane velocity)
{
    const lane away = lane_sum_total(sum), zero = lane_zero();
    return update_nudge(lane_less(zero, away), lane_less(away, zero), turn_factor, velocity);
}

/* A fixed change of velocity, directly away from the predators. */
LANE_OP lane_vec flee_straight(num turn_factor, const struct neighbour_sum *sum, lane_vec velocity)
{
    const lane_vec away = lane_sums_direction(sum->x, sum->y);
    const lane_mask has_way = lane_not(lane_vec_is_zero(away));
    if (!lane_worth_doing(has_way))
        return velocity;
    const lane_vec change = lane_vec_of_length(away, lane_set1(turn_factor), lane_vec_norm_squared(away));
    return lane_vec_select(has_way, lane_vec_add(velocity, change), velocity);
}

LANE_OP void update_flee(struct lane_agent *boid, const struct flock_step_context *context,
                         bool is_simple_motion)
{
    const struct flock_params *params = context->params;
    struct neighbour_sum sum = {lane_sum_zero(), lane_sum_zero(), lane_count_none()};
    if (context->predator_count == 0)
        return;
    for (uint32_t k = 0; k < context->predator_count; k++) {
        const lane_vec away =
            offset_between(params, boid->position, lane_vec_set1(context->predators[k].position));
        const lane_square squared = lane_vec_norm_squared(away);
        perceive_add(&sum, lane_square_less(squared, params->predator_radius_squared), away, false);
    }
    switch (is_simple_motion ? FLOCK_FLEE_AXES : params->predator_form) {
    case FLOCK_FLEE_AXES:
        boid->velocity.x = flee_axis(params->predator_turn_factor, sum.x, boid->velocity.x);
        boid->velocity.y = flee_axis(params->predator_turn_factor, sum.y, boid->velocity.y);
        break;
    case FLOCK_FLEE_UNIT:
        boid->velocity = flee_straight(params->predator_turn_factor, &sum, boid->velocity);
        break;
    }
}

/* A boid at rest has no heading, so its velocity does not change. The lower limit is applied first; a boid below it
 * is not compared with the upper limit. If the square of the speed overflows, the velocity is set to a value out of
 * range. */
LANE_OP lane_vec update_scale_speed(lane_vec velocity, lane_square squared, lane_mask is_slow,
                                    lane_mask is_fast, lane min, lane max)
{
    lane_vec way = velocity;
    lane_square way_squared = squared;
    if (lane_any_of(lane_and(is_slow, lane_square_is_small(squared)))) {
        way = lane_vec_rescale(velocity, &way_squared);
        is_slow = lane_and_not(is_slow, lane_square_is_zero(way_squared));
    }
    const lane_mask is_off = lane_or(is_slow, is_fast);
    if (lane_worth_doing(is_off)) {
        const lane limit = lane_select(is_slow, min, max);
        velocity = lane_vec_select(is_off, lane_vec_scale_to(way, limit, way_squared), velocity);
    }
    const lane_vec lost = {lane_set1(num_out_of_range()), lane_set1(num_out_of_range())};
    return lane_vec_select(lane_square_is_finite(squared), velocity, lost);
}

LANE_OP lane_vec update_limit_speed(const struct flock_limits *limits, lane_vec velocity)
{
    const lane_square squared = lane_vec_norm_squared(velocity);
    const lane_mask is_slow =
        lane_and(lane_mask_set1(limits->has_min), lane_square_less(squared, limits->min_squared));
    const lane_mask is_fast =
        lane_and(lane_mask_set1(limits->has_max), lane_square_more(squared, limits->max_squared));
    return update_scale_speed(velocity, squared, is_slow, is_fast, lane_set1(limits->min),
                              lane_set1(limits->max));
}

/* Limit the speed if each boid has its own limits, between those of the slowest and of the fastest boid. */
STEP_NOINLINE lane_vec update_limit_own_speed(const struct flock_step_context *context, lane_id id,
                                              lane_vec velocity)
{
    const struct flock_limits *slowest = &context->params->slowest, *fastest = &context->params->fastest;
    const lane_bits draws = lane_random_bits(context->speed, id);
    const lane min = lane_uniform(slowest->min, fastest->min, draws);
    const lane max = lane_uniform(slowest->max, fastest->max, draws);
    const lane_square squared = lane_vec_norm_squared(velocity);
    const lane_mask is_slow = lane_and(lane_mask_set1(slowest->has_min),
                                       lane_square_less_than(squared, lane_norm_squared(min, lane_zero())));
    const lane_mask is_fast = lane_and(lane_mask_set1(slowest->has_max),
                                       lane_square_less_than(lane_norm_squared(max, lane_zero()), squared));
    return update_scale_speed(velocity, squared, is_slow, is_fast, min, max);
}

/* `limits` are the speed limits of predators, or those of the flock. */
LANE_OP void update_limit(struct lane_agent *boid, const struct flock_step_context *context,
                          const struct flock_limits *limits, bool is_simple_motion)
{
    const bool is_own =
        !is_simple_motion && context->params->has_speed_spread && limits == &context->params->limits;
    boid->velocity = is_own ? update_limit_own_speed(context, boid->id, boid->velocity)
                            : update_limit_speed(limits, boid->velocity);
}

/* Noise rotates the velocity by a random angle, and adds a vector in a random direction. */
STEP_NOINLINE lane_vec update_noise(lane_vec velocity, lane_id id, const struct flock_step_context *context)
{
    const struct flock_params *params = context->params;
    const lane_bits draws = lane_random_bits(context->noise, id);
    if (params->noise_turns != 0)
        velocity = lane_vec_turn(velocity, lane_sincos_of(lane_angle_within(draws, params->noise_turns)));
    if (num_is_zero(params->noise_vector))
        return velocity;
    const lane_sincos direction = lane_sincos_of(lane_angle_any(draws));
    return lane_vec_add(velocity, lane_vec_along(params->noise_vector, direction));
}

/** Steps 2 to 5 of docs/models.md, for boids and predators.
 *
 * `boid` has its new velocity and its old position. `before` is the velocity before the rules, which is added to the
 * position if the integrator is explicit. `limits` are its speed limits.
 */
LANE_OP void update_move(struct lane_agent *boid, lane_vec before, const struct flock_step_context *context,
                         const struct flock_limits *limits, bool is_simple_motion)
{
    const struct flock_params *params = context->params;
    if (params->limit == FLOCK_LIMIT_BEFORE_BORDER)
        update_limit(boid, context, limits, is_simple_motion);
    switch (params->border) {
    case FLOCK_BOUNCE:
        if (!is_simple_motion && params->is_disc) {
            boid->velocity = update_bounce_in_disc(params, boid->position, boid->velocity);
            break;
        }
        boid->velocity.x = update_bounce(&params->x, params->turn_factor, boid->position.x, boid->velocity.x);
        boid->velocity.y = update_bounce(&params->y, params->turn_factor, boid->position.y, boid->velocity.y);
        break;
    case FLOCK_WRAP:
    case FLOCK_REFLECT:
    case FLOCK_OPEN: break;
    }
    if (!is_simple_motion && params->obstacle_count > 0)
        boid->velocity = update_avoid(params, boid->position, boid->velocity);
    update_flee(boid, context, is_simple_motion);
    if (params->limit == FLOCK_LIMIT_AFTER_BORDER)
        update_limit(boid, context, limits, is_simple_motion);
    switch (params->integrator) {
    case FLOCK_SEMI_IMPLICIT: before = boid->velocity; break;
    case FLOCK_EXPLICIT: break;
    }
    if (!is_simple_motion && params->has_wind)
        before = lane_vec_add(before, lane_vec_set1(params->wind));
    boid->position = lane_vec_add(boid->position, before);
}

/** Apply the changes of the caller, noise and the largest turn (the end of step 1 in docs/models.md), then do steps 2 to 5. */
LANE_OP void update_finish(struct lane_agent *boid, lane_vec before, const struct flock_step_context *context,
                           bool is_simple_motion)
{
    const struct flock_params *params = context->params;
    if (!is_simple_motion && context->changes)
        boid->velocity = lane_vec_add(boid->velocity, lane_vec_of_id(context->changes, boid->id));
    if (!is_simple_motion && params->has_noise)
        boid->velocity = update_noise(boid->velocity, boid->id, context);
    if (!is_simple_motion && params->has_max_turn)
        boid->velocity = steer_limit_turn(params->max_turn, before, boid->velocity);
    update_move(boid, before, context, &params->limits, is_simple_motion);
}

/** The whole update, except for step 6 in keep_in_world.c. */
LANE_OP void update_agent(struct lane_agent *boid, const struct flock_step_context *context,
                          const struct neighbour_sums *sums, bool is_simple_motion)
{
    const lane_vec before = boid->velocity;
    boid->velocity = update_velocity(context, is_simple_motion, sums, boid->id, boid->position, before);
    update_finish(boid, before, context, is_simple_motion);
}

/** The lanes whose position and velocity are in the range of num. */
LANE_OP lane_mask update_is_finite(const struct lane_agent *boid)
{
    return lane_and(lane_and(lane_is_finite(boid->position.x), lane_is_finite(boid->position.y)),
                    lane_and(lane_is_finite(boid->velocity.x), lane_is_finite(boid->velocity.y)));
}
