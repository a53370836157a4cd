/* Shared by the tests of the core: a plain model, flocks on the heap, a separate random generator, and comparisons. */
#ifndef TESTS_CORE_SUPPORT_H
#define TESTS_CORE_SUPPORT_H

#include "../suite.h"
#include "flock/flock.h"
#include "lane_ops_scalar.h"

#include <float.h>

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

/** It is as likely between 1 and 10 as between 10 and 100. */
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
        .init_direction = NAN,
        .goal_share = 1,
    };
}

static inline struct flock_rule_model rule_of(double radius, double factor)
{
    return (struct flock_rule_model){.radius = radius, .factor = factor};
}

/** For each update order. */
#define EACH_UPDATE(model) \
    for (int u = 0; u < FLOCK_COUNT(FLOCK_UPDATES) && ((model).update = (enum flock_update)u, true); u++)

/* Flocks. */

/** A flock on the heap, followed by bytes that must not change. */
struct trial {
    struct flock_params params;
    struct flock flock;
    unsigned char *memory;
    size_t size;
    void *lists;
};

enum { STRIP = 64, UNSET = 0xA5 };

static inline struct trial trial_create(const struct flock_model *model)
{
    struct trial trial = {.params = flock_params_from_model(model, model->boid_count),
                          .lists = malloc(flock_lists_memory(model) + 1)};
    trial.size = flock_memory(&trial.params, model->boid_count, model->predator_count);
    trial.memory = malloc(trial.size + STRIP);
    assert_true(trial.memory && trial.lists);
    /* Code that reads uninitialised memory must not find zeros. */
    memset(trial.memory, UNSET, trial.size + STRIP);
    flock_init(&trial.flock, &trial.params, model->boid_count, model->predator_count, trial.memory);
    flock_lists_from_model(&trial.params, model, trial.lists);
    return trial;
}

static inline void trial_free(struct trial *trial)
{
    for (size_t i = 0; i < STRIP; i++)
        assert_int_equal(trial->memory[trial->size + i], UNSET);
    free(trial->memory);
    free(trial->lists);
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

static inline void assert_same_state(const struct trial *a, const struct trial *b)
{
    assert_true(same_agents(a->flock.boids, b->flock.boids, a->flock.count));
    assert_true(same_agents(a->flock.predators, b->flock.predators, a->flock.predator_count));
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

#endif
