/* Claims about many steps, about random states and about numbers out of range. scenes.txt has those about one step of a given state.
 *
 * A tolerance has its reason beside it. Most claims are tested for each update order; the orders differ only in which neighbours
 * have already moved.
 */
#include "support.h"

#include "scalar_update.h"

enum { SEED = 20240609 };

/* The orders in which boid 0 is not updated after boid 1. */
static const enum flock_update updates[] = {FLOCK_SYNCHRONOUS, FLOCK_SEQUENTIAL, FLOCK_PASSES};
_Static_assert(COUNT(updates) + 2 == FLOCK_COUNT(FLOCK_UPDATES), "all but the random ones");

#define EACH_ORDER(model) for (size_t u = 0; u < COUNT(updates) && ((model).update = updates[u], true); u++)

/* A single boid after a step. */
static struct flock_agent step_alone(const struct flock_model *model, double x, double y, double vx,
                                     double vy)
{
    struct trial trial = trial_create(model);
    trial.flock.boids[0] = agent_at(x, y, vx, vy);
    trial_step(&trial);
    const struct flock_agent moved = trial.flock.boids[0];
    trial_free(&trial);
    return moved;
}

/* Two boids, or more. */

/* v_i += f (v_j - v_i): a synchronous update multiplies the difference by 1 - 2f, a sequential one by (1 - f)^2. */
TEST(two_boids_that_align_lose_a_fixed_part_of_their_difference_each_step)
{
    const double f = 0.05, shrink[] = {1 - 2 * f, (1 - f) * (1 - f), (1 - f) * (1 - f)};
    struct flock_model model = plain_model(2);
    model.alignment = rule_of(1000, f);
    EACH_ORDER(model)
    {
        struct trial trial = trial_create(&model);
        struct flock_agent *const *boids = &trial.flock.boids;
        trial.flock.boids[0] = agent_at(50, 50, 2, 1);
        trial.flock.boids[1] = agent_at(51, 50, -1, -0.5);
        double vx = 3, vy = 1.5;
        /* Two boids round a difference, a product and a sum each, of numbers below 4: three grains a step
         * in all, of which a tenth is forgotten in each. */
        const double margin = 3 * grain(4) / (1 - shrink[u]);
        for (int step = 1; step <= 60; step++) {
            trial_step(&trial);
            vx *= shrink[u];
            vy *= shrink[u];
            assert_near(num_subtract((*boids)[0].velocity.x, (*boids)[1].velocity.x), vx, margin);
            assert_near(num_subtract((*boids)[0].velocity.y, (*boids)[1].velocity.y), vy, margin);
        }
        trial_free(&trial);
    }
}

#if defined FLOCK_FLOAT64_CORE
/* x_{t+1} - 2 x_t + x_{t-1} = -2c x_t for the distance x: a rotation by acos(1 - c) a step. From rest at
 * distance X, x_t = X cos(theta (t + 1/2)) / cos(theta / 2). */
static void assert_cohesion_period(double c, double period)
{
    enum { STEPS = 5000 };
    const double theta = acos(1 - c), far = 40;
    struct flock_model model = plain_model(2);
    model.cohesion = rule_of(1000, c);
    struct trial trial = trial_create(&model);
    trial.flock.boids[0] = agent_at(30, 50, 0, 0);
    trial.flock.boids[1] = agent_at(30 + far, 50, 0, 0);
    double last = far, first_zero = 0, last_zero = 0;
    int zeros = 0;
    for (int step = 1; step <= STEPS; step++) {
        trial_step(&trial);
        const struct flock_agent *boids = trial.flock.boids;
        const double x = num_to_double(num_subtract(boids[1].position.x, boids[0].position.x));
        /* An error of velocity lives on as one of position, theta^-1 times as large: some rounding of 100
         * a step. */
        const double margin = step * grain(100) / theta;
        assert_near(num_from_double(x), far * cos(theta * (step + 0.5)) / cos(theta / 2), margin);
        assert_num(num_subtract(boids[1].position.y, boids[0].position.y), 0);
        if ((x < 0) != (last < 0)) {
            last_zero = step - 1 + last / (last - x);
            first_zero = zeros++ == 0 ? last_zero : first_zero;
        }
        last = x;
    }
    /* Two zeros per period. They are found on a chord of the curve, theta^2 / 16 of a step off at
     * most. */
    assert_true(zeros > 40);
    assert_true(fabs(2 * (last_zero - first_zero) / (zeros - 1) - period) < 0.0005);
    trial_free(&trial);
}

