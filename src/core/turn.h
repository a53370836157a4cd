/* What a boid does in its turn: written once, against the words of lane.h for one boid or of engine/pack_lane.h for a pack.
 * Include one of them first.
 *
 *     turn_steer     three sums (sight.h) become three changes of velocity
 *     turn_finish    bounce, flee from predators, keep to the speed limits, move
 *
 * Wrapping and reflecting, which few boids need in a step, are in rules.c, for one boid at a time. Formulas are in
 * docs/models.md.
 */
#ifndef FLOCK_TURN_H
#define FLOCK_TURN_H

#include "scene.h"
#include "sight.h"

/** A boid, or a pack of them. */
struct turn_boid {
    lane_vec position, velocity;
    lane_id id;
};

/* Steering. */

LANE_WORD lane_vec turn_total(const struct sight_sum *sum)
{
    return (lane_vec){lane_sum_total(sum->x), lane_sum_total(sum->y)};
}

LANE_WORD lane_vec turn_mean(const struct sight_sum *sum)
{
    return (lane_vec){lane_sum_mean(sum->x, sum->count), lane_sum_mean(sum->y, sum->count)};
}

/* Steer towards the velocity one would like to have, as hard as one can. */
LANE_WORD lane_vec turn_reynolds(const struct flock_params *params, lane_vec yield, lane_vec velocity)
{
    const lane_square wish = lane_vec_norm_squared(yield);
    const lane_mask has_wish = lane_and_not(lane_if(true), lane_square_is_zero(wish));
    if (lane_any(has_wish))
        yield = lane_vec_choose(has_wish, lane_vec_scale_to(yield, lane_all(params->max_speed), wish), yield);
    const lane_vec force = lane_vec_subtract(yield, velocity);
    const lane_square squared = lane_vec_norm_squared(force);
    const lane_mask is_strong = lane_square_more(squared, params->max_force_squared);
    if (!lane_any(is_strong))
        return force;
    return lane_vec_choose(is_strong, lane_vec_scale_to(force, lane_all(params->max_force), squared), force);
}

/* From what a rule yields to the change of velocity it asks for. */
LANE_WORD lane_vec turn_heed(const struct flock_params *params, num_factor factor, lane_vec yield,
                             lane_vec velocity)
{
    switch (params->steering) {
    case FLOCK_DIRECT: break;
    case FLOCK_REYNOLDS: yield = turn_reynolds(params, yield, velocity); break;
    }
    return lane_vec_weigh(factor, yield);
}

/** The changes of velocity by the three rules, for a boid that flies at `velocity` when its turn begins; none without
 * neighbours. */
LANE_WORD lane_vec turn_separation(const struct flock_params *params, const struct sight_sum *sum,
                                   lane_vec velocity)
{
    const lane_mask has_any = lane_count_is_some(sum->count);
    if (!lane_any(has_any))
        return lane_vec_zero();
    lane_vec yield = lane_vec_zero();
    switch (params->separation_form) {
    case FLOCK_OFFSET:
    case FLOCK_UNIT: yield = turn_total(sum); break;
    case FLOCK_INVERSE: yield = turn_mean(sum); break;
    }
    const lane_vec change = turn_heed(params, params->separation.factor, yield, velocity);
    return lane_vec_choose(has_any, change, lane_vec_zero());
}

LANE_WORD lane_vec turn_alignment(const struct flock_params *params, const struct sight_sum *sum,
                                  lane_vec velocity)
{
    const lane_mask has_any = lane_count_is_some(sum->count);
    if (!lane_any(has_any))
        return lane_vec_zero();
    lane_vec yield = turn_mean(sum);
    switch (params->alignment_form) {
    case FLOCK_MEAN: break;
    case FLOCK_DIFFERENCE: yield = lane_vec_subtract(yield, velocity); break;
    }
    const lane_vec change = turn_heed(params, params->alignment.factor, yield, velocity);
    return lane_vec_choose(has_any, change, lane_vec_zero());
}

