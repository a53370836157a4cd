/* Claims about what acts on a boid beside its flock: wind, goals. */
#include "support.h"

/* For each order of turns. */
#define EACH_UPDATE(model) \
    for (int u = FLOCK_SYNCHRONOUS; u <= FLOCK_PASSES && ((model).update = (enum flock_update)u, true); u++)

static void the_wind_carries_everybody_along_and_changes_no_velocity(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.predator_count = 1;
    model.max_speed = 5;
    model.world.wind[0] = 0.5;
    model.world.wind[1] = -8;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(50, 50, 6, 8);
        trial.flock.predators[0] = agent_at(20, 30, 0, 1);
        trial_step(&trial);
        assert_agent(&trial.flock.boids[0], 53.5, 46, 3, 4);
        assert_agent(&trial.flock.predators[0], 20.5, 23, 0, 1);
        trial_free(&trial);
    }
}

/* The old velocity, and the wind that is. */
static void the_wind_carries_an_explicit_step_too(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.integrator = FLOCK_EXPLICIT;
    model.max_speed = 5;
    model.world.border = FLOCK_REFLECT;
    model.world.wind[0] = 2;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(95, 50, 6, 8);
        trial_step(&trial);
        assert_agent(&trial.flock.boids[0], 97, 58, -3, 4);
        trial_free(&trial);
    }
}

/* Goals. */

static struct flock_model seeking_model(double factor, enum flock_goal_form form)
{
    struct flock_model model = plain_model(1);
    model.goals = (struct flock_points){2, {{48, 64}, {16, 0}}};
    model.goal_factor = factor;
    model.goal_form = form;
    model.goal_radius = NAN;
    return model;
}

/* The boid after one step. */
static void assert_flight(const struct flock_model *model, struct flock_agent boid, double x, double y,
                          double vx, double vy)
{
    struct trial trial = trial_create(model);
    trial.flock.boids[0] = boid;
    trial_step(&trial);
    assert_agent(&trial.flock.boids[0], x, y, vx, vy);
    trial_free(&trial);
}

static void a_boid_seeks_the_nearest_goal(void **state)
{
    struct flock_model model = seeking_model(2, FLOCK_GOAL_OFFSET);
    (void)state;
    EACH_UPDATE(model)
    {
        assert_flight(&model, agent_at(45, 60, 1, 0), 52, 68, 7, 8);
        assert_flight(&model, agent_at(16, 4, 0, 0), 16, -4, 0, -8);
    }
    model.goal_form = FLOCK_GOAL_UNIT;
    model.goal_factor = 5;
    EACH_UPDATE(model)
    {
        /* At rest on the goal: there is no way to it. */
        assert_flight(&model, agent_at(48, 64, 0, 0), 48, 64, 0, 0);
        assert_flight(&model, agent_at(48, 60, 1, 0), 49, 65, 1, 5);
    }
}

static void of_two_goals_as_near_the_first_counts(void **state)
{
    struct flock_model model = seeking_model(1, FLOCK_GOAL_OFFSET);
    (void)state;
    EACH_UPDATE(model)
    assert_flight(&model, agent_at(32, 32, 0, 0), 48, 64, 16, 32);
}

static void a_goal_draws_from_within_its_radius_alone(void **state)
{
    struct flock_model model = seeking_model(1, FLOCK_GOAL_OFFSET);
    (void)state;
    model.goal_radius = 5;
    EACH_UPDATE(model)
    {
        assert_flight(&model, agent_at(45, 60, 1, 0), 46, 60, 1, 0);
        assert_flight(&model, agent_at(45, 61, 1, 0), 49, 64, 4, 3);
    }
}

static void goals_by_turns_are_the_same_for_all(void **state)
{
    static const double due[] = {48, 48, 16, 16, 48};
    struct flock_model model = seeking_model(1, FLOCK_GOAL_OFFSET);
    (void)state;
    model.goal_every = 2;
    EACH_UPDATE(model)
    {
        for (uint64_t step = 0; step < COUNT(due); step++) {
            struct trial trial = trial_create(&model);
            trial.flock.step = step;
            trial.flock.boids[0] = agent_at(15, 0, 0, 0);
            trial_step(&trial);
            assert_near(trial.flock.boids[0].position.x, due[step], 0);
            trial_free(&trial);
        }
    }
}

/* Reynolds' seek: max_speed towards the goal, less the velocity, at most max_force. */
static void goals_are_steered_like_the_rules(void **state)
{
    struct flock_model model = seeking_model(0.5, FLOCK_GOAL_UNIT);
    (void)state;
    model.steering = FLOCK_REYNOLDS;
    model.max_speed = 8;
    model.max_force = 2;
    EACH_UPDATE(model)
    {
        assert_flight(&model, agent_at(48, 32, 0, 7), 48, 39.5, 0, 7.5);
        assert_flight(&model, agent_at(48, 32, 0, 4), 48, 37, 0, 5);
    }
}

static void a_goal_across_the_seam_of_a_torus_is_near(void **state)
{
    struct flock_model model = seeking_model(1, FLOCK_GOAL_OFFSET);
    (void)state;
    model.world = (struct flock_world_model){
        .width = 128, .height = 128, .border = FLOCK_WRAP, .distance = FLOCK_TORUS};
    EACH_UPDATE(model)
    assert_flight(&model, agent_at(16, 120, 0, 0), 16, 128, 0, 8);
}

/* A lone boid and a lone goal are an oscillator: x'' = -f x in steps, whose frequency w has 2 cos w = 2 - f. From rest at a it
 * is at a cos((t + 1/2) w) / cos(w/2) after t steps. */
static void a_lone_boid_swings_about_a_lone_goal(void **state)
{
    const double factor = 0.015625, amplitude = 16;
    const double w = acos(1 - factor / 2);
    struct flock_model model = seeking_model(factor, FLOCK_GOAL_OFFSET);
    (void)state;
    model.goals.count = 1;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(48 + amplitude, 64, 0, 0);
        for (int t = 1; t <= 200; t++) {
            trial_step(&trial);
            /* Each step rounds twice; what is lost in the phase grows by the step. */
            assert_near(trial.flock.boids[0].position.x, 48 + amplitude * cos((t + 0.5) * w) / cos(w / 2),
                        4 * t * grain(64));
            assert_num(trial.flock.boids[0].position.y, 64);
        }
        trial_free(&trial);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wind_carries_everybody_along_and_changes_no_velocity),
        cmocka_unit_test(the_wind_carries_an_explicit_step_too),
        cmocka_unit_test(a_boid_seeks_the_nearest_goal),
        cmocka_unit_test(of_two_goals_as_near_the_first_counts),
        cmocka_unit_test(a_goal_draws_from_within_its_radius_alone),
        cmocka_unit_test(goals_by_turns_are_the_same_for_all),
        cmocka_unit_test(goals_are_steered_like_the_rules),
        cmocka_unit_test(a_goal_across_the_seam_of_a_torus_is_near),
        cmocka_unit_test(a_lone_boid_swings_about_a_lone_goal),
    };
    return cmocka_run_group_tests_name(GROUP("forces"), tests, NULL, NULL);
}