TEST(two_boids_that_cohere_swing_with_the_published_period)
{
    assert_cohesion_period(0.0005, 198.683);
    assert_cohesion_period(0.005, 62.806);
}
#endif

/* In fixed point the root of a speed s is off by up to one grain, so the scaled one by a part of 1 /
 * (65536 s). */
TEST(a_limited_speed_keeps_its_direction)
{
    uint64_t seed = SEED;
    struct flock_model model = plain_model(1);
    model.min_speed = 3;
    model.max_speed = 6;
    for (int k = 0; k < 2000; k++) {
        const double speed = between_magnitudes(&seed, 1.0 / 64, 1000), angle = between(&seed, 0, 6.28);
        const struct flock_agent start = agent_at(50, 50, speed * cos(angle), speed * sin(angle));
        const double vx = num_to_double(start.velocity.x), vy = num_to_double(start.velocity.y);
        const double true_speed = hypot(vx, vy);
        const double wanted = true_speed < 3 ? 3 : true_speed > 6 ? 6 : true_speed;
        /* The root, the quotient and the product are rounded, each by a grain of what it is a part of. */
        const double margin = 6 * grain(true_speed) / true_speed + 2 * grain(6);
        const struct flock_agent moved = step_alone(&model, 50, 50, vx, vy);
        assert_near(moved.velocity.x, vx * wanted / true_speed, margin);
        assert_near(moved.velocity.y, vy * wanted / true_speed, margin);
    }
}

/* The square of such a speed overflows a float, so the boid is out of range. In fixed point the square is exact,
 * and the speed is limited like any other although it exceeds the largest num. */
TEST(a_speed_that_overflows_is_out_of_range)
{
    const double fast = IS_FIXED ? 32000 : FARTHEST / 4;
    struct flock_model model = plain_model(1);
    model.max_speed = 5;
    EACH_ORDER(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(50, 50, fast, fast);
        const enum flock_status status = flock_step(&trial.flock, &trial.params);
        const struct flock_vec *velocity = &trial.flock.boids[0].velocity;
        assert_int_equal(status, IS_FIXED ? FLOCK_OK : FLOCK_E_RANGE);
        if (IS_FIXED &&
            fabs(hypot(num_to_double(velocity->x), num_to_double(velocity->y)) - 5) > 4 * grain(5))
            fail_msg("the speed is %g, %g; it must be 5", num_to_double(velocity->x),
                     num_to_double(velocity->y));
        trial_free(&trial);
    }
}

/* Steps in several pieces. */

static struct flock_model busy_model(uint32_t boids)
{
    struct flock_model model = plain_model(boids);
    model.world.width = 120;
    model.world.height = 90;
    model.world.turn_factor = 0.2;
    model.world.margin = (struct flock_margin){15, 15, 15, 15};
    model.min_speed = 1;
    model.max_speed = 3;
    model.max_force = 0.3;
    model.separation = rule_of(4, 0.05);
    model.alignment = (struct flock_rule_model){.radius = 12, .inner_radius = 4, .factor = 0.05};
    model.cohesion = (struct flock_rule_model){.radius = 15, .inner_radius = 4, .factor = 0.0005};
    model.predator_count = 2;
    model.predator_radius = 12;
    model.predator_turn_factor = 0.5;
    return model;
}

static void place_at_random(struct trial *trial, uint64_t seed)
{
    const double width = num_to_double(trial->params.x.length),
                 height = num_to_double(trial->params.y.length);
    const uint32_t boids = trial->flock.count, count = boids + trial->flock.predator_count;
    for (uint32_t i = 0; i < count; i++) {
        struct flock_agent *agent = i < boids ? &trial->flock.boids[i] : &trial->flock.predators[i - boids];
        *agent = random_agent(&seed, width, height, 2);
    }
}

static void step_in_pieces(struct trial *trial, uint32_t pieces, bool backwards)
{
    const uint64_t n = trial->flock.count;
    flock_sort(&trial->flock, &trial->params);
    for (uint32_t k = 0; k < pieces; k++) {
        const uint64_t piece = backwards ? pieces - 1 - k : k;
        assert_int_equal(flock_step_range(&trial->flock, &trial->params, (uint32_t)(n * piece / pieces),
                                          (uint32_t)(n * (piece + 1) / pieces)),
                         FLOCK_OK);
    }
    assert_int_equal(flock_swap_buffers(&trial->flock, &trial->params), FLOCK_OK);
}

