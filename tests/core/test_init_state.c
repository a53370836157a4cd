/* Claims about initial states: each agent is placed independently of the others and inside the world, and
 * distributions that should be uniform are uniform.
 *
 * Uniformity is tested with chi-square. The seeds are fixed, so a test passes always or never; the
 * critical values are those that one seed in a thousand exceeds (p = 0.001): 27.88 for 9 degrees of freedom,
 * 37.70 for 15, 103.44 for 63.
 */
#include "support.h"

enum { SEED = 20240610, MANY = 16000 };

static struct flock_model placed_model(uint32_t boids)
{
    struct flock_model model = plain_model(boids);
    model.seed = SEED;
    model.world.width = 640;
    model.world.height = 480;
    model.predator_count = 5;
    return model;
}

static struct flock_init_params start_with(enum flock_init_velocity velocity)
{
    return (struct flock_init_params){.velocity = velocity,
                                      .low = num_from_double(velocity == FLOCK_HEADING ? 3 : -0.75),
                                      .high = num_from_double(velocity == FLOCK_HEADING ? 6 : 0.75),
                                      .predator_low = num_from_double(2),
                                      .predator_high = num_from_double(4)};
}

static struct trial place_from(const struct flock_model *model, const struct flock_init_params *start)
{
    struct trial trial = trial_create(model);
    flock_randomise(&trial.flock, &trial.params, start);
    return trial;
}

static struct trial place(const struct flock_model *model, enum flock_init_velocity velocity)
{
    const struct flock_init_params start = start_with(velocity);
    return place_from(model, &start);
}

/* Independence. */

TEST(the_position_of_a_boid_does_not_depend_on_the_count)
{
    static const uint32_t counts[] = {8, 9, 100, 1000};
    for (int velocity = 0; velocity < FLOCK_COUNT(FLOCK_INIT_VELOCITIES); velocity++) {
        struct flock_agent first[8] = {agent_at(0, 0, 0, 0)};
        for (size_t c = 0; c < COUNT(counts); c++) {
            const struct flock_model model = placed_model(counts[c]);
            struct trial trial = place(&model, (enum flock_init_velocity)velocity);
            if (c == 0)
                memcpy(first, trial.flock.boids, sizeof first);
            assert_true(same_agents(trial.flock.boids, first, 8));
            trial_free(&trial);
        }
    }
}

TEST(positions_do_not_depend_on_update_order_or_rules)
{
    struct flock_model model = placed_model(50);
    struct trial plain = place(&model, FLOCK_HEADING);
    for (int update = 0; update < FLOCK_COUNT(FLOCK_UPDATES); update++) {
        model.update = (enum flock_update)update;
        model.cohesion = rule_of(40, 0.5);
        model.world.border = FLOCK_WRAP;
        struct trial other = place(&model, FLOCK_HEADING);
        assert_same_state(&other, &plain);
        trial_free(&other);
    }
    trial_free(&plain);
}

TEST(predators_do_not_move_when_boids_are_added)
{
    struct flock_model few_model = placed_model(1), many_model = placed_model(1000);
    few_model.predator_count = 5;
    many_model.predator_count = 300;
    struct trial few = place(&few_model, FLOCK_HEADING), many = place(&many_model, FLOCK_HEADING);
    assert_true(same_agents(few.flock.predators, many.flock.predators, 5));
    assert_true(same_agents(few.flock.boids, many.flock.boids, 1));
    /* Predator 3 has neither the position nor the velocity of boid 3. */
    for (uint32_t k = 0; k < 300; k++) {
        const struct flock_agent *boid = &many.flock.boids[k], *predator = &many.flock.predators[k];
        assert_false(same_bits(boid->position.x, predator->position.x));
        const double cross = num_to_double(boid->velocity.x) * num_to_double(predator->velocity.y) -
                             num_to_double(boid->velocity.y) * num_to_double(predator->velocity.x);
        assert_true(cross != 0);
    }
    trial_free(&few);
    trial_free(&many);
}

TEST(the_same_seed_places_the_same_and_another_elsewhere)
{
    static const uint64_t seeds[] = {0, 1, 2, 1000, UINT64_C(1) << 32, (UINT64_C(1) << 53) + 1, UINT64_MAX};
    enum { N = 50 };
    struct flock_model one_model = placed_model(N), other_model = one_model;
    for (size_t a = 0; a < COUNT(seeds); a++)
        for (size_t b = 0; b < COUNT(seeds); b++) {
            one_model.seed = seeds[a];
            other_model.seed = seeds[b];
            struct trial one = place(&one_model, FLOCK_HEADING), other = place(&other_model, FLOCK_HEADING);
            if (a == b)
                assert_true(same_agents(one.flock.boids, other.flock.boids, N));
            for (uint32_t i = 0; i < N && a != b; i++) {
                const struct flock_agent x = one.flock.boids[i], y = other.flock.boids[i];
                assert_memory_not_equal(&x.position, &y.position, sizeof x.position);
                assert_memory_not_equal(&x.velocity, &y.velocity, sizeof x.velocity);
            }
            trial_free(&one);
            trial_free(&other);
        }
}

