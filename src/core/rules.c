/* A rule's sum becomes its yield, the yield a change of velocity. Then the world has its say. */
#include "rules.h"

static struct vec mean_of(const struct flock_sum *sum)
{
    return (struct vec){num_sum_mean(sum->x, sum->count), num_sum_mean(sum->y, sum->count)};
}

/* Reynolds: steer towards the velocity one would like to have, as hard as one can. */
static struct vec reynolds(const struct flock_params *params, struct vec yield, struct vec velocity)
{
    const num_square wish = vec_norm_squared(yield);
    if (!num_square_is_zero(wish))
        yield = vec_scale_to(yield, params->max_speed, wish);
    struct vec force = vec_subtract(yield, velocity);
    const num_square squared = vec_norm_squared(force);
    if (num_square_less(params->max_force_squared, squared))
        force = vec_scale_to(force, params->max_force, squared);
    return force;
}

static struct vec steer(const struct flock_params *params, const struct flock_rule *rule, struct vec yield,
                        struct vec velocity)
{
    if (params->steering == FLOCK_REYNOLDS)
        yield = reynolds(params, yield, velocity);
    return vec_weigh(rule->factor, yield);
}

struct vec flock_steer_separation(const struct flock_params *params, const struct flock_view *view,
                                  struct vec velocity)
{
    const struct flock_sum *sum = &view->separation;
    if (sum->count == 0)
        return vec_zero();
    struct vec yield = {num_sum_total(sum->x), num_sum_total(sum->y)};
    if (params->separation_form == FLOCK_INVERSE)
        yield = mean_of(sum);
    return steer(params, &params->separation, yield, velocity);
}

struct vec flock_steer_alignment(const struct flock_params *params, const struct flock_view *view,
                                 struct vec velocity)
{
    if (view->alignment.count == 0)
        return vec_zero();
    struct vec yield = mean_of(&view->alignment);
    if (params->alignment_form == FLOCK_DIFFERENCE)
        yield = vec_subtract(yield, velocity);
    return steer(params, &params->alignment, yield, velocity);
}

struct vec flock_steer_cohesion(const struct flock_params *params, const struct flock_view *view,
                                struct vec velocity)
{
    if (view->cohesion.count == 0)
        return vec_zero();
    return steer(params, &params->cohesion, mean_of(&view->cohesion), velocity);
}

struct vec flock_steer(const struct flock_params *params, const struct flock_view *view, struct vec velocity)
{
    struct vec changed = vec_add(velocity, flock_steer_separation(params, view, velocity));
    changed = vec_add(changed, flock_steer_alignment(params, view, velocity));
    return vec_add(changed, flock_steer_cohesion(params, view, velocity));
}

/* Where margins overlap both nudges apply. */
static num bounce(const struct flock_axis *axis, num turn_factor, num position, num velocity)
{
    if (num_less(position, axis->near))
        velocity = num_add(velocity, turn_factor);
    if (num_less(axis->far, position))
        velocity = num_subtract(velocity, turn_factor);
    return velocity;
}

static num flee(num turn_factor, num_sum away, num velocity)
{
    const num sum = num_sum_total(away);
    if (num_less(num_zero(), sum))
        return num_add(velocity, turn_factor);
    if (num_less(sum, num_zero()))
        return num_subtract(velocity, turn_factor);
    return velocity;
}

static void escape(struct flock_agent *agent, const struct flock_params *params,
                   const struct flock_agent *predators, uint32_t predator_count)
{
    struct flock_sum away = {num_sum_zero(), num_sum_zero(), 0};
    for (uint32_t k = 0; k < predator_count; k++) {
        const num dx = flock_axis_difference(&params->x, agent->position.x, predators[k].position.x);
        const num dy = flock_axis_difference(&params->y, agent->position.y, predators[k].position.y);
        if (!num_square_less(num_norm_squared(dx, dy), params->predator_radius_squared))
            continue;
        away.x = num_sum_add(away.x, dx);
        away.y = num_sum_add(away.y, dy);
    }
    agent->velocity.x = flee(params->predator_turn_factor, away.x, agent->velocity.x);
    agent->velocity.y = flee(params->predator_turn_factor, away.y, agent->velocity.y);
}

/* One at rest has no heading, so there is nothing to scale. One so fast that its speed cannot be told has left what num
 * can hold. */
static enum flock_status limit_speed(const struct flock_params *params, struct vec *velocity)
{
    const num_square squared = vec_norm_squared(*velocity);
    if (!num_square_is_finite(squared))
        return FLOCK_E_RANGE;
    if (num_square_is_zero(squared))
        return FLOCK_OK;
    if (params->has_min_speed && num_square_less(squared, params->min_speed_squared))
        *velocity = vec_scale_to(*velocity, params->min_speed, squared);
    else if (params->has_max_speed && num_square_less(params->max_speed_squared, squared))
        *velocity = vec_scale_to(*velocity, params->max_speed, squared);
    return FLOCK_OK;
}

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
    /* Whole worlds are taken away until it is inside, and the far edge is. */
    const num rest = num_modulo(a, axis->length, &is_odd);
    return num_is_zero(rest) && !is_below ? axis->length : rest;
}

/* A mirror at either wall, as often as it takes: an agent that is faster than the world is wide meets both. */
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
        /* It is inside as soon as it stands on the wall: the last of its mirrors is not needed. */
        is_odd = is_odd != is_on_far_wall;
    }
    *position = mirrored;
    if (is_odd)
        *velocity = num_subtract(num_zero(), *velocity);
}

void flock_cross_border(struct flock_agent *agent, const struct flock_params *params)
{
    if (params->border == FLOCK_WRAP) {
        agent->position.x = wrap(&params->x, params->wrap_to, agent->position.x);
        agent->position.y = wrap(&params->y, params->wrap_to, agent->position.y);
    } else if (params->border == FLOCK_REFLECT) {
        reflect(&params->x, &agent->position.x, &agent->velocity.x);
        reflect(&params->y, &agent->position.y, &agent->velocity.y);
    }
}

static bool is_finite(const struct flock_agent *agent)
{
    return num_is_finite(agent->position.x) && num_is_finite(agent->position.y) &&
           num_is_finite(agent->velocity.x) && num_is_finite(agent->velocity.y);
}

enum flock_status flock_finish(struct flock_agent *agent, struct vec before,
                               const struct flock_params *params, const struct flock_agent *predators,
                               uint32_t predator_count)
{
    if (params->limit == FLOCK_LIMIT_BEFORE_BORDER && limit_speed(params, &agent->velocity) != FLOCK_OK)
        return FLOCK_E_RANGE;
    if (params->border == FLOCK_BOUNCE) {
        agent->velocity.x = bounce(&params->x, params->turn_factor, agent->position.x, agent->velocity.x);
        agent->velocity.y = bounce(&params->y, params->turn_factor, agent->position.y, agent->velocity.y);
    }
    if (predators)
        escape(agent, params, predators, predator_count);
    if (params->limit == FLOCK_LIMIT_AFTER_BORDER && limit_speed(params, &agent->velocity) != FLOCK_OK)
        return FLOCK_E_RANGE;

    agent->position =
        vec_add(agent->position, params->integrator == FLOCK_EXPLICIT ? before : agent->velocity);
    if (!is_finite(agent))
        return FLOCK_E_RANGE;
    flock_cross_border(agent, params);
    return FLOCK_OK;
}
