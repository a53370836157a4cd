/* The update of one agent: written once, with the operations of lane_scalar.h for one boid or of engine/simd/simd_ops.h for a SIMD vector of
 * boids. Include one of them first.
 *
 *     update_velocity    three sums (perception.h) become three changes of velocity
 *     update_finish      noise and the largest turn, then update_move, which predators share: bounce, obstacles, predators, speed
 *                        limits, move
 *
 * Most flocks need only a small part of these functions. The parameters `is_simple_steering` and `is_simple_motion`
 * are the flock's values (params.def) or false. If they are constants, the compiler generates faster code for simple
 * flocks.
 *
 * border.c moves boids out of obstacles, wraps and reflects, one boid at a time, because few boids need this in a
 * step. Formulas are in docs/models.md.
 */
#ifndef FLOCK_AGENT_UPDATE_H
#define FLOCK_AGENT_UPDATE_H

#include "perception.h"
#include "step_context.h"

/* For code that few flocks need. Such code is a separate function, so that it occupies no registers in the common
 * code. */
#define STEP_NOINLINE static __attribute__((noinline, unused))

/** A boid, or a SIMD vector of them. */
struct lane_agent {
    lane_vec position, velocity;
    lane_id id;
};

/* Steering. */

LANE_OP lane_vec steer_mean(const struct neighbour_sum *sum)
{
    return (lane_vec){lane_sum_mean(sum->x, sum->count), lane_sum_mean(sum->y, sum->count)};
}

LANE_OP lane_vec steer_unit(lane_vec a)
{
    return lane_vec_unit(a, lane_vec_norm_squared(a));
}

/* The vector of a rule from its sum. A sum that is too large for a num keeps only its direction: steer_apply_sum(). */
LANE_OP lane_vec steer_normalise(const struct flock_rule *rule, const struct neighbour_sum *sum,
                                 lane_count seen)
{
    switch (rule->normalise) {
    case FLOCK_BY_FORM: /* params.def says which */
    case FLOCK_BY_SUM: break;
    case FLOCK_BY_MEAN: return steer_mean(sum);
    case FLOCK_BY_LENGTH: return steer_unit(lane_sums_direction(sum->x, sum->y));
    case FLOCK_BY_SEEN: return (lane_vec){lane_sum_mean(sum->x, seen), lane_sum_mean(sum->y, seen)};
    }
    return lane_sums_direction(sum->x, sum->y);
}

/* Limit a vector to the length of the maximum force. */
LANE_OP lane_vec steer_bound(const struct flock_params *params, lane_vec force)
{
    const lane_square squared = lane_vec_norm_squared(force);
    const lane_mask is_strong = lane_square_more(squared, params->max_force_squared);
    if (!lane_worth_doing(is_strong))
        return force;
    return lane_vec_select(is_strong, lane_vec_of_length(force, lane_set1(params->max_force), squared),
                           force);
}

/* Steer towards the desired velocity with a limited force (Reynolds 1999). */
LANE_OP lane_vec steer_reynolds(const struct flock_params *params, lane_vec yield, lane_vec velocity)
{
    const lane_square squared = lane_vec_norm_squared(yield);
    const lane_vec wish = lane_vec_of_length(yield, lane_set1(params->limits.max), squared);
    return steer_bound(params, lane_vec_subtract(wish, velocity));
}

/* The change of velocity by a rule, from its vector. */
LANE_OP lane_vec steer_apply(const struct flock_params *params, num_factor factor, lane_vec yield,
                             lane_vec velocity)
{
    switch (params->steering) {
    case FLOCK_DIRECT: break;
    case FLOCK_REYNOLDS: yield = steer_reynolds(params, yield, velocity); break;
    }
    return lane_vec_scale(factor, yield);
}

/* The same for a rule whose vector is its sum. */
LANE_OP lane_vec steer_apply_sum(const struct flock_params *params, num_factor factor,
                                 const struct neighbour_sum *sum, lane_vec velocity)
{
    switch (params->steering) {
    case FLOCK_DIRECT: return lane_sums_scale(factor, sum->x, sum->y);
    case FLOCK_REYNOLDS: break;
    }
    return steer_apply(params, factor, lane_sums_direction(sum->x, sum->y), velocity);
}