/* Inside, and within the range of speeds. */

static void assert_inside(const struct flock_agent *agents, uint32_t count, const struct flock_params *params)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct flock_vec p = agents[i].position;
        assert_false(num_less(p.x, num_zero()) || num_less(params->x.length, p.x));
        assert_false(num_less(p.y, num_zero()) || num_less(params->y.length, p.y));
    }
}

TEST(all_are_placed_inside_the_world)
{
    static const double sizes[][2] = {{640, 480}, {1, 30000}, {0.01, 0.02}, {32767, 32767.9}};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        struct flock_model model = placed_model(MANY);
        model.world.width = sizes[k][0];
        model.world.height = sizes[k][1];
        model.predator_count = 1000;
        struct trial trial = place(&model, FLOCK_HEADING);
        assert_inside(trial.flock.boids, MANY, &trial.params);
        assert_inside(trial.flock.predators, 1000, &trial.params);
        trial_free(&trial);
    }
}

/* In ten rings of equal area. */
TEST(in_a_disc_all_are_placed_inside_and_uniformly)
{
    struct flock_model model = placed_model(MANY);
    uint32_t found[10] = {0};
    double squared = 0;
    model.world.height = model.world.width;
    model.world.shape = FLOCK_DISC;
    struct trial trial = place(&model, FLOCK_HEADING);
    for (uint32_t i = 0; i < MANY + model.predator_count; i++) {
        const struct flock_vec p =
            i < MANY ? trial.flock.boids[i].position : trial.flock.predators[i - MANY].position;
        const double share =
            (pow(num_to_double(p.x) - 320, 2) + pow(num_to_double(p.y) - 320, 2)) / (320 * 320);
        assert_true(share <= 1);
        found[share < 1 ? (int)(10 * share) : 9] += i < MANY;
    }
    for (size_t k = 0; k < COUNT(found); k++)
        squared += pow(found[k] - MANY / 10.0, 2) / (MANY / 10.0);
    assert_true(squared < 27.88);
    trial_free(&trial);
}

static double speed_of(const struct flock_agent *agent)
{
    return hypot(num_to_double(agent->velocity.x), num_to_double(agent->velocity.y));
}

/* A heading is a vector of length 1/4 to 1, whose root is rounded: in fixed point by a grain, 2^-14 of it
 * at most, and its scaled components by a grain each. Floats round the root, a quotient and two products. */
static void assert_speeds(const struct flock_agent *agents, uint32_t count, double low, double high)
{
    const double margin = IS_FIXED ? high / (1 << 14) + 2 * RELATIVE : 4 * grain(high);
    for (uint32_t i = 0; i < count; i++)
        assert_true(speed_of(&agents[i]) >= low - margin && speed_of(&agents[i]) <= high + margin);
}

TEST(boids_may_begin_in_one_direction_with_the_positions_and_speeds_of_others)
{
    struct flock_model model = placed_model(1000);
    model.init_speed[0] = 3;
    model.init_speed[1] = 6;
    struct flock_init_params start = flock_init_params_from_model(&model);
    struct trial random = place_from(&model, &start);
    model.init_direction = 210;
    start = flock_init_params_from_model(&model);
    struct trial ordered = place_from(&model, &start);
    for (uint32_t i = 0; i < 1000; i++) {
        const struct flock_agent *boid = &ordered.flock.boids[i];
        const double speed = speed_of(boid);
        assert_true(same_bits(boid->position.x, random.flock.boids[i].position.x));
        assert_true(fabs(speed - speed_of(&random.flock.boids[i])) < 1e-3);
        assert_true(fabs(num_to_double(boid->velocity.x) / speed + sqrt(0.75)) < 1e-3);
        assert_true(fabs(num_to_double(boid->velocity.y) / speed + 0.5) < 1e-3);
    }
    assert_true(same_agents(ordered.flock.predators, random.flock.predators, model.predator_count));
    trial_free(&random);
    trial_free(&ordered);
}

