/* Claims about lengths whose squares are out of range: sums of fixed-point numbers, and very small and very large floats. */
#include "support.h"

#define AT_REST agent_at(0, 0, 0, 0)

enum { MANY = 60 };

/* Boid 0 is at the origin with this velocity; the others are at one place with another velocity. */
static struct flock_agent step_before_crowd(const struct flock_model *model, struct flock_agent boid,
                                            struct flock_agent other)
{
    struct trial trial = trial_create(model);
    trial.flock.boids[0] = boid;
    for (uint32_t i = 1; i < trial.flock.count; i++)
        trial.flock.boids[i] = other;
    for (uint32_t i = 0; i < trial.flock.predator_count; i++)
        trial.flock.predators[i] = other;
    trial_step(&trial);
    const struct flock_agent moved = trial.flock.boids[0];
    trial_free(&trial);
    return moved;
}

static void assert_velocity(struct flock_agent agent, double vx, double vy)
{
    assert_near(agent.velocity.x, vx, fabs(vx) * 1e-5 + grain(1));
    assert_near(agent.velocity.y, vy, fabs(vy) * 1e-5 + 4 * grain(1));
}

/* The sum of 60 offsets of (640, 100) is (38400, 6000), which a Q16.16 number cannot hold. */
TEST(a_sum_that_is_too_large_for_a_number_keeps_its_direction)
{
    const struct flock_agent crowd = agent_at(640, 100, 0, 0);
    struct flock_model model = plain_model(MANY + 1);
    model.cohesion = (struct flock_rule_model){.radius = 1000, .factor = 0x1p-14, .normalise = FLOCK_BY_SUM};
    EACH_UPDATE(model)
    if (model.update != FLOCK_SHUFFLED)
        assert_velocity(step_before_crowd(&model, AT_REST, crowd), 2.34375, 0.3662109375);
    model.cohesion.factor = 0.5; /* its product is cut, but (38400, 6000) / 2 is in range */
    model.update = FLOCK_SYNCHRONOUS;
    assert_velocity(step_before_crowd(&model, AT_REST, crowd), 19200, 3000);
    model.cohesion.factor = 0;
    model.separation = rule_of(1000, 0x1p-14);
    assert_velocity(step_before_crowd(&model, AT_REST, crowd), -2.34375, -0.3662109375);
}

TEST(sums_of_velocities_keep_their_direction)
{
    const struct flock_agent crowd = agent_at(4, 0, 640, 100);
    struct flock_model model = plain_model(MANY + 1);
    model.alignment = (struct flock_rule_model){.radius = 10, .factor = 0x1p-14, .normalise = FLOCK_BY_SUM};
    for (int form = FLOCK_DIFFERENCE; form <= FLOCK_LATEST; form++) {
        model.alignment_form = (enum flock_alignment_form)form;
        assert_velocity(step_before_crowd(&model, AT_REST, crowd), 2.34375, 0.3662109375);
    }
    /* 60 times (v_j - v_i): (640, 100) - (-640, -100) has the sum (76800, 12000). */
    model.alignment_form = FLOCK_DIFFERENCE;
    assert_velocity(step_before_crowd(&model, agent_at(0, 0, -640, -100), crowd), -640 + 4.6875,
                    -100 + 0.732421875);
}

TEST(steering_and_fleeing_keep_the_direction_of_a_large_sum)
{
    const struct flock_agent crowd = agent_at(600, 800, 0, 0);
    struct flock_model model = plain_model(MANY + 1);
    model.cohesion = (struct flock_rule_model){.radius = 2000, .factor = 1, .normalise = FLOCK_BY_SUM};
    model.steering = FLOCK_REYNOLDS;
    model.max_speed = 5;
    model.max_force = 10;
    assert_velocity(step_before_crowd(&model, AT_REST, crowd), 3, 4);
    model = plain_model(1);
    model.predator_count = MANY;
    model.predator_radius = 2000;
    model.predator_turn_factor = 5;
    model.predator_form = FLOCK_FLEE_UNIT;
    assert_velocity(step_before_crowd(&model, AT_REST, crowd), -3, -4);
}

/* Fixed point has no numbers as small or large as the following ones. */
#if !defined FLOCK_FIXED_CORE

/* The square of `tiny` is 0 and that of `small` has lost bits; the square of `huge` is infinite. */
#if defined FLOCK_FLOAT32_CORE
static const double tiny = 0x1p-100, small = 0x1p-70, huge = 0x1p90;
#else
static const double tiny = 0x1p-700, small = 0x1p-530, huge = 0x1p600;
#endif

/* The direction of a step; every length has the components 0.6 and 0.8. */
static void assert_direction(struct flock_agent agent, double length)
{
    assert_near(agent.velocity.x, 0.6 * length, 1e-5 * length);
    assert_near(agent.velocity.y, 0.8 * length, 1e-5 * length);
}

