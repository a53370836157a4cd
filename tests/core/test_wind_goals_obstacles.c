/* Claims about goals and obstacles over many steps; scenes.txt has those about one step. */
#include "support.h"

#include "flock/flock.h"

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

/* A lone boid and a lone goal are an oscillator: x'' = -f x in steps, whose frequency w has 2 cos w = 2 - f. From rest at a it
 * is at a cos((t + 1/2) w) / cos(w/2) after t steps. */
TEST(a_lone_boid_swings_about_a_lone_goal)
{
    const double factor = 0.015625, amplitude = 16;
    const double w = acos(1 - factor / 2);
    struct flock_model model = seeking_model(factor, FLOCK_GOAL_OFFSET);
    model.goals.count = 1;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(48 + amplitude, 64, 0, 0);
        for (int t = 1; t <= 200; t++) {
            trial_step(&trial);
            /* Each step rounds twice; the error of the phase grows with each step. */
            assert_near(trial.flock.boids[0].position.x, 48 + amplitude * cos((t + 0.5) * w) / cos(w / 2),
                        4 * t * grain(64));
            assert_num(trial.flock.boids[0].position.y, 64);
        }
        trial_free(&trial);
    }
}

/* Obstacles. */

/* A circle of radius 10 at (50, 50), with a clearance that makes 16. */
static struct flock_model blocked_model(double turn_factor)
{
    struct flock_model model = plain_model(1);
    model.obstacles = (struct flock_obstacles){1, {{50, 50, 10}}};
    model.obstacle_clearance = 6;
    model.obstacle_look_ahead = 20;
    model.obstacle_turn_factor = turn_factor;
    return model;
}

static double speed_of(const struct flock_agent *agent)
{
    return hypot(num_to_double(agent->velocity.x), num_to_double(agent->velocity.y));
}

TEST(a_contact_changes_no_speed)
{
    struct flock_model model = blocked_model(0);
    uint64_t seed = 7;
    for (int round = 0; round < 500; round++) {
        const double x = between(&seed, 30, 70), y = between(&seed, 30, 70);
        const double vx = between(&seed, -20, 20), vy = between(&seed, -20, 20);
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(x, y, vx, vy);
        const double before = speed_of(&trial.flock.boids[0]);
        trial_step(&trial);
        /* A direction has an error of one grain, a velocity of `speed` grains. */
        assert_true(fabs(speed_of(&trial.flock.boids[0]) - before) <=
                    4 * (IS_FIXED ? 30 * RELATIVE : grain(30)));
        trial_free(&trial);
    }
}

static double depth_of(const struct flock_model *model, const struct flock_agent *agent)
{
    double deepest = 0;
    for (uint32_t k = 0; k < model->obstacles.count; k++) {
        const double *circle = model->obstacles.of[k];
        double x = num_to_double(agent->position.x) - circle[0],
               y = num_to_double(agent->position.y) - circle[1];
        x = remainder(x, model->world.width);
        y = remainder(y, model->world.height);
        deepest = fmax(deepest, circle[2] - hypot(x, y));
    }
    return deepest;
}

/* A dense flock and two predators among three circles, one of them across the border, with little avoidance. */
TEST(no_boid_is_ever_inside_an_obstacle)
{
    struct flock_model model = plain_model(60);
    model.world = (struct flock_world_model){
        .width = 160, .height = 120, .border = FLOCK_WRAP, .distance = FLOCK_TORUS, .wind = {0.5, 0.25}};
    model.min_speed = 3;
    model.max_speed = 6;
    model.separation = rule_of(8, 0.05);
    model.alignment = (struct flock_rule_model){.radius = 30, .inner_radius = 8, .factor = 0.05};
    model.cohesion = (struct flock_rule_model){.radius = 30, .inner_radius = 8, .factor = 0.0005};
    model.predator_count = 2;
    model.predator_radius = 25;
    model.predator_turn_factor = 0.5;
    model.obstacles = (struct flock_obstacles){3, {{40, 40, 12}, {100, 80, 20}, {155, 10, 15}}};
    model.obstacle_look_ahead = 1;
    model.obstacle_turn_factor = 0.25;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        uint64_t seed = 11;
        for (uint32_t i = 0; i < 62; i++)
            (i < 60 ? &trial.flock.boids[i] : &trial.flock.predators[i - 60])[0] =
                random_agent(&seed, 160, 120, 5);
        for (int t = 0; t < 300; t++) {
            trial_step(&trial);
            for (uint32_t i = 0; i < 62; i++) {
                const struct flock_agent *agent =
                    i < 60 ? &trial.flock.boids[i] : &trial.flock.predators[i - 60];
                assert_true(depth_of(&model, agent) <= 4 * grain(160));
                assert_true(speed_of(agent) > 2.99 && speed_of(agent) < 6.01);
            }
        }
        trial_free(&trial);
    }
}

