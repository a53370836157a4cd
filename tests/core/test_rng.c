/* Claims about random numbers inside a turn: keyed by (seed, purpose, step, id), and nothing else. */
#include "support.h"

#include "rng.h"

enum { IDS = 1000, STEPS = 200 };

static uint64_t draw(uint64_t seed, enum flock_purpose purpose, uint64_t step, uint32_t id)
{
    return lane_draw(flock_rng_moment(seed, purpose, step), id);
}

/* Written out from the formula: the step before the id. */
static void a_draw_is_the_published_mixer_over_its_key(void **state)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    (void)state;
    uint64_t z = flock_rng_mix(11 + golden);
    z = flock_rng_mix((z ^ FLOCK_PREDATOR_VELOCITY) + golden);
    z = flock_rng_mix((z ^ 500) + golden);
    z = flock_rng_mix((z ^ 7) + golden);
    assert_true(draw(11, FLOCK_PREDATOR_VELOCITY, 500, 7) == flock_rng_mix(z + golden));
}

static void each_part_of_the_key_changes_about_half_of_the_bits(void **state)
{
    const uint64_t one = draw(1, FLOCK_BOID_POSITION, 40, 8);
    const uint64_t others[] = {draw(2, FLOCK_BOID_POSITION, 40, 8), draw(1, FLOCK_BOID_VELOCITY, 40, 8),
                               draw(1, FLOCK_BOID_POSITION, 41, 8), draw(1, FLOCK_BOID_POSITION, 40, 9)};
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++)
        assert_in_range(__builtin_popcountll(one ^ others[i]), 16, 48);
}

/* The mean of so many even numbers is 1/2 within five standard deviations, and neighbours in id or step agree no more often
 * than chance has it. The draws are what they are: no run of this test can differ from another. */
static void draws_are_even_and_independent(void **state)
{
    const double n = (double)IDS * STEPS;
    double sum = 0, by_id = 0, by_step = 0;
    (void)state;
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint32_t id = 0; id < IDS; id++) {
            const double u = ldexp((double)(draw(1, FLOCK_BOID_POSITION, step, id) >> 11), -53) - 0.5;
            sum += u;
            by_id += u * (ldexp((double)(draw(1, FLOCK_BOID_POSITION, step, id + 1) >> 11), -53) - 0.5);
            by_step += u * (ldexp((double)(draw(1, FLOCK_BOID_POSITION, step + 1, id) >> 11), -53) - 0.5);
        }
    assert_true(fabs(sum / n) < 5 * sqrt(1.0 / 12 / n));
    assert_true(fabs(by_id / n) < 5 / (12 * sqrt(n)));
    assert_true(fabs(by_step / n) < 5 / (12 * sqrt(n)));
}

static void a_flock_counts_its_steps_in_every_order(void **state)
{
    static const enum flock_update updates[] = {FLOCK_SYNCHRONOUS, FLOCK_SEQUENTIAL, FLOCK_PASSES};
    (void)state;
    for (size_t u = 0; u < COUNT(updates); u++) {
        struct flock_model model = plain_model(3);
        model.update = updates[u];
        struct trial trial = trial_create(&model);
        for (uint32_t i = 0; i < 3; i++)
            trial.flock.boids[i] = agent_at(10 * i, 20, 1, 0);
        for (uint64_t step = 0; step < 4; step++) {
            assert_true(trial.flock.step == step);
            trial_step(&trial);
        }
        trial_free(&trial);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_is_the_published_mixer_over_its_key),
        cmocka_unit_test(each_part_of_the_key_changes_about_half_of_the_bits),
        cmocka_unit_test(draws_are_even_and_independent),
        cmocka_unit_test(a_flock_counts_its_steps_in_every_order),
    };
    return cmocka_run_group_tests_name(GROUP("random numbers"), tests, NULL, NULL);
}
