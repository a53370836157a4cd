/* Shared by the tests of the core: a plain model, its conversion to the core's numbers, flocks on the heap, a separate
 * random generator, and comparisons.
 *
 * The conversion does not use src/library, so that the core is tested against its documented contract.
 */
#ifndef TESTS_CORE_SUPPORT_H
#define TESTS_CORE_SUPPORT_H

#include "flock/flock.h"
#include "lane_ops_scalar.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The type under test. RELATIVE is the distance of 1 from the next number, FARTHEST the largest number. */
#if defined FLOCK_FIXED_CORE
#define TYPE_NAME "fixed"
#define IS_FIXED  1
#define RELATIVE  (1.0 / 65536)
#define FARTHEST  (2147483647.0 / 65536)
#elif defined FLOCK_FLOAT32_CORE
#define TYPE_NAME "float32"
#define IS_FIXED  0
#define RELATIVE  ((double)FLT_EPSILON)
#define FARTHEST  ((double)FLT_MAX)
#else
#define TYPE_NAME "float64"
#define IS_FIXED  0
#define RELATIVE  DBL_EPSILON
#define FARTHEST  DBL_MAX
#endif

#define GROUP(room) room " " TYPE_NAME

/** An upper bound of the distance between numbers of this size: twice the largest rounding error. */
static inline double grain(double size)
{
    return IS_FIXED ? RELATIVE : RELATIVE * fabs(size);
}

/* Random numbers. xorshift64* (Vigna 2016), which the core does not use; each test names its seed. */

static inline uint64_t roll(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

static inline double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * ((double)(roll(seed) >> 11) / 9007199254740992.0);
}

static inline uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)((roll(seed) >> 32) * n >> 32);
}

/** As likely between 1 and 10 as between 10 and 100. */
static inline double between_magnitudes(uint64_t *seed, double low, double high)
{
    return exp(between(seed, log(low), log(high)));
}

/* Models. */

/** An open world of 100 x 100 in which boids do not interact: each test adds its rules. */
static inline struct flock_model plain_model(uint32_t boids)
{
    return (struct flock_model){
        .update = FLOCK_SYNCHRONOUS,
        .integrator = FLOCK_SEMI_IMPLICIT,
        .world = {.width = 100, .height = 100, .border = FLOCK_OPEN, .distance = FLOCK_PLANE},
        .boid_count = boids,
        .min_speed = NAN,
        .max_speed = NAN,
        .max_force = NAN,
        .inertia = 1,
        .goal_direction = NAN,
        .goal_share = 1,
    };
}

static inline num_square square_for(double length)
{
    return num_norm_squared(num_from_double(length), num_zero());
}

static inline struct flock_axis axis_for(double length, double near_margin, double far_margin, bool is_torus)
{
    return (struct flock_axis){.length = num_from_double(length),
                               .half = num_half(num_from_double(length)),
                               .near = num_from_double(near_margin),
                               .far = num_subtract(num_from_double(length), num_from_double(far_margin)),
                               .is_torus = is_torus};
}

static inline struct flock_direction direction_for(double degrees)
{
    return lane_sincos_of((uint32_t)(degrees > 0 && degrees < 360 ? degrees * 11930464.711111112 + 0.5 : 0));
}

static inline struct flock_rule rule_for(const struct flock_rule_model *model, enum flock_normalise by_form,
                                         double *widest)
{
    const bool is_on = model->radius > 0 && model->factor != 0;
    if (is_on && *widest < model->radius)
        *widest = model->radius;
    return (struct flock_rule){.is_on = is_on,
                               .radius_squared = square_for(is_on ? model->radius : 0),
                               .inner_squared = square_for(model->inner_radius),
                               .factor = num_factor_from_double(model->factor),
                               .has_view = (model->view > 0 && model->view < 360),
                               .is_view_wide = (model->view > 180),
                               .half_view = direction_for(model->view / 2),
                               .nearest = model->nearest >= 1 ? (uint32_t)model->nearest : 0,
                               .normalise = model->normalise == FLOCK_BY_FORM ? by_form : model->normalise};
}