TEST(a_boid_that_hardly_moves_gets_the_minimum_speed)
{
    struct flock_model model = plain_model(2);
    model.min_speed = 2;
    EACH_UPDATE(model)
    for (int k = 0; k < 2; k++) {
        const double speed = k == 0 ? tiny : small;
        const struct flock_agent slow = agent_at(0, 0, 0.6 * speed, 0.8 * speed), rest = agent_at(9, 0, 0, 0);
        assert_direction(step_before_crowd(&model, slow, rest), 2);
        assert_velocity(step_before_crowd(&model, rest, slow), 0, 0);
    }
}

TEST(goals_at_any_distance_have_a_direction)
{
    const double distances[] = {tiny, small, 5, huge};
    struct flock_model model = plain_model(2);
    model.goal_factor = 2;
    model.goal_radius = NAN;
    EACH_UPDATE(model)
    for (size_t k = 0; k < COUNT(distances); k++) {
        model.goals = (struct flock_points){1, {{0.6 * distances[k], 0.8 * distances[k]}}};
        model.goal_form = FLOCK_GOAL_UNIT;
        assert_direction(step_before_crowd(&model, AT_REST, agent_at(9, 9, 0, 0)), 2);
        /* The old velocity becomes a unit vector, too. */
        model.goal_form = FLOCK_GOAL_BALANCED;
        const struct flock_agent slow = agent_at(0, 0, 0.6 * tiny, 0.8 * tiny);
        assert_direction(step_before_crowd(&model, slow, agent_at(9, 9, 0, 0)), 3);
    }
}

TEST(unit_vectors_of_near_neighbours_have_length_1)
{
    struct flock_model model = plain_model(2);
    for (int k = 0; k < 2; k++) {
        const double d = k == 0 ? tiny : small;
        const struct flock_agent other = agent_at(0.6 * d, 0.8 * d, 0, 0);
        model.separation = rule_of(8, -2);
        model.separation_form = FLOCK_UNIT;
        model.cohesion = (struct flock_rule_model){0};
        assert_direction(step_before_crowd(&model, AT_REST, other), 2);
        model.separation = (struct flock_rule_model){0};
        model.cohesion = rule_of(8, 2);
        model.cohesion_form = FLOCK_COHESION_UNIT;
        assert_direction(step_before_crowd(&model, AT_REST, other), 2);
        model.cohesion_form = FLOCK_COHESION_OFFSET;
        model.cohesion.normalise = FLOCK_BY_LENGTH;
        assert_direction(step_before_crowd(&model, AT_REST, other), 2);
    }
}

TEST(boids_flee_from_predators_at_nearly_the_same_place)
{
    struct flock_model model = plain_model(1);
    model.predator_count = 1;
    model.predator_radius = 8;
    model.predator_turn_factor = 2;
    model.predator_form = FLOCK_FLEE_UNIT;
    const struct flock_agent hunter = agent_at(-0.6 * tiny, -0.8 * tiny, 0, 0);
    assert_direction(step_before_crowd(&model, AT_REST, hunter), 2);
}

/* With `reynolds`, the desired velocity and the force have a direction, however short they are. */
TEST(steering_turns_a_short_vector_into_a_velocity)
{
    struct flock_model model = plain_model(2);
    model.steering = FLOCK_REYNOLDS;
    model.max_speed = 4;
    model.max_force = 2;
    model.cohesion = rule_of(8, 1);
    const struct flock_agent other = agent_at(0.6 * tiny, 0.8 * tiny, 0, 0);
    assert_direction(step_before_crowd(&model, AT_REST, other), 2);
}

/* A boid is at rest only if its velocity is zero: a slow boid has a view. */
TEST(a_slow_boid_sees_only_its_view)
{
    struct flock_model model = plain_model(2);
    model.alignment = (struct flock_rule_model){.radius = 8, .factor = 1, .view = 180};
    model.alignment_form = FLOCK_MEAN;
    const struct flock_agent slow = agent_at(0, 0, tiny, 0), behind = agent_at(-4, 1, 0, 3);
    assert_velocity(step_before_crowd(&model, slow, behind), 0, 0);
    assert_velocity(step_before_crowd(&model, AT_REST, behind), 0, 3);
}

TEST(a_slow_boid_turns_by_at_most_the_largest_turn)
{
    struct flock_model model = plain_model(2);
    model.max_turn = 90;
    model.alignment = rule_of(8, 1);
    for (int k = 0; k < 2; k++) {
        /* The mean velocity would turn it by 126.9 degrees. */
        const double speed = k == 0 ? tiny : small;
        const struct flock_agent boid = agent_at(0, 0, speed, 0),
                                 other = agent_at(1, 0, -0.6 * speed, 0.8 * speed);
        const struct flock_agent moved = step_before_crowd(&model, boid, other);
        assert_near(moved.velocity.x, 0, 1e-5 * speed);
        assert_near(moved.velocity.y, speed, 1e-5 * speed);
    }
}

#endif

SUITE("extreme lengths")