/** The changes of velocity by the three rules, for a boid with this velocity at the start of its update; zero without neighbours. */
LANE_OP lane_vec steer_separation(const struct flock_params *params, bool is_simple_steering,
                                  const struct neighbour_sum *sum, lane_count seen, lane_vec velocity)
{
    const lane_mask has_any = lane_count_is_some(sum->count);
    if (!lane_worth_doing(has_any))
        return lane_vec_zero();
    const struct flock_rule *rule = &params->separation;
    if (rule->normalise == FLOCK_BY_SUM)
        return lane_vec_select(has_any, steer_apply_sum(params, rule->factor, sum, velocity),
                               lane_vec_zero());
    const lane_vec yield = is_simple_steering ? steer_mean(sum) : steer_normalise(rule, sum, seen);
    return lane_vec_select(has_any, steer_apply(params, rule->factor, yield, velocity), lane_vec_zero());
}

/* The boid itself is the last term of the sum. */
LANE_OP struct neighbour_sum steer_with_self(const struct flock_params *params,
                                             const struct neighbour_sum *sum, lane_vec velocity)
{
    struct neighbour_sum with_self = *sum;
    perceive_alignment(&with_self, lane_mask_set1(params->alignment.is_on), velocity);
    return with_self;
}

/* The sum of v_j - v_i, from that of v_j. */
LANE_OP struct neighbour_sum steer_relative_sum(const struct neighbour_sum *sum, lane_vec velocity)
{
    return (struct neighbour_sum){lane_sum_subtract_times(sum->x, velocity.x, sum->count),
                                  lane_sum_subtract_times(sum->y, velocity.y, sum->count), sum->count};
}

/* The vector of alignment, if it is not a sum. `velocity` is the boid's own velocity or, if alignment sums v_j - v_i, its difference from
 * v_i. */
LANE_OP lane_vec steer_alignment_vector(const struct flock_params *params, bool is_simple_steering,
                                        const struct neighbour_sum *sum, lane_vec velocity)
{
    const struct flock_rule *rule = &params->alignment;
    switch (params->alignment_form) {
    case FLOCK_MEAN: break;
    case FLOCK_DIFFERENCE:
    case FLOCK_LATEST: {
        const lane_vec difference = lane_vec_subtract(steer_mean(sum), velocity);
        return !is_simple_steering && rule->normalise == FLOCK_BY_LENGTH ? steer_unit(difference)
                                                                         : difference;
    }
    }
    return is_simple_steering ? steer_mean(sum) : steer_normalise(rule, sum, sum->count);
}

/* `velocity` is the boid's own velocity for this rule; `before` was its velocity when the sums were computed. */
LANE_OP lane_vec steer_alignment(const struct flock_params *params, bool is_simple_steering,
                                 const struct neighbour_sum *others, lane_vec velocity, lane_vec before)
{
    const bool counts_self = !is_simple_steering && params->means == FLOCK_WITH_SELF;
    const bool is_relative = !is_simple_steering && params->aligns_differences;
    const lane_vec own = is_relative ? lane_vec_subtract(velocity, before) : velocity;
    struct neighbour_sum sum = counts_self ? steer_with_self(params, others, own) : *others;
    const lane_mask has_any = lane_count_is_some(sum.count);
    if (!lane_worth_doing(has_any))
        return lane_vec_zero();
    const struct flock_rule *rule = &params->alignment;
    if (!is_simple_steering && rule->normalise == FLOCK_BY_SUM) {
        if (params->alignment_form != FLOCK_MEAN)
            sum = steer_relative_sum(&sum, own);
        return lane_vec_select(has_any, steer_apply_sum(params, rule->factor, &sum, velocity),
                               lane_vec_zero());
    }
    const lane_vec yield = steer_alignment_vector(params, is_simple_steering, &sum, own);
    return lane_vec_select(has_any, steer_apply(params, rule->factor, yield, velocity), lane_vec_zero());
}