static inline bool needs_general_path(const struct flock_rule_model *model)
{
    return (model->view > 0 && model->view < 360) || model->nearest >= 1 || model->normalise == FLOCK_BY_SEEN;
}

/* True if a difference of velocities becomes a direction, however small it is. */
static inline bool aligns_differences(const struct flock_model *model)
{
    return !num_sums_are_exact() && model->alignment_form != FLOCK_MEAN &&
           (model->steering == FLOCK_REYNOLDS || model->alignment.normalise == FLOCK_BY_LENGTH ||
            model->inertia == 0);
}

/* True if no rare option affects the change of velocity by the sums of the rules. */
static inline bool is_simple_steering(const struct flock_model *model)
{
    const bool has_bound = model->steering == FLOCK_DIRECT && !isnan(model->max_force);
    const bool has_own_sums = model->separation.normalise != FLOCK_BY_FORM ||
                              model->alignment.normalise != FLOCK_BY_FORM ||
                              model->cohesion.normalise != FLOCK_BY_FORM;
    return !(has_bound || has_own_sums || model->means != FLOCK_WITHOUT_SELF || model->inertia != 1 ||
             model->priority != FLOCK_NO_PRIORITY || model->alignment_form == FLOCK_LATEST ||
             aligns_differences(model));
}

/* True if no rare option affects the motion after that. */
static inline bool is_simple_motion(const struct flock_model *model)
{
    const bool has_wind = model->world.wind[0] != 0 || model->world.wind[1] != 0;
    const bool strays =
        model->noise_eta > 0 || model->noise_vector > 0 || model->max_turn > 0 || model->speed_spread > 0;
    const bool has_places =
        model->goals.count > 0 || !isnan(model->goal_direction) || model->obstacles.count > 0;
    return is_simple_steering(model) && model->world.shape == FLOCK_RECTANGLE && !has_wind && !strays &&
           !has_places && model->predator_form == FLOCK_FLEE_AXES;
}

static inline struct flock_limits limits_for(double min, double max)
{
    const double least = isnan(min) ? 0 : min, most = isnan(max) ? 0 : max;
    return (struct flock_limits){!isnan(min),           !isnan(max),       num_from_double(least),
                                 num_from_double(most), square_for(least), square_for(most)};
}

