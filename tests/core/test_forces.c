/* Claims about what acts on a boid beside its flock: wind. */
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wind_carries_everybody_along_and_changes_no_velocity),
        cmocka_unit_test(the_wind_carries_an_explicit_step_too),
    };
    return cmocka_run_group_tests_name(GROUP("forces"), tests, NULL, NULL);
}
