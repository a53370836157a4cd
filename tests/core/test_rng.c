/* Claims about random numbers of an update: they depend only on (seed, purpose, step, id). */
#include "support.h"

#include "rng.h"

enum { IDS = 1000, STEPS = 1000 };

static uint64_t draw(uint64_t seed, enum flock_rng_stream purpose, uint64_t step, uint32_t id)
{
    return lane_random_bits(flock_rng_key_for_step(seed, purpose, step), id);
}

/* Written out from the formula: the step before the id. */
TEST(a_draw_is_the_published_mixer_over_its_key)
{
    const uint64_t golden = 0x9e3779b97f4a7c15;
    uint64_t z = flock_rng_mix(11 + golden);
    z = flock_rng_mix((z ^ FLOCK_PREDATOR_VELOCITY) + golden);
    z = flock_rng_mix((z ^ 500) + golden);
    z = flock_rng_mix((z ^ 7) + golden);
    assert_true(draw(11, FLOCK_PREDATOR_VELOCITY, 500, 7) == flock_rng_mix(z + golden));
}

TEST(each_part_of_the_key_changes_about_half_of_the_bits)
{
    const uint64_t one = draw(1, FLOCK_BOID_POSITION, 40, 8);
    const uint64_t others[] = {draw(2, FLOCK_BOID_POSITION, 40, 8), draw(1, FLOCK_BOID_VELOCITY, 40, 8),
                               draw(1, FLOCK_BOID_POSITION, 41, 8), draw(1, FLOCK_BOID_POSITION, 40, 9)};
    for (size_t i = 0; i < COUNT(others); i++)
        assert_in_range(__builtin_popcountll(one ^ others[i]), 16, 48);
}

/* Chi squared, with 255 degrees of freedom, of the top byte of so many draws. */
TEST(no_byte_is_drawn_more_often_than_others)
{
    const double due = (double)IDS * STEPS / 256;
    uint32_t drawn[256] = {0};
    double chi_squared = 0;
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint32_t id = 0; id < IDS; id++)
            drawn[draw(1, FLOCK_NOISE, step, id) >> 56]++;
    for (int byte = 0; byte < 256; byte++)
        chi_squared += (drawn[byte] - due) * (drawn[byte] - due) / due;
    assert_true(chi_squared < 350);
}

/* Every bit of a draw, for each of the lower bits of an id and of a step: 10000 keys, each with one bit flipped. */
TEST(every_bit_flips_half_of_the_time_when_one_bit_of_the_key_does)
{
    enum { KEYS = 10000, BITS = 16 };
    uint64_t seed = 20261122;
    for (int bit = 0; bit < 2 * BITS; bit++) {
        uint32_t flips[64] = {0};
        for (int k = 0; k < KEYS; k++) {
            const uint32_t id = below(&seed, 1 << BITS), step = below(&seed, 1 << BITS);
            const uint32_t mask = UINT32_C(1) << bit % BITS;
            const uint64_t changed =
                draw(1, FLOCK_NOISE, step, id) ^
                (bit < BITS ? draw(1, FLOCK_NOISE, step, id ^ mask) : draw(1, FLOCK_NOISE, step ^ mask, id));
            for (int b = 0; b < 64; b++)
                flips[b] += changed >> b & 1;
        }
        for (int b = 0; b < 64; b++)
            assert_in_range(flips[b], (uint32_t)(0.475 * KEYS), (uint32_t)(0.525 * KEYS));
    }
}

/* Compare with sin() and cos() of the C library. */
TEST(the_circle_is_round)
{
    double worst = 0;
    for (uint64_t turns = 0; turns < UINT64_C(1) << 32; turns += 4096) {
        const lane_sincos point = lane_sincos_of((uint32_t)turns);
        const double angle = ldexp((double)turns, -31) * acos(-1);
        worst = fmax(worst, fabs(ldexp(point.cosine, -30) - cos(angle)));
        worst = fmax(worst, fabs(ldexp(point.sine, -30) - sin(angle)));
    }
    assert_true(worst < 4e-9);
}

/* The mean of so many uniform numbers is 1/2 within five standard deviations, and those of successive ids or steps are not
 * correlated. The draws are deterministic: this test always gives the same result. */
TEST(draws_are_even_and_independent)
{
    const double n = (double)IDS * STEPS;
    double sum = 0, by_id = 0, by_step = 0, by_seed = 0;
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint32_t id = 0; id < IDS; id++) {
            const double u = ldexp((double)(draw(1, FLOCK_NOISE, step, id) >> 11), -53) - 0.5;
            sum += u;
            by_id += u * (ldexp((double)(draw(1, FLOCK_NOISE, step, id + 1) >> 11), -53) - 0.5);
            by_seed += u * (ldexp((double)(draw(2, FLOCK_NOISE, step, id) >> 11), -53) - 0.5);
            by_step += u * (ldexp((double)(draw(1, FLOCK_NOISE, step + 1, id) >> 11), -53) - 0.5);
        }
    assert_true(fabs(sum / n) < 5 * sqrt(1.0 / 12 / n));
    assert_true(fabs(by_id / n) < 5 / (12 * sqrt(n)));
    assert_true(fabs(by_step / n) < 5 / (12 * sqrt(n)));
    assert_true(fabs(by_seed / n) < 5 / (12 * sqrt(n)));
}

TEST(a_flock_counts_its_steps_in_every_order)
{
    static const enum flock_update updates[] = {FLOCK_UPDATES(FLOCK_VALUE)};
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

SUITE(GROUP("random numbers"))