LANE_OP lane_vec steer_cohesion(const struct flock_params *params, bool is_simple_steering,
                                const struct neighbour_sum *sum, lane_vec velocity)
{
    const lane_mask has_any = lane_count_is_some(sum->count);
    if (!lane_worth_doing(has_any))
        return lane_vec_zero();
    const struct flock_rule *rule = &params->cohesion;
    if (!is_simple_steering && rule->normalise == FLOCK_BY_SUM)
        return lane_vec_select(has_any, steer_apply_sum(params, rule->factor, sum, velocity),
                               lane_vec_zero());
    /* If the boid itself is included, the sum of offsets does not change, but the count increases by one. */
    struct neighbour_sum counted = *sum;
    if (!is_simple_steering && params->means == FLOCK_WITH_SELF)
        perceive_count(&counted, lane_mask_set1(true));
    const lane_vec yield =
        is_simple_steering ? steer_mean(sum) : steer_normalise(rule, &counted, counted.count);
    return lane_vec_select(has_any, steer_apply(params, rule->factor, yield, velocity), lane_vec_zero());
}

STEP_NOINLINE lane_vec steer_separation_general(const struct flock_params *params,
                                                const struct neighbour_sum *sum, lane_count seen,
                                                lane_vec velocity)
{
    return steer_separation(params, false, sum, seen, velocity);
}

STEP_NOINLINE lane_vec steer_alignment_general(const struct flock_params *params,
                                               const struct neighbour_sum *sum, lane_vec velocity)
{
    return steer_alignment(params, false, sum, velocity, velocity);
}

STEP_NOINLINE lane_vec steer_cohesion_general(const struct flock_params *params,
                                              const struct neighbour_sum *sum, lane_vec velocity)
{
    return steer_cohesion(params, false, sum, velocity);
}

/** `velocity` plus the change by one rule, for `passes`. */
LANE_OP lane_vec steer_by_separation(const struct flock_params *params, const struct neighbour_sum *sum,
                                     lane_count seen, lane_vec velocity)
{
    return lane_vec_add(velocity, params->is_simple_steering
                                      ? steer_separation(params, true, sum, seen, velocity)
                                      : steer_separation_general(params, sum, seen, velocity));
}

LANE_OP lane_vec steer_by_alignment(const struct flock_params *params, const struct neighbour_sum *sum,
                                    lane_vec velocity)
{
    return lane_vec_add(velocity, params->is_simple_steering
                                      ? steer_alignment(params, true, sum, velocity, velocity)
                                      : steer_alignment_general(params, sum, velocity));
}

LANE_OP lane_vec steer_by_cohesion(const struct flock_params *params, const struct neighbour_sum *sum,
                                   lane_vec velocity)
{
    return lane_vec_add(velocity, params->is_simple_steering ? steer_cohesion(params, true, sum, velocity)
                                                             : steer_cohesion_general(params, sum, velocity));
}

/* The offset to the nearest goal; if two goals are at the same distance, the first one counts. */
LANE_OP lane_vec steer_goal_offset(const struct flock_step_context *context, lane_vec position)
{
    lane_vec nearest = offset_between(context->params, lane_vec_set1(context->goals[0]), position);
    for (uint32_t k = 1; k < context->goal_count; k++) {
        const lane_vec way = offset_between(context->params, lane_vec_set1(context->goals[k]), position);
        const lane_mask is_nearer =
            lane_square_less_than(lane_vec_norm_squared(way), lane_vec_norm_squared(nearest));
        nearest = lane_vec_select(is_nearer, way, nearest);
    }
    return nearest;
}

/** The change of velocity that the goal causes. It is the fourth rule. `seeks` receives the boids that have a way to the goal: those
 * within its radius, except at the goal itself. */
LANE_OP lane_vec steer_goal(const struct flock_step_context *context, lane_vec position, lane_vec velocity,
                            lane_mask *seeks)
{
    const struct flock_params *params = context->params;
    *seeks = lane_mask_set1(true);
    if (params->has_goal_direction)
        return steer_apply(params, params->goal_factor, lane_vec_set1(params->goal_direction), velocity);
    lane_vec yield = steer_goal_offset(context, position);
    const lane_square squared = lane_vec_norm_squared(yield);
    const lane_mask is_there = lane_vec_is_zero(yield);
    const lane_mask is_near = params->has_goal_radius ? lane_square_less(squared, params->goal_radius_squared)
                                                      : lane_mask_set1(true);
    *seeks = lane_and_not(is_near, is_there);
    if (!lane_worth_doing(is_near))
        return lane_vec_zero();
    switch (params->goal_form) {
    case FLOCK_GOAL_OFFSET: break;
    case FLOCK_GOAL_BALANCED:
    case FLOCK_GOAL_UNIT: yield = lane_vec_unit(yield, squared); break;
    }
    const lane_vec change = steer_apply(params, params->goal_factor, yield, velocity);
    return lane_vec_select(is_near, change, lane_vec_zero());
}