static inline struct flock_params params_for(const struct flock_model *model)
{
    const struct flock_world_model *world = &model->world;
    const struct flock_margin *margin = &world->margin;
    const bool is_torus = world->border == FLOCK_WRAP && world->distance == FLOCK_TORUS;
    const double max_force = isnan(model->max_force) ? 0 : model->max_force;
    const enum flock_normalise by_form =
        model->separation_form == FLOCK_INVERSE ? FLOCK_BY_MEAN : FLOCK_BY_SUM;
    double widest = 0;
    struct flock_params params = {
        .seed = model->seed,
        .update = model->update,
        .integrator = model->integrator,
        .border = world->border,
        .wrap_to = world->wrap_to,
        .limit = model->limit,
        .steering = model->steering,
        .separation_form = model->separation_form,
        .alignment_form = model->alignment_form,
        .x = axis_for(world->width, margin->left, margin->right, is_torus),
        .y = axis_for(world->height, margin->top, margin->bottom, is_torus),
        .turn_factor = num_from_double(world->turn_factor),
        .is_disc = world->shape == FLOCK_DISC,
        .disc_squared = square_for(world->width / 2),
        .bounce_squared = square_for(fmax(0, world->width / 2 - margin->left)),
        .has_wind = world->wind[0] != 0 || world->wind[1] != 0,
        .wind = {num_from_double(world->wind[0]), num_from_double(world->wind[1])},
        .look_ahead = num_factor_from_double(model->obstacle_look_ahead),
        .avoid_factor = num_factor_from_double(model->obstacle_turn_factor),
        .goal_every = model->goal_every,
        .goal_form = model->goal_form,
        .goal_factor = num_factor_from_double(model->goal_factor),
        .has_goal_radius = !isnan(model->goal_radius),
        .goal_radius_squared = square_for(isnan(model->goal_radius) ? 0 : model->goal_radius),
        .has_goal_direction = !isnan(model->goal_direction),
        .goal_direction = {num_from_double(1), num_zero()}, /* not tested with another direction here */
        .informed_count = UINT32_MAX,
        .limits = limits_for(model->min_speed, model->max_speed),
        .predator_limits =
            limits_for(model->predator_min_speed.is_own ? model->predator_min_speed.speed : model->min_speed,
                       model->predator_max_speed.is_own ? model->predator_max_speed.speed : model->max_speed),
        .predator_form = model->predator_form,
        .hunt = model->hunt,
        .hunt_factor = num_factor_from_double(model->hunt_factor),
        .separation = rule_for(&model->separation, by_form, &widest),
        .alignment = rule_for(&model->alignment, FLOCK_BY_MEAN, &widest),
        .cohesion = rule_for(&model->cohesion, FLOCK_BY_MEAN, &widest),
        .is_simple_steering = is_simple_steering(model),
        .is_simple_motion = is_simple_motion(model),
        .aligns_differences = aligns_differences(model),
        .means = model->means,
        .has_inertia = model->inertia != 1,
        .inertia = num_factor_from_double(model->inertia),
        .has_noise = model->noise_eta > 0 || model->noise_vector > 0,
        .noise_turns = (uint64_t)(model->noise_eta * 683565275.576 + 0.5), /* 2^32 / 2 pi */
        .noise_vector = num_from_double(model->noise_vector),
        .cohesion_form = model->cohesion_form,
        .priority = model->priority,
        .needs_general_path = model->cohesion_form != FLOCK_COHESION_OFFSET ||
                              needs_general_path(&model->separation) ||
                              needs_general_path(&model->alignment) || needs_general_path(&model->cohesion),
        .has_max_turn = model->max_turn > 0,
        .max_turn = direction_for(model->max_turn),
        .has_max_force = !isnan(model->max_force),
        .max_force = num_from_double(max_force),
        .max_force_squared = square_for(max_force),
        .predator_radius_squared = square_for(model->predator_radius),
        .predator_turn_factor = num_from_double(model->predator_turn_factor),
    };
    params.widest = num_from_double(widest);
    params.widest_squared = square_for(widest);
    flock_plan_grid(&params, model->boid_count);
    return params;
}

/* Flocks. */

/** A flock on the heap, followed by bytes that must not change. */
struct trial {
    struct flock_params params;
    struct flock flock;
    unsigned char *memory;
    size_t size;
    struct flock_vec *goals;
    struct flock_obstacle *obstacles;
};

static inline struct flock_obstacle obstacle_for(const double circle[3], double clearance)
{
    const double reach = circle[2] + clearance;
    return (struct flock_obstacle){{num_from_double(circle[0]), num_from_double(circle[1])},
                                   num_from_double(circle[2]),
                                   num_from_double(reach),
                                   square_for(circle[2]),
                                   square_for(reach)};
}

static inline void trial_set_lists(struct trial *trial, const struct flock_model *model)
{
    trial->goals = malloc((model->goals.count + 1) * sizeof *trial->goals);
    trial->obstacles = malloc((model->obstacles.count + 1) * sizeof *trial->obstacles);
    assert_true(trial->goals && trial->obstacles);
    for (uint32_t k = 0; k < model->goals.count; k++)
        trial->goals[k] = (struct flock_vec){num_from_double(model->goals.of[k][0]),
                                             num_from_double(model->goals.of[k][1])};
    for (uint32_t k = 0; k < model->obstacles.count; k++)
        trial->obstacles[k] = obstacle_for(model->obstacles.of[k], model->obstacle_clearance);
    trial->params.goals = trial->goals;
    trial->params.goal_count = model->goals.count;
    trial->params.obstacles = trial->obstacles;
    trial->params.obstacle_count = model->obstacles.count;
}

