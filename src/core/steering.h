/* Steering: the three sums over the neighbours of a boid become a change of its velocity. It is written once, with the operations
 * of lane_ops_scalar.h for one boid or of engine/simd/simd_ops.h for a SIMD vector of boids; include one of them first.
 *
 *     sum of a rule -> its vector (a sum, a mean or a unit vector) -> steer_apply(): times its factor, or Reynolds' steering
 *     velocity + separation + alignment + cohesion + goal -> the limit of the force -> update_velocity()
 *
 * Most flocks need only a small part of these functions. The caller passes the flock's own `is_simple_steering` and
 * `is_simple_motion` (params.def), or false. If it passes constants, the compiler generates faster code for simple
 * flocks. update_after_steering.h has the rest of the update. Formulas are in docs/models.md.
 */
#pragma once

#include "neighbour_terms.h"
#include "step_context.h"

/* For code that few flocks need. Such code is a separate function, so that it occupies no registers in the common
 * code. */
#define STEP_NOINLINE static __attribute__((noinline, unused))

LANE_OP lane_vec steer_mean(const struct neighbour_sum *sum)
{
    return (lane_vec){lane_sum_mean(sum->x, sum->count), lane_sum_mean(sum->y, sum->count)};
}

LANE_OP lane_vec steer_unit(lane_vec a)
{
    return lane_vec_unit(a, lane_vec_norm_squared(a));
}

/* The vector of a rule from its sum. If the sum is too large for a num, only its direction is kept (see steer_apply_sum()). */
LANE_OP lane_vec steer_rule_vector(const struct flock_rule *rule, const struct neighbour_sum *sum,
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
LANE_OP lane_vec steer_reynolds(const struct flock_params *params, lane_vec rule_vector, lane_vec velocity)
{
    const lane_square squared = lane_vec_norm_squared(rule_vector);
    const lane_vec desired = lane_vec_of_length(rule_vector, lane_set1(params->limits.max), squared);
    return steer_bound(params, lane_vec_subtract(desired, velocity));
}

/* The change of velocity by a rule, from its vector. */
LANE_OP lane_vec steer_apply(const struct flock_params *params, num_factor factor, lane_vec rule_vector,
                             lane_vec velocity)
{
    switch (params->steering) {
    case FLOCK_DIRECT:
    case FLOCK_TURN: break;
    case FLOCK_REYNOLDS: rule_vector = steer_reynolds(params, rule_vector, velocity); break;
    }
    return lane_vec_scale(factor, rule_vector);
}

/* As steer_apply(), for a rule whose vector is its sum. */
LANE_OP lane_vec steer_apply_sum(const struct flock_params *params, num_factor factor,
                                 const struct neighbour_sum *sum, lane_vec velocity)
{
    switch (params->steering) {
    case FLOCK_DIRECT:
    case FLOCK_TURN: return lane_sums_scale(factor, sum->x, sum->y);
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
    const lane_vec change =
        rule->normalise == FLOCK_BY_SUM
            ? steer_apply_sum(params, rule->factor, sum, velocity)
            : steer_apply(params, rule->factor,
                          is_simple_steering ? steer_mean(sum) : steer_rule_vector(rule, sum, seen),
                          velocity);
    return lane_vec_select(has_any, change, lane_vec_zero());
}

/* The boid itself is the last term of the sum. */
LANE_OP struct neighbour_sum steer_with_self(const struct flock_params *params,
                                             const struct neighbour_sum *sum, lane_vec velocity)
{
    struct neighbour_sum with_self = *sum;
    perceive_add(&with_self, lane_mask_set1(params->alignment.is_on), velocity, true);
    perceive_count(&with_self, lane_mask_set1(params->alignment.is_on));
    return with_self;
}

/* The vector of alignment, if it is not a sum. `velocity` is the velocity of the boid. If alignment sums v_j - v_i, then v_i has been
 * subtracted from it, too. */
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
    return is_simple_steering ? steer_mean(sum) : steer_rule_vector(rule, sum, sum->count);
}

/* `velocity` is the velocity of the boid when this rule is applied; `before` was its velocity when the sums were computed. */
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
    const bool is_sum = !is_simple_steering && rule->normalise == FLOCK_BY_SUM;
    if (is_sum && params->alignment_form != FLOCK_MEAN) { /* the sum of v_j - v_i */
        sum.x = lane_sum_subtract_times(sum.x, own.x, sum.count);
        sum.y = lane_sum_subtract_times(sum.y, own.y, sum.count);
    }
    const lane_vec change =
        is_sum ? steer_apply_sum(params, rule->factor, &sum, velocity)
               : steer_apply(params, rule->factor,
                             steer_alignment_vector(params, is_simple_steering, &sum, own), velocity);
    return lane_vec_select(has_any, change, lane_vec_zero());
}