/** `velocity` plus the change by the goal, if the boid has a low enough id (goals.share). */
LANE_OP lane_vec steer_seek(const struct flock_step_context *context, lane_id id, lane_vec position,
                            lane_vec before, lane_vec velocity)
{
    if (context->goal_count == 0)
        return velocity;
    const uint32_t informed = context->params->informed_count;
    const lane_mask is_informed = informed == UINT32_MAX ? lane_mask_set1(true) : lane_id_below(id, informed);
    if (!lane_worth_doing(is_informed))
        return velocity;
    lane_mask seeks;
    const lane_vec pull = steer_goal(context, position, before, &seeks);
    const bool is_balanced = context->params->goal_form == FLOCK_GOAL_BALANCED;
    const lane_vec social = is_balanced ? lane_vec_select(seeks, steer_unit(velocity), velocity) : velocity;
    return lane_vec_select(is_informed, lane_vec_add(social, pull), velocity);
}

/* Limit the change from `kept` to `changed` to the maximum force. A change that is short enough is not computed again, so its
 * limit does not alter a bit. */
LANE_OP lane_vec steer_bound_change(const struct flock_params *params, lane_vec kept, lane_vec changed)
{
    const lane_vec change = lane_vec_subtract(changed, kept);
    const lane_mask is_strong = lane_square_more(lane_vec_norm_squared(change), params->max_force_squared);
    return lane_vec_select(is_strong, lane_vec_add(kept, steer_bound(params, change)), changed);
}

/* A boid for which the rules give zero keeps its velocity. */
LANE_OP lane_vec steer_or_keep(lane_vec changed, lane_vec velocity)
{
    return lane_vec_select(lane_vec_is_zero(changed), velocity, changed);
}

/* For flocks with `is_simple_steering`: the sum of the three changes. */
LANE_OP lane_vec steer_simple(const struct flock_params *params, const struct neighbour_sums *view,
                              lane_vec velocity)
{
    lane_vec changed =
        lane_vec_add(velocity, steer_separation(params, true, &view->separation, view->seen, velocity));
    changed = lane_vec_add(changed, steer_alignment(params, true, &view->alignment, velocity, velocity));
    return lane_vec_add(changed, steer_cohesion(params, true, &view->cohesion, velocity));
}

/* For all other flocks. With the form `latest`, alignment subtracts the velocity that results from the other two
 * rules. */
STEP_NOINLINE lane_vec steer_general(const struct flock_step_context *context,
                                     const struct neighbour_sums *view, lane_id id, lane_vec position,
                                     lane_vec velocity)
{
    const struct flock_params *params = context->params;
    const lane_vec kept = params->has_inertia ? lane_vec_scale(params->inertia, velocity) : velocity;
    const lane_vec apart = steer_separation(params, false, &view->separation, view->seen, velocity);
    lane_vec together = steer_cohesion(params, false, &view->cohesion, velocity);
    const bool is_last = params->alignment_form == FLOCK_LATEST;
    const lane_vec own = is_last ? lane_vec_add(lane_vec_add(kept, apart), together) : velocity;
    lane_vec along = steer_alignment(params, false, &view->alignment, own, velocity);
    if (params->priority == FLOCK_SEPARATION_FIRST) {
        const lane_mask is_crowded = lane_count_is_some(view->separation.count);
        along = lane_vec_select(is_crowded, lane_vec_zero(), along);
        together = lane_vec_select(is_crowded, lane_vec_zero(), together);
    }
    const lane_vec social = lane_vec_add(lane_vec_add(lane_vec_add(kept, apart), along), together);
    lane_vec changed = steer_seek(context, id, position, velocity, social);
    if (params->has_max_force && params->steering == FLOCK_DIRECT)
        changed = steer_bound_change(params, kept, changed);
    return params->has_inertia && num_factor_is_zero(params->inertia) ? steer_or_keep(changed, velocity)
                                                                      : changed;
}