enum { STRIP = 64, UNSET = 0xA5 };

static inline struct trial trial_create(const struct flock_model *model)
{
    struct trial trial = {.params = params_for(model)};
    trial.size = flock_memory(&trial.params, model->boid_count, model->predator_count);
    trial.memory = malloc(trial.size + STRIP);
    assert_non_null(trial.memory);
    /* Code that reads uninitialised memory must not find zeros. */
    memset(trial.memory, UNSET, trial.size + STRIP);
    flock_init(&trial.flock, &trial.params, model->boid_count, model->predator_count, trial.memory);
    trial_set_lists(&trial, model);
    return trial;
}

static inline void trial_free(struct trial *trial)
{
    for (size_t i = 0; i < STRIP; i++)
        assert_int_equal(trial->memory[trial->size + i], UNSET);
    free(trial->memory);
    free(trial->goals);
    free(trial->obstacles);
}

static inline struct flock_agent agent_at(double x, double y, double vx, double vy)
{
    return (struct flock_agent){{num_from_double(x), num_from_double(y)},
                                {num_from_double(vx), num_from_double(vy)}};
}

/** A random agent in a rectangle, with velocity components up to `speed`. Drawn one by one: C does not order arguments. */
static inline struct flock_agent random_agent(uint64_t *seed, double width, double height, double speed)
{
    const double x = between(seed, 0, width), y = between(seed, 0, height);
    const double vx = between(seed, -speed, speed), vy = between(seed, -speed, speed);
    return agent_at(x, y, vx, vy);
}

static inline void trial_step(struct trial *trial)
{
    assert_int_equal(flock_step(&trial->flock, &trial->params), FLOCK_OK);
}

/* Comparisons. */

static inline bool same_bits(num a, num b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline bool same_agents(const struct flock_agent *a, const struct flock_agent *b, uint32_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/** Exactly this number, which num can represent. */
#define assert_num(found, wanted)          assert_num_at(found, wanted, #found, __FILE__, __LINE__)
#define assert_near(found, wanted, margin) assert_near_at(found, wanted, margin, #found, __FILE__, __LINE__)

static inline void assert_near_at(num found, double wanted, double margin, const char *what, const char *file,
                                  int line)
{
    const double value = num_to_double(found);
    if (fabs(value - wanted) <= margin)
        return;
    print_error("%s is %.17g; it must be %.17g, give or take %.3g\n", what, value, wanted, margin);
    _fail(file, line);
}

static inline void assert_num_at(num found, double wanted, const char *what, const char *file, int line)
{
    assert_near_at(found, wanted, 0, what, file, line);
}

/** All four numbers of an agent. */
#define assert_agent(found, x, y, vx, vy) assert_agent_at(found, x, y, vx, vy, #found, __FILE__, __LINE__)

static inline void assert_agent_at(const struct flock_agent *found, double x, double y, double vx, double vy,
                                   const char *what, const char *file, int line)
{
    const double values[4] = {num_to_double(found->position.x), num_to_double(found->position.y),
                              num_to_double(found->velocity.x), num_to_double(found->velocity.y)};
    if (values[0] == x && values[1] == y && values[2] == vx && values[3] == vy)
        return;
    print_error(
        "%s is at (%.17g, %.17g) with velocity (%.17g, %.17g); wanted (%.17g, %.17g), (%.17g, %.17g)\n", what,
        values[0], values[1], values[2], values[3], x, y, vx, vy);
    _fail(file, line);
}

#endif