TEST(a_step_in_any_pieces_gives_the_same_bits)
{
    enum { N = 200, STEPS = 5 };
    static const uint32_t pieces[] = {1, 7, N - 1, N, 3 * N};
    const struct flock_model model = busy_model(N);
    struct trial whole = trial_create(&model);
    place_at_random(&whole, SEED);
    for (int step = 0; step < STEPS; step++)
        trial_step(&whole);
    for (size_t k = 0; k < COUNT(pieces); k++)
        for (int backwards = 0; backwards <= 1; backwards++) {
            struct trial cut = trial_create(&model);
            place_at_random(&cut, SEED);
            for (int step = 0; step < STEPS; step++)
                step_in_pieces(&cut, pieces[k], backwards);
            assert_same_state(&cut, &whole);
            trial_free(&cut);
        }
    trial_free(&whole);
}

TEST(a_range_writes_the_next_state_only)
{
    enum { N = 50 };
    const struct flock_model model = busy_model(N);
    struct flock_agent before[N];
    struct trial trial = trial_create(&model);
    place_at_random(&trial, SEED);
    memcpy(before, trial.flock.boids, sizeof before);
    flock_sort(&trial.flock, &trial.params);
    assert_int_equal(flock_step_range(&trial.flock, &trial.params, 0, N), FLOCK_OK);
    assert_true(same_agents(trial.flock.boids, before, N));
    trial_free(&trial);
}

/* The frame is the complete state: a flock set to a frame continues like the flock that the frame is from. */
TEST(a_step_depends_only_on_the_state)
{
    enum { N = 150 };
    struct flock_model model = busy_model(N);
    EACH_ORDER(model)
    {
        for (int border = 0; border < FLOCK_COUNT(FLOCK_BORDERS); border++) {
            model.world.border = (enum flock_border)border;
            model.world.distance = border == FLOCK_WRAP ? FLOCK_TORUS : FLOCK_PLANE;
            struct trial old = trial_create(&model), fresh = trial_create(&model);
            place_at_random(&old, SEED);
            for (int step = 0; step < 25; step++)
                trial_step(&old);
            memcpy(fresh.flock.boids, old.flock.boids, N * sizeof *old.flock.boids);
            memcpy(fresh.flock.predators, old.flock.predators, 2 * sizeof *old.flock.predators);
            for (int step = 0; step < 5; step++) {
                trial_step(&old);
                trial_step(&fresh);
                assert_same_state(&fresh, &old);
            }
            trial_free(&old);
            trial_free(&fresh);
        }
    }
}

TEST(a_step_sees_no_more_boids_than_there_are)
{
    for (uint32_t n = 1; n <= 3; n++) {
        struct flock_model model = busy_model(n);
        EACH_ORDER(model)
        {
            struct trial trial = trial_create(&model);
            place_at_random(&trial, SEED);
            for (int step = 0; step < 50; step++)
                trial_step(&trial);
            trial_free(&trial);
        }
    }
}

/* Numbers out of range. */

#if !IS_FIXED

static void assert_leaves_range(struct flock_model model, struct flock_agent bad, struct flock_agent predator)
{
    enum { N = 20 };
    struct flock_agent before[N];
    model.boid_count = N;
    model.predator_count = 1;
    EACH_ORDER(model)
    {
        struct trial trial = trial_create(&model);
        place_at_random(&trial, SEED);
        trial.flock.boids[11] = bad;
        trial.flock.predators[0] = predator;
        memcpy(before, trial.flock.boids, sizeof before);
        assert_int_equal(flock_step(&trial.flock, &trial.params), FLOCK_E_RANGE);
        if (model.update == FLOCK_SYNCHRONOUS) {
            assert_true(same_agents(trial.flock.boids, before, N));
            assert_true(same_agents(trial.flock.predators, &predator, 1));
            assert_int_equal(flock_step(&trial.flock, &trial.params), FLOCK_E_RANGE);
        }
        trial_free(&trial);
    }
}