/* Upside down: each boid for itself, for the sums of neighbours run by cell. In fixed point products that are rounded down
 * break the mirror by a grain at a time; with this seed no boid comes so near to a rim that the grain matters. */
TEST(a_mirrored_world_gives_a_mirrored_run)
{
    struct flock_model model = blocked_model(0.5);
    model.boid_count = 40;
    model.goals = (struct flock_points){1, {{90, 20}}};
    model.goal_factor = 0.25;
    model.goal_radius = NAN;
    model.max_speed = 3;
    model.world.wind[1] = 0.5;
    struct flock_model mirrored = model;
    mirrored.obstacles.of[0][1] = -50;
    mirrored.goals.of[0][1] = -20;
    mirrored.world.wind[1] = -0.5;
    EACH_UPDATE(model)
    {
        mirrored.update = model.update;
        struct trial here = trial_create(&model), there = trial_create(&mirrored);
        uint64_t seed = 4;
        for (uint32_t i = 0; i < model.boid_count; i++) {
            struct flock_agent boid = random_agent(&seed, 90, 90, 3);
            here.flock.boids[i] = boid;
            boid.position.y = num_subtract(num_zero(), boid.position.y);
            boid.velocity.y = num_subtract(num_zero(), boid.velocity.y);
            there.flock.boids[i] = boid;
        }
        for (int t = 1; t <= 40; t++) {
            trial_step(&here);
            trial_step(&there);
            for (uint32_t i = 0; i < model.boid_count; i++) {
                const struct flock_agent *a = &here.flock.boids[i], *b = &there.flock.boids[i];
                const double margin = IS_FIXED ? 20 * t * RELATIVE : 0;
                assert_near(a->position.x, num_to_double(b->position.x), margin);
                assert_near(a->position.y, -num_to_double(b->position.y), margin);
                assert_near(a->velocity.y, -num_to_double(b->velocity.y), margin);
            }
        }
        trial_free(&here);
        trial_free(&there);
    }
}

/* A step without forces has its own code: an option missing in this condition would have no effect. */
TEST(the_features_that_a_model_needs_are_detected)
{
    struct flock_model models[18];
    size_t n = 0;
    for (; n < COUNT(models); n++)
        models[n] = plain_model(2);
    n = 1;
    models[n++].world.wind[0] = 1;
    models[n++].world.wind[1] = -1;
    models[n++].noise_eta = 1;
    models[n++].noise_vector = 1;
    models[n++].max_turn = 10;
    models[n++].goals.count = 1;
    models[n++].obstacles.count = 1;
    models[n++].predator_form = FLOCK_FLEE_UNIT;
    models[n++].max_force = 1;
    models[n++].means = FLOCK_WITH_SELF;
    models[n++].inertia = 0.5;
    models[n++].priority = FLOCK_SEPARATION_FIRST;
    models[n++].alignment_form = FLOCK_LATEST;
    models[n++].separation.normalise = FLOCK_BY_MEAN;
    models[n++].alignment.normalise = FLOCK_BY_SUM;
    models[n++].cohesion.normalise = FLOCK_BY_SUM;
    models[n].max_force = 1;
    models[n].alignment_form = FLOCK_MEAN;
    models[n++].steering = FLOCK_REYNOLDS;
    assert_int_equal(n, COUNT(models));
    for (size_t k = 0; k < n; k++) {
        const struct flock_params params = flock_params_from_model(&models[k], models[k].boid_count);
        const bool is_simple_motion = k == 0 || k == n - 1, is_simple_steering = is_simple_motion || k < 9;
        assert_int_equal(params.is_simple_motion, is_simple_motion);
        assert_int_equal(params.is_simple_steering, is_simple_steering);
    }
}

SUITE(GROUP("forces"))
