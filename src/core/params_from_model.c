/* Converts a model in doubles to parameters in the number type of the core; the value of each is in flock/params.def. */
#include "flock/flock.h"

#include "lane_ops_scalar.h"

#include <math.h>

/* The value of `cells per length` before flock_plan_grid() sets it. */
static const flock_ratio unplanned;

static double zero_if_none(double a)
{
    return isnan(a) ? 0 : a;
}

static double zero_if_negative(double a)
{
    return a > 0 ? a : 0;
}

/* Zero if there is no length (NAN). */
static num_square square_of(double length)
{
    return num_norm_squared(num_from_double(zero_if_none(length)), num_zero());
}

/* The square of a radius: for a neighbour, d^2 is less than this value. For NAN (any distance), it is a value that no
 * squared distance exceeds. */
static num_square radius_squared_of(double radius)
{
    const num largest = num_from_double((double)INFINITY);
    return isnan(radius) ? num_norm_squared(largest, largest) : square_of(radius);
}

/* True if the neighbours that this rule selects affect the result. A factor of 0 makes the force of a rule zero, but
 * `priority` still depends on the neighbours of separation. A radius of NAN (any distance) requires `nearest`. */
static bool needs_neighbours(const struct flock_model *model, const struct flock_rule_model *rule)
{
    const bool has_priority = rule == &model->separation && model->priority == FLOCK_SEPARATION_FIRST;
    const bool has_reach = rule->radius > 0 || (isnan(rule->radius) && rule->nearest >= 1);
    return has_reach && (has_priority || !num_factor_is_zero(num_factor_from_double(rule->factor)));
}

static struct flock_vec vec_of(const double vector[2])
{
    return (struct flock_vec){num_from_double(vector[0]), num_from_double(vector[1])};
}

static bool is_zero(const double vector[2])
{
    return num_is_zero(num_from_double(vector[0])) && num_is_zero(num_from_double(vector[1]));
}

/* The widest radius of a rule that depends on its neighbours. The normalisation `seen` counts neighbours within the
 * radius of any rule, even if its factor is 0. */
static double widest_of(const struct flock_model *model)
{
    const struct flock_rule_model *const rules[] = {&model->separation, &model->alignment, &model->cohesion};
    const bool counts_seen =
        model->separation.normalise == FLOCK_BY_SEEN && needs_neighbours(model, &model->separation);
    double widest = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((counts_seen || needs_neighbours(model, rules[i])) && rules[i]->radius > widest)
            widest = rules[i]->radius;
    return widest;
}

/* The normalisation of separation if it is "by_form": it depends on the form of separation. */
static enum flock_normalise separation_by_form(const struct flock_model *model)
{
    switch (model->separation_form) {
    case FLOCK_OFFSET:
    case FLOCK_UNIT:
    case FLOCK_QUARTIC:
    case FLOCK_HEADINGS: break;
    case FLOCK_INVERSE: return FLOCK_BY_MEAN;
    }
    return FLOCK_BY_SUM;
}

/* True if the differences of velocities are weighted, or if the result depends on the direction of even a very small difference. The
 * direction matters if the difference becomes a unit vector, if it is the desired velocity of Reynolds' steering, or without inertia. */
static bool aligns_differences(const struct flock_model *model)
{
    const bool is_made_a_direction =
        model->steering == FLOCK_REYNOLDS || model->alignment.normalise == FLOCK_BY_LENGTH ||
        num_factor_is_zero(num_factor_from_double(model->inertia)) || model->alignment.falloff_scale > 0;
    return model->alignment_form != FLOCK_MEAN && model->steering != FLOCK_TURN && is_made_a_direction &&
           !num_sums_are_exact();
}

/* No turn is larger than 180 degrees. */
static bool has_max_turn(double degrees)
{
    return degrees > 0 && degrees < 180;
}

/* The point of the unit circle at an angle in degrees, which is rounded to 2^-32 of a turn. An angle outside [0,
 * 360) is treated as 0. */
static struct flock_direction direction_of(double degrees)
{
    const double turns = degrees >= 0 && degrees < 360 ? degrees / 360 : 0;
    /* An angle just below 360 degrees may be rounded to 2^32, which becomes the angle 0. */
    return lane_sincos_of((lane_angle)(uint64_t)(turns * 4294967296.0 + 0.5));
}

static struct flock_vec goal_direction_of(const struct flock_model *model)
{
    return lane_vec_along(num_from_double(1), direction_of(zero_if_none(model->goal_direction)));
}

static uint32_t informed_count_of(const struct flock_model *model, uint32_t boids)
{
    return model->goal_share < 1 ? (uint32_t)(model->goal_share * boids + 0.5) : UINT32_MAX;
}

/* An angle in 2^-32 of a turn. */
static uint64_t turns_of(double radians)
{
    const double turn = 6.283185307179586;
    return (uint64_t)(radians / turn * 4294967296.0 + 0.5);
}

static struct flock_rule rule_of(const struct flock_model *model, const struct flock_rule_model *rule,
                                 enum flock_normalise by_form)
{
    const bool is_on = needs_neighbours(model, rule);
    return (struct flock_rule){
#define FLOCK_RULE_PART(type, name, value, general) .name = value,
#include "flock/params.def"
    };
}