/** The velocity after all rules. */
LANE_OP lane_vec update_velocity(const struct flock_step_context *context, bool is_simple_motion,
                                 const struct neighbour_sums *view, lane_id id, lane_vec position,
                                 lane_vec velocity)
{
    const struct flock_params *params = context->params;
    if (is_simple_motion)
        return steer_simple(params, view, velocity);
    return params->is_simple_steering
               ? steer_seek(context, id, position, velocity, steer_simple(params, view, velocity))
               : steer_general(context, view, id, position, velocity);
}

/* The world. */

/* Add a vector to a velocity in some lanes, and subtract it in others. */
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

/* Obstacles ahead, after Reynolds (1999) and OpenSteer: a boid turns away from the first obstacle that is too near
 * to its straight path. */
struct avoid_ahead {
    lane_vec heading;
    lane
        nearest; /* distance to the nearest obstacle in the way so far; at first, the distance that a boid looks ahead */
    lane side; /* distance from the path to the centre of this obstacle, positive to the left */
    lane_mask is_blocked;
};

/* True if an obstacle may be in the way: if its distance along each axis is at most `horizon` + 2 `reach`. */
LANE_OP lane_mask avoid_is_near(lane_vec way, lane horizon, num reach)
{
    const lane far = lane_add(horizon, lane_set1(num_add(reach, reach)));
    const lane minus = lane_subtract(lane_set1(num_zero()), far);
    const lane_mask is_left = lane_or(lane_less(way.x, minus), lane_less(far, way.x));
    const lane_mask is_below = lane_or(lane_less(way.y, minus), lane_less(far, way.y));
    return lane_and_not(lane_mask_set1(true), lane_or(is_left, is_below));
}

LANE_OP void avoid_look_ahead(struct avoid_ahead *ahead, const struct flock_obstacle *obstacle, lane_vec way,
                              lane_mask is_near)
{
    const lane along = lane_vec_dot(way, ahead->heading), side = lane_vec_cross(ahead->heading, way);
    const lane_mask is_aside =
        lane_square_less(lane_norm_squared(side, lane_set1(num_zero())), obstacle->reach_squared);
    const lane_mask is_in_way =
        lane_and(lane_and(is_near, is_aside), lane_less(lane_set1(num_zero()), along));
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
    const lane zero = lane_set1(num_zero());
    const lane_square squared = lane_vec_norm_squared(velocity);
    const lane_mask is_moving = lane_and_not(lane_mask_set1(true), lane_vec_is_zero(velocity));
    if (!lane_any_of(is_moving))
        return velocity;
    const lane horizon = lane_scale(params->look_ahead, lane_vec_length(velocity));
    struct avoid_ahead ahead = {lane_vec_unit(velocity, squared), horizon, zero, lane_mask_set1(false)};
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
    const lane_vec left = {lane_subtract(zero, ahead.heading.y), ahead.heading.x};
    const lane_vec right = {ahead.heading.y, lane_subtract(zero, ahead.heading.x)};
    const lane_vec aside = lane_vec_select(lane_less(zero, ahead.side), right, left);
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
    const lane away = lane_sum_total(sum), zero = lane_set1(num_zero());
    return update_nudge(lane_less(zero, away), lane_less(away, zero), turn_factor, velocity);
}

