/* See flock/from_model.h. */
#include "flock/from_model.h"

#include <math.h>

static num_square square_of(double length)
{
    return num_norm_squared(num_from_double(length), num_zero());
}

static struct flock_axis axis_of(double length, double near_margin, double far_margin, bool is_torus)
{
    const num whole = num_from_double(length);
    return (struct flock_axis){
        .length = whole,
        .half = num_half(whole),
        .near = num_from_double(near_margin),
        .far = num_subtract(whole, num_from_double(far_margin)),
        .is_torus = is_torus,
    };
}

static struct flock_rule rule_of(const struct flock_rule_model *rule)
{
    const num_factor factor = num_factor_from_double(rule->factor);
    const bool is_on = rule->radius > 0 && !num_factor_is_zero(factor);
    return (struct flock_rule){
        .is_on = is_on,
        .radius_squared = square_of(is_on ? rule->radius : 0),
        .inner_squared = square_of(rule->inner_radius),
        .factor = factor,
    };
}

static void widen_for(struct flock_params *params, const struct flock_rule *rule, double radius)
{
    const num reach = num_from_double(radius);
    if (rule->is_on && num_less(params->widest, reach))
        params->widest = reach;
}

static void set_world(struct flock_params *params, const struct flock_world_model *world)
{
    const bool is_torus = world->border == FLOCK_WRAP && world->distance == FLOCK_TORUS;
    params->border = world->border;
    params->wrap_to = world->wrap_to;
    params->turn_factor = num_from_double(world->turn_factor);
    params->x = axis_of(world->width, world->margin.left, world->margin.right, is_torus);
    params->y = axis_of(world->height, world->margin.top, world->margin.bottom, is_torus);
}

static void set_rules(struct flock_params *params, const struct flock_model *model)
{
    params->steering = model->steering;
    params->separation_form = model->separation_form;
    params->alignment_form = model->alignment_form;
    params->separation = rule_of(&model->separation);
    params->alignment = rule_of(&model->alignment);
    params->cohesion = rule_of(&model->cohesion);
    params->widest = num_zero();
    widen_for(params, &params->separation, model->separation.radius);
    widen_for(params, &params->alignment, model->alignment.radius);
    widen_for(params, &params->cohesion, model->cohesion.radius);
    params->widest_squared = num_norm_squared(params->widest, num_zero());
    if (!isnan(model->max_force)) {
        params->max_force = num_from_double(model->max_force);
        params->max_force_squared = square_of(model->max_force);
    }
    params->predator_radius_squared = square_of(model->predator_radius);
    params->predator_turn_factor = num_from_double(model->predator_turn_factor);
}

static void set_limits(struct flock_params *params, const struct flock_model *model)
{
    params->limit = model->limit;
    params->has_min_speed = !isnan(model->min_speed);
    params->has_max_speed = !isnan(model->max_speed);
    if (params->has_min_speed) {
        params->min_speed = num_from_double(model->min_speed);
        params->min_speed_squared = square_of(model->min_speed);
    }
    if (params->has_max_speed) {
        params->max_speed = num_from_double(model->max_speed);
        params->max_speed_squared = square_of(model->max_speed);
    }
}

struct flock_params flock_params_from_model(const struct flock_model *model, uint32_t boids)
{
    struct flock_params params = {.update = model->update, .integrator = model->integrator};
    set_world(&params, &model->world);
    set_rules(&params, model);
    set_limits(&params, model);
    flock_plan_grid(&params, boids);
    return params;
}

/* A missing limit counts as 0, and a range never runs backwards. */
static void set_predator_speeds(struct flock_start *start, const struct flock_model *model)
{
    const double low = isnan(model->min_speed) ? 0 : model->min_speed;
    const double high = isnan(model->max_speed) ? low : model->max_speed;
    start->predator_low = num_from_double(low);
    start->predator_high = num_from_double(high);
}

struct flock_start flock_start_from_model(const struct flock_model *model, uint64_t seed)
{
    struct flock_start start = {
        .seed = seed,
        .velocity = model->init_velocity,
        .low = num_from_double(model->init_speed[0]),
        .high = num_from_double(model->init_speed[1]),
    };
    set_predator_speeds(&start, model);
    return start;
}