LANE_OP lane_vec steer_cohesion(const struct flock_params *params, bool is_simple_steering,
                                const struct neighbour_sum *sum, lane_vec velocity)
{
    const lane_mask has_any = lane_count_is_some(sum->count);
    if (!lane_worth_doing(has_any))
        return lane_vec_zero();
    const struct flock_rule *rule = &params->cohesion;
    /* If the boid itself is included, the sum of offsets does not change, but the count increases by one. */
    struct neighbour_sum counted = *sum;
    if (!is_simple_steering && params->means == FLOCK_WITH_SELF)
        perceive_count(&counted, lane_mask_set1(true));
    const lane_vec change =
        !is_simple_steering && rule->normalise == FLOCK_BY_SUM
            ? steer_apply_sum(params, rule->factor, sum, velocity)
            : steer_apply(params, rule->factor,
                          is_simple_steering ? steer_mean(sum)
                                             : steer_rule_vector(rule, &counted, counted.count),
                          velocity);
    return lane_vec_select(has_any, change, lane_vec_zero());
}

LANE_OP lane_vec steer_rule(const struct flock_params *params, bool is_simple_steering, enum rule_set rule,
                            const struct neighbour_sums *sums, lane_vec velocity)
{
    switch (rule) {
    case RULE_SEPARATION:
        return steer_separation(params, is_simple_steering, &sums->separation, sums->seen_count, velocity);
    case RULE_ALIGNMENT:
        return steer_alignment(params, is_simple_steering, &sums->alignment, velocity, velocity);
    case RULE_COHESION: return steer_cohesion(params, is_simple_steering, &sums->cohesion, velocity);
    case RULES_ALL: break;
    }
    return lane_vec_zero();
}

STEP_NOINLINE lane_vec steer_rule_general(const struct flock_params *params, enum rule_set rule,
                                          const struct neighbour_sums *sums, lane_vec velocity)
{
    return steer_rule(params, false, rule, sums, velocity);
}

