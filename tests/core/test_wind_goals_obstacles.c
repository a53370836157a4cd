/* Claims about wind, goals, obstacles and predators that hunt. */
#include "support.h"

#include "flock/flock.h"

/* For each update order. */
#define EACH_UPDATE(model) \
    for (int u = 0; u < FLOCK_COUNT(FLOCK_UPDATES) && ((model).update = (enum flock_update)u, true); u++)

static void the_wind_moves_all_agents_and_changes_no_velocity(void **state)
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

/* The old velocity, plus the present wind. */
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
        /* A boid at rest on the goal has no direction to it. */
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

static void a_goal_attracts_only_boids_within_its_radius(void **state)
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

static void goals_in_rotation_are_the_same_for_all_boids(void **state)
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

/* With `balanced`, only boids that have a way to their goal are scaled to length 1. */
static void a_boid_without_a_way_to_its_goal_is_not_scaled(void **state)
{
    struct flock_model model = seeking_model(0.5, FLOCK_GOAL_BALANCED);
    (void)state;
    model.goal_radius = 5;
    EACH_UPDATE(model)
    {
        assert_flight(&model, agent_at(48, 60, 4, 0), 49, 60.5, 1, 0.5);
        assert_flight(&model, agent_at(48, 59, 4, 0), 52, 59, 4, 0);
        assert_flight(&model, agent_at(100, 10, 0, 4), 100, 14, 0, 4);
        assert_flight(&model, agent_at(48, 64, 4, 0), 52, 64, 4, 0);
    }
}