TEST(speeds_are_within_their_range)
{
    const struct flock_model model = placed_model(MANY);
    struct flock_init_params start = start_with(FLOCK_HEADING);
    struct trial trial = place_from(&model, &start);
    assert_speeds(trial.flock.boids, MANY, 3, 6);
    assert_speeds(trial.flock.predators, model.predator_count, 2, 4);
    trial_free(&trial);
    start.low = start.high = num_from_double(5);
    trial = place_from(&model, &start);
    assert_speeds(trial.flock.boids, MANY, 5, 5);
    trial_free(&trial);
    start.low = start.high = start.predator_low = start.predator_high = num_zero();
    trial = place_from(&model, &start);
    assert_speeds(trial.flock.boids, MANY, 0, 0);
    assert_speeds(trial.flock.predators, model.predator_count, 0, 0);
    trial_free(&trial);
}

TEST(components_are_within_their_range)
{
    const struct flock_model model = placed_model(MANY);
    struct trial trial = place(&model, FLOCK_COMPONENT);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(fabs(num_to_double(trial.flock.boids[i].velocity.x)) <= 0.75);
        assert_true(fabs(num_to_double(trial.flock.boids[i].velocity.y)) <= 0.75);
    }
    /* Predators keep heading. */
    assert_speeds(trial.flock.predators, model.predator_count, 2, 4);
    trial_free(&trial);
}

/* Uniform. */

/* The index of the part of [low, high], divided into n equal parts, that contains a value; `high` belongs to the last. */
static uint32_t part_of(double value, double low, double high, uint32_t n)
{
    const double part = floor((value - low) / (high - low) * n);
    return part < 0 ? 0 : part >= n ? n - 1 : (uint32_t)part;
}

static void assert_uniform(const uint32_t *counts, uint32_t n, double critical, const char *what)
{
    const double expected = (double)MANY / n;
    double chi_square = 0;
    for (uint32_t k = 0; k < n; k++)
        chi_square += (counts[k] - expected) * (counts[k] - expected) / expected;
    if (chi_square >= critical)
        fail_msg("chi-square of the %s is %.2f; it must be below %.2f", what, chi_square, critical);
}

TEST(directions_and_speeds_are_uniform)
{
    const struct flock_model model = placed_model(MANY);
    const double pi = acos(-1);
    uint32_t sectors[16] = {0}, speeds[10] = {0};
    struct trial trial = place(&model, FLOCK_HEADING);
    for (uint32_t i = 0; i < MANY; i++) {
        const struct flock_agent *boid = &trial.flock.boids[i];
        const double angle = atan2(num_to_double(boid->velocity.y), num_to_double(boid->velocity.x));
        sectors[part_of(angle, -pi, pi, 16)]++;
        speeds[part_of(speed_of(boid), 3, 6, 10)]++;
    }
    assert_uniform(sectors, 16, 37.70, "directions");
    assert_uniform(speeds, 10, 27.88, "speeds");
    trial_free(&trial);
}

TEST(positions_and_components_are_uniform)
{
    const struct flock_model model = placed_model(MANY);
    uint32_t places[64] = {0}, velocities[64] = {0}, crossed[64] = {0};
    struct trial trial = place(&model, FLOCK_COMPONENT);
    for (uint32_t i = 0; i < MANY; i++) {
        const struct flock_agent *boid = &trial.flock.boids[i];
        const uint32_t x = part_of(num_to_double(boid->position.x), 0, 640, 8);
        const uint32_t y = part_of(num_to_double(boid->position.y), 0, 480, 8);
        const uint32_t vx = part_of(num_to_double(boid->velocity.x), -0.75, 0.75, 8);
        const uint32_t vy = part_of(num_to_double(boid->velocity.y), -0.75, 0.75, 8);
        places[x + 8 * y]++;
        velocities[vx + 8 * vy]++;
        /* Positions and velocities are independent. */
        crossed[x + 8 * vx]++;
    }
    assert_uniform(places, 64, 103.44, "positions");
    assert_uniform(velocities, 64, 103.44, "velocities");
    assert_uniform(crossed, 64, 103.44, "x with vx");
    trial_free(&trial);
}

/* Successive boids are independent, and so are successive seeds. */
TEST(neighbouring_ids_and_seeds_are_independent)
{
    struct flock_model model = placed_model(MANY), next = model;
    next.seed = SEED + 1;
    uint32_t ids[64] = {0}, seeds[64] = {0};
    struct trial one = place(&model, FLOCK_HEADING), other = place(&next, FLOCK_HEADING);
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t x = part_of(num_to_double(one.flock.boids[i].position.x), 0, 640, 8);
        const uint32_t follower = (i + 1) % MANY;
        ids[x + 8 * part_of(num_to_double(one.flock.boids[follower].position.x), 0, 640, 8)]++;
        seeds[x + 8 * part_of(num_to_double(other.flock.boids[i].position.x), 0, 640, 8)]++;
    }
    assert_uniform(ids, 64, 103.44, "x of boids in a row");
    assert_uniform(seeds, 64, 103.44, "x of seeds in a row");
    trial_free(&one);
    trial_free(&other);
}

SUITE(GROUP("place"))