/** `velocity` plus the change by one rule; used by the update order `passes`. */
LANE_OP lane_vec steer_by_rule(const struct flock_params *params, enum rule_set rule,
                               const struct neighbour_sums *sums, lane_vec velocity)
{
    return lane_vec_add(velocity, params->is_simple_steering
                                      ? steer_rule(params, true, rule, sums, velocity)
                                      : steer_rule_general(params, rule, sums, velocity));
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

/** The change of velocity that the goal causes. It is the fourth rule. `seeks` receives the boids within the radius of
 * the goal, but not those at the goal itself, which have no direction to it. */
LANE_OP lane_vec steer_goal(const struct flock_step_context *context, lane_vec position, lane_vec velocity,
                            lane_mask *seeks)
{
    const struct flock_params *params = context->params;
    *seeks = lane_mask_set1(true);
    if (params->has_goal_direction)
        return steer_apply(params, params->goal_factor, lane_vec_set1(params->goal_direction), velocity);
    lane_vec to_goal = steer_goal_offset(context, position);
    const lane_square squared = lane_vec_norm_squared(to_goal);
    const lane_mask is_there = lane_vec_is_zero(to_goal);
    const lane_mask is_near = params->has_goal_radius ? lane_square_less(squared, params->goal_radius_squared)
                                                      : lane_mask_set1(true);
    *seeks = lane_and_not(is_near, is_there);
    if (!lane_worth_doing(is_near))
        return lane_vec_zero();
    switch (params->goal_form) {
    case FLOCK_GOAL_OFFSET: break;
    case FLOCK_GOAL_BALANCED:
    case FLOCK_GOAL_UNIT: to_goal = lane_vec_unit(to_goal, squared); break;
    }
    const lane_vec change = steer_apply(params, params->goal_factor, to_goal, velocity);
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
    const lane_vec change = steer_goal(context, position, before, &seeks);
    const bool is_balanced = context->params->goal_form == FLOCK_GOAL_BALANCED;
    const lane_vec by_rules = is_balanced ? lane_vec_select(seeks, steer_unit(velocity), velocity) : velocity;
    return lane_vec_select(is_informed, lane_vec_add(by_rules, change), velocity);
}

/* Limit `changed` - `inertial` to the maximum force. If this difference is within the limit, `changed` is returned bit for bit. */
LANE_OP lane_vec steer_bound_change(const struct flock_params *params, lane_vec inertial, lane_vec changed)
{
    const lane_vec change = lane_vec_subtract(changed, inertial);
    const lane_mask is_strong = lane_square_more(lane_vec_norm_squared(change), params->max_force_squared);
    return lane_vec_select(is_strong, lane_vec_add(inertial, steer_bound(params, change)), changed);
}

/* The new velocity, rotated from the old one by at most the angle `left`, with its length unchanged. A boid that would reverse turns
 * to the left. */
STEP_NOINLINE lane_vec steer_limit_turn(struct flock_direction left, lane_vec before, lane_vec velocity)
{
    const struct flock_direction right = {left.cosine, -left.sine};
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

/* The velocity, turned towards the vector of a rule, or away from it if the factor is negative. */
LANE_OP lane_vec steer_turn(const struct flock_rule *rule, lane_vec rule_vector, lane_vec velocity)
{
    const lane_vec way =
        num_factor_is_negative(rule->factor) ? lane_vec_subtract(lane_vec_zero(), rule_vector) : rule_vector;
    const lane_vec due = lane_vec_of_length(way, lane_vec_length(velocity), lane_vec_norm_squared(way));
    const lane_vec turned = rule->has_max_turn ? steer_limit_turn(rule->max_turn, velocity, due) : due;
    return lane_vec_select(lane_vec_is_zero(way), velocity, turned);
}

/* The mirror image of `heading` on the other side of the velocity. If a boid turns towards this mirror image, it turns
 * away from `heading`, by the angle between its velocity and `heading`. */
LANE_OP lane_vec steer_mirror(lane_vec heading, lane_vec velocity)
{
    const lane_vec unit = steer_unit(heading), own = steer_unit(velocity);
    const lane cosine = lane_vec_dot(own, unit);
    const lane_vec along = lane_vec_of_length(own, lane_add(cosine, cosine), lane_vec_norm_squared(own));
    return lane_vec_select(lane_vec_is_zero(heading), heading, lane_vec_subtract(along, unit));
}

/* The velocity after the turns by separation, alignment and cohesion, one after another. */
LANE_OP lane_vec steer_turns(const struct flock_params *params, const struct neighbour_sums *sums,
                             lane_vec velocity)
{
    lane_vec away = lane_sums_direction(sums->separation.x, sums->separation.y);
    if (params->separation_form == FLOCK_HEADINGS)
        away = steer_mirror(away, velocity);
    const lane_vec first = steer_turn(&params->separation, away, velocity);
    const struct neighbour_sum alignment = params->means == FLOCK_WITH_SELF
                                               ? steer_with_self(params, &sums->alignment, velocity)
                                               : sums->alignment;
    lane_vec turned = steer_turn(&params->alignment, lane_sums_direction(alignment.x, alignment.y), first);
    turned = steer_turn(&params->cohesion, lane_sums_direction(sums->cohesion.x, sums->cohesion.y), turned);
    return params->priority == FLOCK_SEPARATION_FIRST
               ? lane_vec_select(lane_count_is_some(sums->separation.count), first, turned)
               : turned;
}

/* For flocks with `is_simple_steering`: the sum of the three changes. */
LANE_OP lane_vec steer_simple(const struct flock_params *params, const struct neighbour_sums *sums,
                              lane_vec velocity)
{
    lane_vec changed =
        lane_vec_add(velocity, steer_separation(params, true, &sums->separation, sums->seen_count, velocity));
    changed = lane_vec_add(changed, steer_alignment(params, true, &sums->alignment, velocity, velocity));
    return lane_vec_add(changed, steer_cohesion(params, true, &sums->cohesion, velocity));
}

/* For all other flocks. With the form `latest`, alignment subtracts the velocity that results from the other two
 * rules. */
STEP_NOINLINE lane_vec steer_general(const struct flock_step_context *context,
                                     const struct neighbour_sums *sums, lane_id id, lane_vec position,
                                     lane_vec velocity)
{
    const struct flock_params *params = context->params;
    if (params->steering == FLOCK_TURN)
        return steer_seek(context, id, position, velocity, steer_turns(params, sums, velocity));
    const lane_vec inertial = params->has_inertia ? lane_vec_scale(params->inertia, velocity) : velocity;
    const lane_vec by_separation =
        steer_separation(params, false, &sums->separation, sums->seen_count, velocity);
    lane_vec by_cohesion = steer_cohesion(params, false, &sums->cohesion, velocity);
    const bool is_latest = params->alignment_form == FLOCK_LATEST;
    const lane_vec own =
        is_latest ? lane_vec_add(lane_vec_add(inertial, by_separation), by_cohesion) : velocity;
    lane_vec by_alignment = steer_alignment(params, false, &sums->alignment, own, velocity);
    if (params->priority == FLOCK_SEPARATION_FIRST) {
        const lane_mask is_crowded = lane_count_is_some(sums->separation.count);
        by_alignment = lane_vec_select(is_crowded, lane_vec_zero(), by_alignment);
        by_cohesion = lane_vec_select(is_crowded, lane_vec_zero(), by_cohesion);
    }
    const lane_vec by_rules =
        lane_vec_add(lane_vec_add(lane_vec_add(inertial, by_separation), by_alignment), by_cohesion);
    lane_vec changed = steer_seek(context, id, position, velocity, by_rules);
    if (params->has_max_force && params->steering == FLOCK_DIRECT)
        changed = steer_bound_change(params, inertial, changed);
    /* A boid without inertia for which the rules give zero keeps its velocity. */
    return params->has_inertia && num_factor_is_zero(params->inertia)
               ? lane_vec_select(lane_vec_is_zero(changed), velocity, changed)
               : changed;
}

/** The velocity after all rules. */
LANE_OP lane_vec update_velocity(const struct flock_step_context *context, bool is_simple_motion,
                                 const struct neighbour_sums *sums, lane_id id, lane_vec position,
                                 lane_vec velocity)
{
    const struct flock_params *params = context->params;
    if (is_simple_motion)
        return steer_simple(params, sums, velocity);
    return params->is_simple_steering
               ? steer_seek(context, id, position, velocity, steer_simple(params, sums, velocity))
               : steer_general(context, sums, id, position, velocity);
}