TEST(a_boid_that_overflows_is_an_error_and_leaves_a_synchronous_state_alone)
{
    const double far = 0.75 * FARTHEST;
    struct flock_model model = busy_model(20);
    model.min_speed = model.max_speed = NAN;
    model.world.border = FLOCK_OPEN;
    const struct flock_agent predator = agent_at(50, 50, 1, 1);
    assert_leaves_range(model, agent_at(far, 0, far, 0), predator);
    assert_leaves_range(model, agent_at(0, -far, 0, -far), predator);
    /* No border can move infinity into the world. */
    model.world.border = FLOCK_WRAP;
    assert_leaves_range(model, agent_at(far, 0, far, 0), predator);
    model.world.border = FLOCK_REFLECT;
    assert_leaves_range(model, agent_at(0, far, 0, far), predator);
}

TEST(a_velocity_that_overflows_is_an_error_too)
{
    struct flock_model model = busy_model(20);
    model.min_speed = model.max_speed = NAN;
    model.world.turn_factor = 0.75 * FARTHEST;
    model.world.border = FLOCK_BOUNCE;
    model.integrator = FLOCK_EXPLICIT;
    assert_leaves_range(model, agent_at(1, 50, 0.75 * FARTHEST, 0), agent_at(50, 50, 1, 1));
}

TEST(nan_is_an_error)
{
    struct flock_model model = busy_model(20);
    model.world.border = FLOCK_OPEN;
    assert_leaves_range(model, agent_at(NAN, 50, 1, 1), agent_at(50, 50, 1, 1));
    assert_leaves_range(model, agent_at(50, HUGE_VAL, 1, 1), agent_at(50, 50, 1, 1));
}

TEST(a_predator_that_overflows_is_an_error_and_leaves_a_synchronous_state_alone)
{
    struct flock_model model = busy_model(20);
    model.min_speed = model.max_speed = NAN;
    model.world.border = FLOCK_OPEN;
    assert_leaves_range(model, agent_at(50, 50, 1, 1), agent_at(0.75 * FARTHEST, 0, 0.75 * FARTHEST, 0));
}

#else

/* With -fsanitize=undefined, this also tests that no operation is undefined. */
TEST(hostile_rules_do_nothing_undefined_in_10000_steps)
{
    static const double factors[] = {32767, -32767, 1e9, -2147483647, 0.0000153, -300, 1};
    static const double lengths[] = {FARTHEST, 30000, 100, 1, 0.001, 1.0 / 65536};
    static const double radii[] = {FARTHEST, 32000, 100, 3, 1.0 / 65536};
    enum { N = 4, STEPS = 10000, CASES = 24 };
    uint64_t seed = SEED;
    for (int k = 0; k < CASES; k++) {
        struct flock_model model = plain_model(N);
        model.update = updates[k % 3];
        model.world.border = (enum flock_border)(k / 3 % 4);
        model.world.distance =
            model.world.border == FLOCK_WRAP && below(&seed, 2) ? FLOCK_TORUS : FLOCK_PLANE;
        model.world.wrap_to = (enum flock_wrap_to)below(&seed, 2);
        model.world.width = lengths[below(&seed, COUNT(lengths))];
        model.world.height = lengths[below(&seed, COUNT(lengths))];
        model.world.turn_factor = FARTHEST;
        model.world.margin = (struct flock_margin){FARTHEST, 10, 0, FARTHEST};
        model.integrator = (enum flock_integrator)below(&seed, 2);
        model.limit = (enum flock_limit)below(&seed, 2);
        model.separation_form = (enum flock_separation_form)below(&seed, 4);
        model.alignment_form = (enum flock_alignment_form)below(&seed, 2);
        struct flock_rule_model *rules[] = {&model.separation, &model.alignment, &model.cohesion};
        for (size_t r = 0; r < COUNT(rules); r++)
            *rules[r] = (struct flock_rule_model){.radius = radii[below(&seed, COUNT(radii))],
                                                  .factor = factors[below(&seed, COUNT(factors))]};
        if (k >= CASES / 2) {
            model.steering = FLOCK_REYNOLDS;
            model.max_speed = below(&seed, 2) ? FARTHEST : 1.0 / 65536;
            model.max_force = below(&seed, 2) ? FARTHEST : 1.0 / 65536;
            model.min_speed = 0;
        }
        model.predator_count = 3;
        model.predator_radius = FARTHEST;
        model.predator_turn_factor = FARTHEST;
        struct trial trial = trial_create(&model);
        place_at_random(&trial, seed);
        for (int step = 0; step < STEPS; step++) {
            trial_step(&trial);
            for (uint32_t i = 0; i < N; i++) {
                const struct flock_agent *boid = &trial.flock.boids[i];
                assert_true(boid->position.x.raw != INT32_MIN && boid->position.y.raw != INT32_MIN);
                assert_true(boid->velocity.x.raw != INT32_MIN && boid->velocity.y.raw != INT32_MIN);
            }
        }
        trial_free(&trial);
    }
}