/* A fixed change of velocity, directly away from the predators. */
LANE_OP lane_vec flee_straight(num turn_factor, const struct neighbour_sum *sum, lane_vec velocity)
{
    const lane_vec away = lane_sums_direction(sum->x, sum->y);
    const lane_mask has_way = lane_and_not(lane_mask_set1(true), lane_vec_is_zero(away));
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

/* The same if each boid has its own limits, which are between those of the slowest and of the fastest boid. */
STEP_NOINLINE lane_vec update_limit_own_speed(const struct flock_step_context *context, lane_id id,
                                              lane_vec velocity)
{
    const struct flock_limits *slowest = &context->params->slowest, *fastest = &context->params->fastest;
    const lane_bits draws = lane_random_bits(context->speed, id);
    const lane min = lane_uniform(slowest->min, fastest->min, draws);
    const lane max = lane_uniform(slowest->max, fastest->max, draws);
    const lane zero = lane_set1(num_zero());
    const lane_square squared = lane_vec_norm_squared(velocity);
    const lane_mask is_slow = lane_and(lane_mask_set1(slowest->has_min),
                                       lane_square_less_than(squared, lane_norm_squared(min, zero)));
    const lane_mask is_fast = lane_and(lane_mask_set1(slowest->has_max),
                                       lane_square_less_than(lane_norm_squared(max, zero), squared));
    return update_scale_speed(velocity, squared, is_slow, is_fast, min, max);
}

/* `limits` are those of predators, or those of the flock. */
LANE_OP void update_limit(struct lane_agent *boid, const struct flock_step_context *context,
                          const struct flock_limits *limits, bool is_simple_motion)
{
    const bool is_own =
        !is_simple_motion && context->params->has_speed_spread && limits == &context->params->limits;
    boid->velocity = is_own ? update_limit_own_speed(context, boid->id, boid->velocity)
                            : update_limit_speed(limits, boid->velocity);
}

/* Noise: a rotation by a random angle, and a vector in a random direction. */
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

/* The new velocity, rotated from the old one by at most the largest turn, with its length unchanged. A boid that would reverse turns
 * to the left. */
STEP_NOINLINE lane_vec update_limit_turn(const struct flock_params *params, lane_vec before,
                                         lane_vec velocity)
{
    const struct flock_direction left = params->max_turn, right = {left.cosine, -left.sine};
    lane_square from_squared = lane_vec_norm_squared(before), to_squared = lane_vec_norm_squared(velocity);
    const lane_vec from = lane_vec_rescale(before, &from_squared),
                   to = lane_vec_rescale(velocity, &to_squared);
    const lane_mask is_right = lane_is_right(from, to), is_left = lane_is_right(to, from);
    const lane_vec edge = lane_vec_select(is_right, lane_vec_turn(from, lane_sincos_set1(right)),
                                          lane_vec_turn(from, lane_sincos_set1(left)));
    const lane_mask is_round = lane_and_not(lane_and_not(lane_is_behind(from, to), is_right), is_left);
    const lane_mask is_far = lane_or(lane_and(is_right, lane_is_right(edge, to)),
                                     lane_or(is_round, lane_and_not(lane_is_right(to, edge), is_right)));
    if (!lane_worth_doing(is_far))
        return velocity;
    const lane_vec held = lane_vec_scale_to(edge, lane_vec_length(velocity), lane_vec_norm_squared(edge));
    return lane_vec_select(is_far, held, velocity);
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

/** Noise and the largest turn (the end of step 1 in docs/models.md), then steps 2 to 5. */
LANE_OP void update_finish(struct lane_agent *boid, lane_vec before, const struct flock_step_context *context,
                           bool is_simple_motion)
{
    const struct flock_params *params = context->params;
    if (!is_simple_motion && params->has_noise)
        boid->velocity = update_noise(boid->velocity, boid->id, context);
    if (!is_simple_motion && params->has_max_turn)
        boid->velocity = update_limit_turn(params, before, boid->velocity);
    update_move(boid, before, context, &params->limits, is_simple_motion);
}

/** The whole update, except for step 6 in border.c. */
LANE_OP void update_agent(struct lane_agent *boid, const struct flock_step_context *context,
                          const struct neighbour_sums *view, bool is_simple_motion)
{
    const lane_vec before = boid->velocity;
    boid->velocity = update_velocity(context, is_simple_motion, view, boid->id, boid->position, before);
    update_finish(boid, before, context, is_simple_motion);
}

/** The lanes whose position and velocity are in the range of num. */
LANE_OP lane_mask update_is_finite(const struct lane_agent *boid)
{
    return lane_and(lane_and(lane_is_finite(boid->position.x), lane_is_finite(boid->position.y)),
                    lane_and(lane_is_finite(boid->velocity.x), lane_is_finite(boid->velocity.y)));
}

#endif