static double predator_speed(const struct flock_speed_limit *own, double flock)
{
    return own->is_own ? own->speed : flock;
}

/* The minimum or maximum speed of predators in a random initial state. If there is no maximum, all predators have
 * the minimum. */
static double predator_start(const struct flock_model *model, bool is_max)
{
    const double min = predator_speed(&model->predator_min_speed, model->min_speed);
    const double max = predator_speed(&model->predator_max_speed, model->max_speed);
    return is_max && !isnan(max) ? max : zero_if_none(min);
}

static struct flock_limits limits_of(double min, double max)
{
    return (struct flock_limits){
#define FLOCK_LIMITS_PART(type, name, value) .name = value,
#include "flock/params.def"
    };
}

static struct flock_axis axis_of(const struct flock_world_model *world, double length, double near_margin,
                                 double far_margin)
{
    const bool is_torus = flock_world_is_torus(world);
    return (struct flock_axis){
#define FLOCK_AXIS_PART(type, name, value) .name = value,
#include "flock/params.def"
    };
}

/* Values of the last column of params.def. */
enum { NONE = 0, GENERAL_SUMS = 1, GENERAL_STEERING = 2, GENERAL_MOTION = 4 };
#define SUMS_IF(condition)     ((condition) ? GENERAL_SUMS : NONE)
#define STEERING_IF(condition) ((condition) ? GENERAL_STEERING : NONE)
#define MOTION_IF(condition)   ((condition) ? GENERAL_MOTION : NONE)

/* The general code that a rule needs. */
static unsigned general_code_of(const struct flock_rule_model *rule, const struct flock_rule *params)
{
    unsigned code = NONE;
#define FLOCK_RULE_PART(type, name, value, general) code |= (unsigned)(general);
#include "flock/params.def"
    return code;
}

static void choose_code(struct flock_params *params, const struct flock_model *model)
{
    unsigned code = NONE;
#define FLOCK_PARAM(type, name, value, general) code |= (unsigned)(general);
#include "flock/params.def"
    params->is_simple_steering = (code & GENERAL_STEERING) == 0;
    params->is_simple_motion = (code & (GENERAL_STEERING | GENERAL_MOTION)) == 0;
    params->needs_general_path = (code & GENERAL_SUMS) != 0;
}

struct flock_params flock_params_from_model(const struct flock_model *model, uint32_t boids)
{
    struct flock_params params = {
#define FLOCK_PARAM(type, name, value, general) .name = value,
#include "flock/params.def"
    };
    choose_code(&params, model);
    flock_plan_grid(&params, boids);
    return params;
}

size_t flock_lists_memory(const struct flock_model *model)
{
    return model->obstacles.count * sizeof(struct flock_obstacle) +
           model->goals.count * sizeof(struct flock_vec);
}

/* On a torus, a coordinate outside of the world is replaced by its image inside. */
static num wrap_coordinate(const struct flock_axis *axis, double a)
{
    bool is_odd;
    const num coordinate = num_from_double(a);
    const bool is_outside = num_less(coordinate, num_zero()) || num_less(axis->length, coordinate);
    return axis->is_torus && is_outside ? num_modulo(coordinate, axis->length, &is_odd) : coordinate;
}

static struct flock_vec wrapped_position(const struct flock_params *params, const double *position)
{
    return (struct flock_vec){wrap_coordinate(&params->x, position[0]),
                              wrap_coordinate(&params->y, position[1])};
}

void flock_lists_from_model(struct flock_params *params, const struct flock_model *model, void *memory)
{
    struct flock_obstacle *obstacles = memory;
    struct flock_vec *goals = (struct flock_vec *)(void *)(obstacles + model->obstacles.count);
    for (uint32_t k = 0; k < model->obstacles.count; k++) {
        const double *circle = model->obstacles.of[k]; /* x, y, radius */
        const double reach = circle[2] + model->obstacle_clearance;
        obstacles[k] = (struct flock_obstacle){
            .centre = wrapped_position(params, circle),
            .radius = num_from_double(circle[2]),
            .reach = num_from_double(reach),
            .radius_squared = square_of(circle[2]),
            .reach_squared = square_of(reach),
        };
    }
    for (uint32_t k = 0; k < model->goals.count; k++)
        goals[k] = wrapped_position(params, model->goals.of[k]);
    /* Without a factor, balanced goals still scale the other rules. */
    const bool has_goals =
        !num_factor_is_zero(params->goal_factor) || params->goal_form == FLOCK_GOAL_BALANCED;
    params->goal_count = has_goals ? model->goals.count : 0;
    params->goals = params->goal_count > 0 ? goals : NULL;
    params->obstacle_count = model->obstacles.count;
    params->obstacles = params->obstacle_count > 0 ? obstacles : NULL;
}

struct flock_init_params flock_init_params_from_model(const struct flock_model *model)
{
    return (struct flock_init_params){
#define FLOCK_INIT_PART(type, name, value) .name = value,
#include "flock/params.def"
    };
}
