/* Prints the parameters of a flock as C, for the firmware. Compiled once per number type. One function per type prints its members. */
#include "tools/print_params.h"

#include "core/num.h"
#include "flock/flock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Flags, enums and numbers of cells. */
static void print_whole(long long a)
{
    printf("%lld", a);
}

static void print_long(uint64_t a)
{
    printf("UINT64_C(%" PRIu64 ")", a);
}

#if defined FLOCK_FIXED_CORE

static void print_num(num a)
{
    printf("{%" PRId32 "}", a.raw);
}

static void print_factor(num_factor a)
{
    printf("{%" PRId32 ", %" PRId32 "}", a.raw, a.point);
}

static void print_ratio(num_ratio a)
{
    printf("{INT64_C(%" PRId64 "), %" PRId32 "}", a.multiplier, a.point);
}

/* Squares have the type long; factors have a type of their own. */
#define PRINT_FACTOR , num_factor : print_factor
#define print_square print_long
#define THIS_CORE    "FLOCK_FIXED_CORE"

#else

static void print_num(num a)
{
    if (isinf(a))
        printf("__builtin_inff()");
    else
        printf("%af", (double)a);
}

static void print_ratio(num_ratio a)
{
    printf("%a", a);
}

/* Squares and factors have the type num. */
#define PRINT_FACTOR
#define print_square print_num
#define THIS_CORE    "FLOCK_FLOAT32_CORE"

#endif

static void print_vec(struct flock_vec a)
{
    putchar('{');
    print_num(a.x);
    printf(", ");
    print_num(a.y);
    putchar('}');
}

/* Print the name of the array that contains a list of the parameters. */
static void print_points(const struct flock_vec *points)
{
    fputs(points ? "sim_goals" : "0", stdout);
}

static void print_obstacles(const struct flock_obstacle *circles)
{
    fputs(circles ? "sim_obstacles" : "0", stdout);
}

static void print_direction(struct flock_direction a)
{
    printf("{%" PRId32 ", %" PRId32 "}", a.cosine, a.sine);
}

static void print_axis(struct flock_axis axis);
static void print_rule(struct flock_rule rule);
static void print_limits(struct flock_limits limits);

#define PRINT(a) \
    _Generic((a), uint64_t                        \
             : print_long, num                \
             : print_num, struct flock_vec    \
             : print_vec, const struct flock_vec * \
             : print_points, const struct flock_obstacle * \
 : print_obstacles, num_ratio           \
             : print_ratio, struct flock_direction \
             : print_direction, struct flock_axis \
             : print_axis, struct flock_limits \
 : print_limits, struct flock_rule \
 : print_rule PRINT_FACTOR, default : print_whole)(a)
#define MEMBER(of, name) (fputs(" ." #name " = ", stdout), PRINT((of).name), printf(", \\\n       "))

static void print_axis(struct flock_axis axis)
{
    putchar('{');
#define FLOCK_AXIS_PART(type, name, value) MEMBER(axis, name);
#include "flock/params.def"
    putchar('}');
}

static void print_rule(struct flock_rule rule)
{
    putchar('{');
#define FLOCK_RULE_PART(type, name, value, general) MEMBER(rule, name);
#include "flock/params.def"
    putchar('}');
}

static void print_limits(struct flock_limits limits)
{
    putchar('{');
#define FLOCK_LIMITS_PART(type, name, value) MEMBER(limits, name);
#include "flock/params.def"
    putchar('}');
}

static void print_lists(const struct flock_params *params)
{
    if (params->obstacle_count > 0)
        printf("#define SIM_OBSTACLES { \\\n");
    for (uint32_t k = 0; k < params->obstacle_count; k++) {
        const struct flock_obstacle *circle = &params->obstacles[k];
        printf("        {");
        print_vec(circle->centre);
        printf(", ");
        print_num(circle->radius);
        printf(", ");
        print_num(circle->reach);
        printf(", ");
        print_square(circle->radius_squared);
        printf(", ");
        print_square(circle->reach_squared);
        puts(k + 1 < params->obstacle_count ? "}, \\" : "} }");
    }
    if (params->goal_count > 0)
        printf("#define SIM_GOALS { \\\n");
    for (uint32_t k = 0; k < params->goal_count; k++) {
        printf("        ");
        print_vec(params->goals[k]);
        puts(k + 1 < params->goal_count ? ", \\" : " }");
    }
}

void FLOCK_TYPED(print_params)(const struct flock_model *model)
{
    struct flock_params params = flock_params_from_model(model, model->boid_count);
    static struct flock_obstacle lists[2 * FLOCK_LIST_MAX];
    flock_lists_from_model(&params, model, lists);
    const struct flock_init_params start = flock_init_params_from_model(model);
    puts("#if defined " THIS_CORE);
    print_lists(&params);
    printf("#define SIM_PARAMS { \\\n       ");
#define FLOCK_PARAM(type, name, value, general) MEMBER(params, name);
#include "flock/params.def"
    printf(" }\n#define SIM_START { \\\n       ");
#define FLOCK_INIT_PART(type, name, value) MEMBER(start, name);
#include "flock/params.def"
    puts(" }\n#endif");
}