/* The limit is that of the whole change, which includes the scaling by `balanced`; a limit that is not reached changes nothing. */
static void the_maximum_force_limits_the_change_by_a_balanced_goal(void **state)
{
    struct flock_model model = seeking_model(0.5, FLOCK_GOAL_BALANCED);
    (void)state;
    for (model.update = FLOCK_SYNCHRONOUS; model.update <= FLOCK_SEQUENTIAL; model.update++) {
        model.max_force = 1024;
        assert_flight(&model, agent_at(48, 32, 2, 0), 49, 32.5, 1, 0.5);
        model.inertia = 2;
        assert_flight(&model, agent_at(48, 32, 2, 0), 49, 32.5, 1, 0.5);
        /* Without the limit, (8, 0) would become (1.5, 0). */
        model.max_force = 2;
        assert_flight(&model, agent_at(40, 64, 4, 0), 46, 64, 6, 0);
        model.inertia = 1;
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

static void a_boid_turns_aside_from_an_obstacle_ahead(void **state)
{
    struct flock_model model = blocked_model(1);
    (void)state;
    EACH_UPDATE(model)
    {
        assert_flight(&model, agent_at(20, 44, 4, 0), 24, 43, 4, -1);
        assert_flight(&model, agent_at(20, 56, 4, 0), 24, 57, 4, 1);
        assert_flight(&model, agent_at(50, 90, 0, -2), 51, 88, 1, -2);
        /* Straight ahead: the boid passes it on the left. */
        assert_flight(&model, agent_at(20, 50, 4, 0), 24, 51, 4, 1);
        assert_flight(&model, agent_at(80, 50, -4, 0), 76, 49, -4, -1);
    }
}

static void obstacles_beside_behind_or_far_away_are_ignored(void **state)
{
    struct flock_model model = blocked_model(1);
    (void)state;
    EACH_UPDATE(model)
    {
        assert_flight(&model, agent_at(20, 34, 4, 0), 24, 34, 4, 0);
        assert_flight(&model, agent_at(62, 50, 4, 0), 66, 50, 4, 0);
        assert_flight(&model, agent_at(20, 50, 0, 0), 20, 50, 0, 0);
        /* It would be too near after 14 more steps. */
        model.obstacle_look_ahead = 3.5;
        assert_flight(&model, agent_at(20, 50, 4, 0), 24, 50, 4, 0);
        model.obstacle_look_ahead = 3.75;
        assert_flight(&model, agent_at(20, 50, 4, 0), 24, 51, 4, 1);
        model.obstacle_look_ahead = 20;
    }
}

/* The obstacle that would be reached first; of two at the same distance, the first in the list. */
static void the_nearest_obstacle_ahead_counts(void **state)
{
    struct flock_model model = blocked_model(1);
    (void)state;
    model.obstacles = (struct flock_obstacles){2, {{70, 54, 10}, {50, 46, 10}}};
    EACH_UPDATE(model)
    assert_flight(&model, agent_at(20, 50, 4, 0), 24, 51, 4, 1);
    model.obstacles = (struct flock_obstacles){2, {{50, 54, 10}, {50, 46, 10}}};
    EACH_UPDATE(model)
    assert_flight(&model, agent_at(20, 50, 4, 0), 24, 49, 4, -1);
}

static void an_obstacle_across_the_seam_of_a_torus_is_avoided(void **state)
{
    struct flock_model model = blocked_model(1);
    (void)state;
    model.world = (struct flock_world_model){
        .width = 128, .height = 128, .border = FLOCK_WRAP, .distance = FLOCK_TORUS};
    model.obstacles.of[0][0] = 4;
    EACH_UPDATE(model)
    {
        assert_flight(&model, agent_at(100, 44, 4, 0), 104, 43, 4, -1);
        model.obstacle_turn_factor = 0;
        assert_flight(&model, agent_at(116, 50, 8, 0), 122, 50, -8, 0);
        model.obstacle_turn_factor = 1;
    }
}

static void a_boid_that_hits_an_obstacle_bounces_off_its_rim(void **state)
{
    struct flock_model model = blocked_model(0);
    (void)state;
    EACH_UPDATE(model)
    {
        assert_flight(&model, agent_at(36, 50, 8, 0), 40, 50, -8, 0);
        assert_flight(&model, agent_at(50, 68, 0, -16), 50, 60, 0, 16);
        /* On the rim it is not inside. */
        assert_flight(&model, agent_at(36, 50, 4, 0), 40, 50, 4, 0);
        /* A boid inside that moves outward is moved to the edge and continues. */
        assert_flight(&model, agent_at(44, 50, -1, 0), 40, 50, -1, 0);
        /* The very centre. */
        assert_flight(&model, agent_at(46, 50, 4, 0), 40, 50, -4, 0);
        assert_flight(&model, agent_at(50, 50, 0, 0), 60, 50, 0, 0);
    }
}

static double speed_of(const struct flock_agent *agent)
{
    return hypot(num_to_double(agent->velocity.x), num_to_double(agent->velocity.y));
}

static void a_contact_changes_no_speed(void **state)
{
    struct flock_model model = blocked_model(0);
    uint64_t seed = 7;
    (void)state;
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
static void no_boid_is_ever_inside_an_obstacle(void **state)
{
    struct flock_model model = plain_model(60);
    (void)state;
    model.world = (struct flock_world_model){
        .width = 160, .height = 120, .border = FLOCK_WRAP, .distance = FLOCK_TORUS, .wind = {0.5, 0.25}};
    model.min_speed = 3;
    model.max_speed = 6;
    model.separation = (struct flock_rule_model){.radius = 8, .factor = 0.05};
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
static void a_mirrored_world_gives_a_mirrored_run(void **state)
{
    struct flock_model model = blocked_model(0.5);
    (void)state;
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

/* Hunters. */

static struct flock_model hunted_model(enum flock_hunt hunt)
{
    struct flock_model model = plain_model(3);
    model.predator_count = 1;
    model.hunt = hunt;
    model.hunt_factor = 2;
    return model;
}

/* The predator after a step in which the boids move as well. */
static void assert_hunts(const struct flock_model *model, const struct flock_agent boids[3],
                         struct flock_agent predator, double x, double y, double vx, double vy)
{
    struct trial trial = trial_create(model);
    memcpy(trial.flock.boids, boids, 3 * sizeof *boids);
    trial.flock.predators[0] = predator;
    trial_step(&trial);
    assert_agent(&trial.flock.predators[0], x, y, vx, vy);
    trial_free(&trial);
}

static void a_predator_turns_to_the_current_position_of_the_nearest_boid(void **state)
{
    /* The second boid enters the radius in this step, the third one leaves it. */
    const struct flock_agent boids[3] = {agent_at(90, 20, 0, 0), agent_at(50, 70, 0, -30),
                                         agent_at(30, 20, -20, 0)};
    struct flock_model model = hunted_model(FLOCK_HUNT_NEAREST);
    (void)state;
    EACH_UPDATE(model)
    {
        assert_hunts(&model, boids, agent_at(50, 10, 1, 0), 51, 12, 1, 2);
        model.integrator = FLOCK_EXPLICIT;
        assert_hunts(&model, boids, agent_at(50, 10, 1, 0), 51, 10, 1, 2);
        model.integrator = FLOCK_SEMI_IMPLICIT;
    }
}

static void of_two_boids_as_near_the_lower_id_is_hunted(void **state)
{
    const struct flock_agent boids[3] = {agent_at(90, 90, 0, 0), agent_at(60, 50, 0, 0),
                                         agent_at(40, 50, 0, 0)};
    struct flock_model model = hunted_model(FLOCK_HUNT_NEAREST);
    (void)state;
    EACH_UPDATE(model)
    {
        assert_hunts(&model, boids, agent_at(50, 50, 0, 0), 52, 50, 2, 0);
        /* A predator on the prey has no direction to it. */
        assert_hunts(&model, boids, agent_at(40, 50, 0, 1), 40, 51, 0, 1);
    }
}

static void a_predator_turns_to_the_centre_across_the_seam(void **state)
{
    const struct flock_agent boids[3] = {agent_at(120, 64, 0, 0), agent_at(6, 64, 0, 0),
                                         agent_at(12, 64, 0, 0)};
    struct flock_model model = hunted_model(FLOCK_HUNT_CENTRE);
    (void)state;
    EACH_UPDATE(model)
    assert_hunts(&model, boids, agent_at(16, 64, 0, 0), 18, 64, 2, 0);
    model.world = (struct flock_world_model){
        .width = 128, .height = 128, .border = FLOCK_WRAP, .distance = FLOCK_TORUS};
    EACH_UPDATE(model)
    assert_hunts(&model, boids, agent_at(16, 64, 0, 0), 14, 64, -2, 0);
}

static void predators_have_their_own_speed_limits(void **state)
{
    const struct flock_agent boids[3] = {agent_at(90, 90, 6, 8), agent_at(60, 50, 0, 0),
                                         agent_at(40, 50, 0, 0)};
    struct flock_model model = hunted_model(FLOCK_HUNT_NONE);
    (void)state;
    model.max_speed = 5;
    EACH_UPDATE(model)
    {
        assert_hunts(&model, boids, agent_at(50, 50, 6, 8), 53, 54, 3, 4);
        model.predator_max_speed = (struct flock_speed_limit){true, NAN};
        assert_hunts(&model, boids, agent_at(50, 50, 6, 8), 56, 58, 6, 8);
        model.predator_min_speed = (struct flock_speed_limit){true, 20};
        assert_hunts(&model, boids, agent_at(50, 50, 6, 8), 62, 66, 12, 16);
        model.predator_min_speed = model.predator_max_speed = (struct flock_speed_limit){false, 0};
    }
}

static void a_boid_may_flee_straight_away(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.predator_count = 2;
    model.predator_radius = 20;
    model.predator_turn_factor = 5;
    model.predator_form = FLOCK_FLEE_UNIT;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(50, 50, 1, 0);
        trial.flock.predators[0] = agent_at(53, 46, 0, 0);
        trial.flock.predators[1] = agent_at(56, 42, 0, 0);
        trial_step(&trial);
        const double margin = IS_FIXED ? 2 * RELATIVE : 8 * grain(50);
        assert_near(trial.flock.boids[0].velocity.x, -2, margin);
        assert_near(trial.flock.boids[0].velocity.y, 4, margin);
        trial.flock.boids[0] = agent_at(53, 46, 1, 0);
        trial.flock.predators[0] = trial.flock.predators[1] = agent_at(53, 46, 0, 0);
        trial_step(&trial);
        assert_agent(&trial.flock.boids[0], 54, 46, 1, 0);
        trial_free(&trial);
    }
}

/* A step without forces has its own code: an option missing in this condition would have no effect. */
static void the_features_that_a_model_needs_are_detected(void **state)
{
    struct flock_model models[18];
    size_t n = 0;
    (void)state;
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
        const struct flock_params own = params_for(&models[k]),
                                  theirs = flock_params_from_model(&models[k], models[k].boid_count);
        const bool is_simple_motion = k == 0 || k == n - 1, is_simple_steering = is_simple_motion || k < 9;
        assert_true(own.is_simple_motion == is_simple_motion && theirs.is_simple_motion == is_simple_motion);
        assert_true(own.is_simple_steering == is_simple_steering &&
                    theirs.is_simple_steering == is_simple_steering);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wind_moves_all_agents_and_changes_no_velocity),
        cmocka_unit_test(the_wind_carries_an_explicit_step_too),
        cmocka_unit_test(a_boid_seeks_the_nearest_goal),
        cmocka_unit_test(of_two_goals_as_near_the_first_counts),
        cmocka_unit_test(a_goal_attracts_only_boids_within_its_radius),
        cmocka_unit_test(goals_in_rotation_are_the_same_for_all_boids),
        cmocka_unit_test(goals_are_steered_like_the_rules),
        cmocka_unit_test(a_boid_without_a_way_to_its_goal_is_not_scaled),
        cmocka_unit_test(the_maximum_force_limits_the_change_by_a_balanced_goal),
        cmocka_unit_test(a_goal_across_the_seam_of_a_torus_is_near),
        cmocka_unit_test(a_lone_boid_swings_about_a_lone_goal),
        cmocka_unit_test(a_boid_turns_aside_from_an_obstacle_ahead),
        cmocka_unit_test(obstacles_beside_behind_or_far_away_are_ignored),
        cmocka_unit_test(the_nearest_obstacle_ahead_counts),
        cmocka_unit_test(an_obstacle_across_the_seam_of_a_torus_is_avoided),
        cmocka_unit_test(a_boid_that_hits_an_obstacle_bounces_off_its_rim),
        cmocka_unit_test(a_contact_changes_no_speed),
        cmocka_unit_test(no_boid_is_ever_inside_an_obstacle),
        cmocka_unit_test(a_mirrored_world_gives_a_mirrored_run),
        cmocka_unit_test(a_predator_turns_to_the_current_position_of_the_nearest_boid),
        cmocka_unit_test(of_two_boids_as_near_the_lower_id_is_hunted),
        cmocka_unit_test(a_predator_turns_to_the_centre_across_the_seam),
        cmocka_unit_test(predators_have_their_own_speed_limits),
        cmocka_unit_test(a_boid_may_flee_straight_away),
        cmocka_unit_test(the_features_that_a_model_needs_are_detected),
    };
    return cmocka_run_group_tests_name(GROUP("forces"), tests, NULL, NULL);
}