/* Mirrors, in fixed point. Sums over neighbours are exact, so their order does not matter, and everything except
 * products by a factor is rounded towards zero: a mirrored flock moves like the mirror image, to the bit, in
 * every update order. A product rounds halves upwards and would differ there; with a factor of odd raw value, a
 * half needs a multiplicand of at least 2^(point - 1) raw, 8192 units, which does not occur here. Floats add in
 * the order of cells, which a mirror reverses, so this does not hold for them. */

static void mirror_agents(struct flock_agent *agents, uint32_t count, const struct flock_params *params)
{
    for (uint32_t i = 0; i < count; i++) {
        agents[i].position.x = num_subtract(params->x.length, agents[i].position.x);
        agents[i].velocity.x = num_subtract(num_zero(), agents[i].velocity.x);
    }
}

static void transpose_agents(struct flock_agent *agents, uint32_t count, const struct flock_params *params)
{
    (void)params;
    for (uint32_t i = 0; i < count; i++)
        agents[i] = (struct flock_agent){{agents[i].position.y, agents[i].position.x},
                                         {agents[i].velocity.y, agents[i].velocity.x}};
}

typedef void reflection(struct flock_agent *agents, uint32_t count, const struct flock_params *params);

static void assert_symmetric(const struct flock_model *model, const struct flock_model *image_model,
                             reflection *show)
{
    enum { STEPS = 60 };
    struct trial trial = trial_create(model), image = trial_create(image_model);
    const uint32_t n = model->boid_count, predators = model->predator_count;
    place_at_random(&trial, SEED);
    memcpy(image.flock.boids, trial.flock.boids, n * sizeof *trial.flock.boids);
    memcpy(image.flock.predators, trial.flock.predators, predators * sizeof *trial.flock.predators);
    show(image.flock.boids, n, &trial.params);
    show(image.flock.predators, predators, &trial.params);
    for (int step = 0; step < STEPS; step++) {
        trial_step(&trial);
        trial_step(&image);
        show(image.flock.boids, n, &image.params);
        show(image.flock.predators, predators, &image.params);
        assert_same_state(&image, &trial);
        show(image.flock.boids, n, &trial.params);
        show(image.flock.predators, predators, &trial.params);
    }
    trial_free(&trial);
    trial_free(&image);
}

static struct flock_model twist(struct flock_model model, int k)
{
    model.world.border = (enum flock_border)(k % 4);
    model.world.distance = model.world.border == FLOCK_WRAP && k % 8 < 4 ? FLOCK_TORUS : FLOCK_PLANE;
    model.world.wrap_to = k % 3 ? FLOCK_WRAP_MODULO : FLOCK_WRAP_EDGE;
    model.separation_form = (enum flock_separation_form)(k / 2 % 4);
    model.alignment_form = (enum flock_alignment_form)(k / 3 % 3);
    model.steering = (enum flock_steering)(k / 5 % 2);
    model.integrator = (enum flock_integrator)(k / 7 % 2);
    model.limit = (enum flock_limit)(k / 4 % 2);
    return model;
}

TEST(a_mirrored_flock_gives_a_mirrored_run)
{
    struct flock_model model = busy_model(70);
    assert_true(num_factor_from_double(0.05).raw % 2 && num_factor_from_double(0.0005).raw % 2);
    EACH_ORDER(model)
    {
        for (int k = 0; k < 16; k++) {
            const struct flock_model twisted = twist(model, k);
            assert_symmetric(&twisted, &twisted, mirror_agents);
        }
    }
}

/* This one does not round. */
TEST(a_transposed_flock_gives_a_transposed_run)
{
    struct flock_model model = busy_model(70);
    model.separation.factor = 0.5;
    EACH_ORDER(model)
    {
        for (int k = 0; k < 16; k++) {
            struct flock_model twisted = twist(model, k), turned = twisted;
            twisted.world.margin = (struct flock_margin){5, 10, 15, 20};
            turned.world.margin = (struct flock_margin){15, 20, 5, 10};
            turned.world.width = twisted.world.height;
            turned.world.height = twisted.world.width;
            assert_symmetric(&twisted, &turned, transpose_agents);
        }
    }
}

#endif

SUITE(GROUP("step"))