LANE_WORD lane_vec turn_cohesion(const struct flock_params *params, const struct sight_sum *sum,
                                 lane_vec velocity)
{
    const lane_mask has_any = lane_count_is_some(sum->count);
    if (!lane_any(has_any))
        return lane_vec_zero();
    const lane_vec change = turn_heed(params, params->cohesion.factor, turn_mean(sum), velocity);
    return lane_vec_choose(has_any, change, lane_vec_zero());
}

/* The way to the nearest of the goals; of two as near, to the first. */
LANE_WORD lane_vec turn_way(const struct flock_scene *scene, lane_vec position)
{
    lane_vec nearest = sight_offset(scene->params, lane_vec_all(scene->goals[0]), position);
    for (uint32_t k = 1; k < scene->goal_count; k++) {
        const lane_vec way = sight_offset(scene->params, lane_vec_all(scene->goals[k]), position);
        const lane_mask is_nearer =
            lane_square_less_than(lane_vec_norm_squared(way), lane_vec_norm_squared(nearest));
        nearest = lane_vec_choose(is_nearer, way, nearest);
    }
    return nearest;
}

/** The change of velocity by the goal of a boid, which heeds it as a fourth rule. */
LANE_WORD lane_vec turn_goal(const struct flock_scene *scene, lane_vec position, lane_vec velocity)
{
    const struct flock_params *params = scene->params;
    lane_vec yield = turn_way(scene, position);
    const lane_square squared = lane_vec_norm_squared(yield);
    const lane_mask is_there = lane_square_is_zero(squared);
    const lane_mask is_near =
        params->has_goal_radius ? lane_square_less(squared, params->goal_radius_squared) : lane_if(true);
    if (!lane_any(is_near))
        return lane_vec_zero();
    switch (params->goal_form) {
    case FLOCK_GOAL_OFFSET: break;
    case FLOCK_GOAL_UNIT:
        yield = lane_any(lane_and_not(lane_if(true), is_there))
                    ? lane_vec_choose(is_there, lane_vec_zero(), lane_vec_over_length(yield, squared))
                    : lane_vec_zero();
        break;
    }
    const lane_vec change = turn_heed(params, params->goal_factor, yield, velocity);
    return lane_vec_choose(is_near, change, lane_vec_zero());
}

/** The velocity that goals make of `velocity`. */
LANE_WORD lane_vec turn_seek(const struct flock_scene *scene, lane_vec position, lane_vec before,
                             lane_vec velocity)
{
    return scene->goal_count == 0 ? velocity : lane_vec_add(velocity, turn_goal(scene, position, before));
}

/** The velocity that the rules make of a boid's. */
LANE_WORD lane_vec turn_steer(const struct flock_scene *scene, const struct sight_view *view,
                              lane_vec position, lane_vec velocity)
{
    const struct flock_params *params = scene->params;
    lane_vec changed = lane_vec_add(velocity, turn_separation(params, &view->separation, velocity));
    changed = lane_vec_add(changed, turn_alignment(params, &view->alignment, velocity));
    changed = lane_vec_add(changed, turn_cohesion(params, &view->cohesion, velocity));
    return turn_seek(scene, position, velocity, changed);
}

/* The world. */

/* Add to a velocity, or take away, where it is asked for. */
LANE_WORD lane turn_nudge(lane_mask up, lane_mask down, num by, lane velocity)
{
    if (lane_any(up))
        velocity = lane_choose(up, lane_add(velocity, lane_all(by)), velocity);
    if (lane_any(down))
        velocity = lane_choose(down, lane_subtract(velocity, lane_all(by)), velocity);
    return velocity;
}

/* Where margins overlap both nudges apply. */
LANE_WORD lane turn_bounce(const struct flock_axis *axis, num turn_factor, lane position, lane velocity)
{
    return turn_nudge(lane_less(position, lane_all(axis->near)), lane_less(lane_all(axis->far), position),
                      turn_factor, velocity);
}

LANE_WORD lane turn_flee(num turn_factor, lane_sum sum, lane velocity)
{
    const lane away = lane_sum_total(sum), zero = lane_all(num_zero());
    return turn_nudge(lane_less(zero, away), lane_less(away, zero), turn_factor, velocity);
}

LANE_WORD void turn_escape(struct turn_boid *boid, const struct flock_scene *scene)
{
    const struct flock_params *params = scene->params;
    struct sight_sum sum = {lane_sum_zero(), lane_sum_zero(), lane_count_none()};
    if (scene->predator_count == 0)
        return;
    for (uint32_t k = 0; k < scene->predator_count; k++) {
        const lane_vec away =
            sight_offset(params, boid->position, lane_vec_all(scene->predators[k].position));
        const lane_square squared = lane_vec_norm_squared(away);
        sight_add(&sum, lane_square_less(squared, params->predator_radius_squared), away, false);
    }
    boid->velocity.x = turn_flee(params->predator_turn_factor, sum.x, boid->velocity.x);
    boid->velocity.y = turn_flee(params->predator_turn_factor, sum.y, boid->velocity.y);
}

/* A boid at rest has no heading, so there is nothing to scale. The lower limit is asked for first: who is below it is not
 * held against the upper one. One so fast that its speed cannot be told has left what num can hold. */
LANE_WORD lane_vec turn_limit(const struct flock_params *params, lane_vec velocity)
{
    const lane_square squared = lane_vec_norm_squared(velocity);
    const lane_mask is_slow = lane_and(
        lane_if(params->has_min_speed),
        lane_and_not(lane_square_less(squared, params->min_speed_squared), lane_square_is_zero(squared)));
    const lane_mask is_fast =
        lane_and(lane_if(params->has_max_speed), lane_square_more(squared, params->max_speed_squared));
    const lane_mask is_off = lane_or(is_slow, is_fast);
    if (lane_any(is_off)) {
        const lane limit = lane_choose(is_slow, lane_all(params->min_speed), lane_all(params->max_speed));
        velocity = lane_vec_choose(is_off, lane_vec_scale_to(velocity, limit, squared), velocity);
    }
    const lane_vec lost = {lane_all(num_lost()), lane_all(num_lost())};
    return lane_vec_choose(lane_square_is_finite(squared), velocity, lost);
}

/** Everything between the new velocity and the new place: steps 2 to 5 of docs/models.md.
 *
 * `boid` has its new velocity and its old position; `before` is the velocity from before the rules, which moves it when
 * the integrator is explicit.
 */
LANE_WORD void turn_finish(struct turn_boid *boid, lane_vec before, const struct flock_scene *scene)
{
    const struct flock_params *params = scene->params;
    if (params->limit == FLOCK_LIMIT_BEFORE_BORDER)
        boid->velocity = turn_limit(params, boid->velocity);
    switch (params->border) {
    case FLOCK_BOUNCE:
        boid->velocity.x = turn_bounce(&params->x, params->turn_factor, boid->position.x, boid->velocity.x);
        boid->velocity.y = turn_bounce(&params->y, params->turn_factor, boid->position.y, boid->velocity.y);
        break;
    case FLOCK_WRAP:
    case FLOCK_REFLECT:
    case FLOCK_OPEN: break;
    }
    turn_escape(boid, scene);
    if (params->limit == FLOCK_LIMIT_AFTER_BORDER)
        boid->velocity = turn_limit(params, boid->velocity);
    switch (params->integrator) {
    case FLOCK_SEMI_IMPLICIT: before = boid->velocity; break;
    case FLOCK_EXPLICIT: break;
    }
    if (params->has_wind)
        before = lane_vec_add(before, lane_vec_all(params->wind));
    boid->position = lane_vec_add(boid->position, before);
}

/** False for who has left what num can hold. */
LANE_WORD lane_mask turn_is_finite(const struct turn_boid *boid)
{
    return lane_and(lane_and(lane_is_finite(boid->position.x), lane_is_finite(boid->position.y)),
                    lane_and(lane_is_finite(boid->velocity.x), lane_is_finite(boid->velocity.y)));
}

#endif
