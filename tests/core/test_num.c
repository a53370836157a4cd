/* Claims about numbers. Fixed point is compared with exact 128-bit integers and the rules of num_fixed.h, floats
 * with double, long double and the edge cases of whole parts, remainders and cells. Requirements of the grid
 * (monotone cells, neighbours in adjacent cells) are tested for all types.
 */
#include "support.h"

enum { SEED = 20240608, ROUNDS = 200000 };

#define EACH_ROUND        \
    uint64_t seed = SEED; \
    for (int k = 0; k < ROUNDS; k++)

/* For every type: cells. */

/* |a| < radius as the core compares it, in squares. */
static bool is_shorter(num a, num radius)
{
    return num_square_less(num_norm_squared(a, num_zero()), num_norm_squared(radius, num_zero()));
}

/* Any length that is not 0, small or large. */
static num any_length(uint64_t *seed)
{
    const double least = IS_FIXED ? RELATIVE : 1e-12, most = IS_FIXED ? FARTHEST : 1e15;
    const num length = num_from_double(between_magnitudes(seed, least, most));
    return num_is_zero(length) ? num_from_double(least) : length;
}

/* A position, often near the origin and often far from it. */
static num any_place(uint64_t *seed, num radius)
{
    const double scale = num_to_double(radius);
    const double reach = between_magnitudes(seed, 1, 1e12) * scale;
    const double most = IS_FIXED ? FARTHEST : 1e30;
    return num_from_double(between(seed, -1, 1) * (reach < most ? reach : most));
}

TEST(cells_are_monotone)
{
    EACH_ROUND
    {
        const num side = num_widen(any_length(&seed));
        const num_ratio ratio = num_ratio_make(1, side);
        num a = any_place(&seed, side), b = any_place(&seed, side);
        /* Half of the pairs are close together, where errors of order are likely. */
        if (k % 2)
            b = num_add(a, num_from_double(num_to_double(side) * between(&seed, 0, 0.001)));
        if (num_less(b, a))
            assert_true(num_ratio_floor(b, ratio) <= num_ratio_floor(a, ratio));
        else
            assert_true(num_ratio_floor(a, ratio) <= num_ratio_floor(b, ratio));
    }
}

TEST(a_cell_is_the_whole_part_of_the_quotient)
{
    EACH_ROUND
    {
        const num side = num_widen(any_length(&seed));
        const num a = any_place(&seed, side);
        const double quotient = num_to_double(a) / num_to_double(side);
        if (fabs(quotient) > 1e8)
            continue;
        /* The ratio is rounded once, to 31 bits in fixed point: 2^-30 of the quotient, and 2^-29 with
         * room. */
        const double slack = fabs(quotient) / (1 << 29) + 1e-12;
        const int32_t cell = num_ratio_floor(a, num_ratio_make(1, side));
        assert_true(cell >= floor(quotient - slack) && cell <= floor(quotient + slack));
    }
}

TEST(numbers_closer_than_a_radius_are_at_most_one_widened_cell_apart)
{
    int met = 0;
    EACH_ROUND
    {
        const num radius = any_length(&seed);
        const num_ratio ratio = num_ratio_make(1, num_widen(radius));
        const num a = any_place(&seed, radius);
        const num b = num_add(a, num_from_double(num_to_double(radius) * between(&seed, 0.99, 1.001)));
        if (!is_shorter(num_subtract(a, b), radius))
            continue;
        met++;
        if (num_ratio_floor(b, ratio) - num_ratio_floor(a, ratio) > 1)
            fail_msg("%.17g and %.17g are within %.17g, in cells %d and %d", num_to_double(a),
                     num_to_double(b), num_to_double(radius), num_ratio_floor(a, ratio),
                     num_ratio_floor(b, ratio));
    }
    assert_true(met > ROUNDS / 10);
}

TEST(numbers_closer_than_a_radius_around_a_torus_are_at_most_one_cell_apart)
{
    enum { MAX_CELLS = 1 << 15 };
    int met = 0;
    EACH_ROUND
    {
        const num length = any_length(&seed);
        const num radius = num_from_double(num_to_double(length) * between_magnitudes(&seed, 1e-4, 0.4));
        const int32_t cells = num_quotient(length, num_widen(radius), MAX_CELLS);
        if (num_is_zero(radius) || cells < 1)
            continue;
        const num_ratio ratio = num_ratio_make(cells, length);
        const num a = num_from_double(num_to_double(length) * between(&seed, 0, 1));
        num b = num_add(a, num_from_double(num_to_double(radius) * between(&seed, 0.98, 1.001)));
        if (!is_shorter(num_subtract(b, a), radius))
            continue;
        /* Across the border: moved by one period, the pair does not cross it again and is nearer than the radius. */
        if (num_less(length, b))
            b = num_subtract(b, length);
        if (num_less(b, a) && !is_shorter(num_add(num_subtract(b, a), length), radius))
            continue;
        met++;
        int32_t one = num_ratio_floor(a, ratio), other = num_ratio_floor(b, ratio);
        assert_true(one >= 0 && one <= cells && other >= 0 && other <= cells);
        one = one == cells ? cells - 1 : one;
        other = other == cells ? cells - 1 : other;
        const int32_t apart = abs(one - other);
        if (apart > 1 && apart < cells - 1)
            fail_msg("%.17g and %.17g of %.17g are within %.17g, in cells %d and %d of %d", num_to_double(a),
                     num_to_double(b), num_to_double(length), num_to_double(radius), one, other, cells);
    }
    assert_true(met > ROUNDS / 10);
}

TEST(a_widened_length_is_longer)
{
    EACH_ROUND
    {
        const num a = any_length(&seed);
        const double wide = num_to_double(num_widen(a));
        const double wanted = num_to_double(a) * (1 + 1.0 / 1024);
        if (wanted > FARTHEST)
            continue;
        /* Rounded to the next number, and in fixed point one of the finest more. */
        assert_true(wide > num_to_double(a));
        assert_true(fabs(wide - wanted) <= grain(wanted));
    }
}

TEST(a_quotient_of_lengths_is_whole_and_bounded)
{
    assert_int_equal(num_quotient(num_from_double(100), num_from_double(25), 1000), 4);
    assert_int_equal(num_quotient(num_from_double(99.75), num_from_double(25), 1000), 3);
    assert_int_equal(num_quotient(num_from_double(24), num_from_double(25), 1000), 0);
    assert_int_equal(num_quotient(num_from_double(100), num_from_double(0.015625), 1000), 1000);
    assert_int_equal(num_quotient(num_from_double(30000), num_from_double(RELATIVE), 1 << 15), 1 << 15);
}

TEST(a_random_number_lies_between_its_bounds)
{
    EACH_ROUND
    {
        const num one = any_place(&seed, num_from_double(1)), other = any_place(&seed, num_from_double(1));
        const num low = num_less(one, other) ? one : other, high = num_less(one, other) ? other : one;
        const num a = num_uniform(low, high, roll(&seed));
        assert_false(num_less(a, low) || num_less(high, a));
        assert_true(same_bits(num_uniform(low, high, 0), num_add(low, num_zero())));
        assert_false(num_less(high, num_uniform(low, high, UINT64_MAX)));
    }
    assert_num(num_uniform(num_from_double(-3), num_from_double(5), UINT64_C(1) << 63), 1);
    assert_num(num_uniform(num_from_double(2), num_from_double(2), 12345), 2);
}

TEST(absolute_value_clears_only_the_sign)
{
    EACH_ROUND
    {
        const num a = any_place(&seed, num_from_double(1));
        assert_true(num_to_double(num_absolute(a)) == fabs(num_to_double(a)));
    }
    assert_num(num_absolute(num_from_double(-FARTHEST)), FARTHEST);
}

TEST(a_factor_of_1_over_2000_is_accurate_to_1_ppm)
{
    /* 1000 * 0.0005 = 0.5; Q16.16 alone would make it 0.5035. The rounding of the result is added. */
    assert_near(num_scale(num_factor_from_double(0.0005), num_from_double(1000)), 0.5, 0.5e-6 + grain(0.5));
    assert_near(num_scale(num_factor_from_double(-0.0005), num_from_double(30000)), -15, 15e-6 + grain(15));
}

#if IS_FIXED

/* Fixed point against exact integers. */

__extension__ typedef __int128 wide;

static const int32_t edges[] = {0,     1,     2,       3,       32767,         32768,         65535,
                                65536, 65537, 1 << 24, 1 << 30, INT32_MAX / 2, INT32_MAX - 1, INT32_MAX};

/* A number of any size; every eighth one is an edge. The sign is drawn too. */
static int32_t any_raw(uint64_t *seed)
{
    int32_t raw = (int32_t)(roll(seed) >> 33) >> below(seed, 31);
    if (below(seed, 8) == 0)
        raw = edges[below(seed, COUNT(edges))];
    return below(seed, 2) ? raw : -raw;
}

static int32_t saturated(wide a)
{
    return a > INT32_MAX ? INT32_MAX : a < -INT32_MAX ? -INT32_MAX : (int32_t)a;
}

static wide floor_quotient(wide a, wide b)
{
    return a / b - (a % b < 0);
}

#define EACH_PAIR                                                           \
    uint64_t seed = SEED;                                                   \
    for (int32_t k = 0, a = any_raw(&seed), b = any_raw(&seed); k < ROUNDS; \
         k++, a = any_raw(&seed), b = any_raw(&seed))

TEST(sums_and_differences_saturate)
{
    EACH_PAIR
    {
        assert_int_equal(num_add(num_raw(a), num_raw(b)).raw, saturated((wide)a + b));
        assert_int_equal(num_subtract(num_raw(a), num_raw(b)).raw, saturated((wide)a - b));
    }
    assert_int_equal(num_add(num_raw(INT32_MAX), num_raw(1)).raw, INT32_MAX);
    assert_int_equal(num_subtract(num_raw(-INT32_MAX), num_raw(1)).raw, -INT32_MAX);
    assert_int_equal(num_saturate(INT64_MIN).raw, -INT32_MAX);
    assert_int_equal(num_saturate(INT64_MAX).raw, INT32_MAX);
}

TEST(order_zero_and_half)
{
    EACH_PAIR
    {
        assert_int_equal(num_less(num_raw(a), num_raw(b)), a < b);
        assert_int_equal(num_is_zero(num_raw(a)), a == 0);
        assert_int_equal(num_half(num_raw(a)).raw, a / 2);
        assert_true(num_is_finite(num_raw(a)));
    }
    assert_int_equal(num_zero().raw, 0);
}

TEST(doubles_are_rounded_to_the_nearest_and_saturate)
{
    EACH_PAIR
    {
        const num back = num_from_double(num_to_double(num_raw(a)));
        assert_int_equal(back.raw, a);
        /* Between two numbers; an exact half may go either way. */
        const double scaled = (double)a / 2 + (double)b / 4294967296.0;
        assert_true(fabs(num_from_double(scaled / 65536).raw - scaled) <= 0.5);
    }
    assert_int_equal(num_from_double(32768).raw, INT32_MAX);
    assert_int_equal(num_from_double(1e300).raw, INT32_MAX);
    assert_int_equal(num_from_double(-32768).raw, -INT32_MAX);
    assert_int_equal(num_from_double(-HUGE_VAL).raw, -INT32_MAX);
    assert_int_equal(num_from_double(32767.999999).raw, INT32_MAX);
}

TEST(a_number_below_32768_can_be_held)
{
    assert_true(num_holds(0) && num_holds(FARTHEST) && num_holds(-FARTHEST) && num_holds(1e-300));
    assert_false(num_holds(32768) || num_holds(-32768) || num_holds(1e300));
    assert_false(num_holds(HUGE_VAL) || num_holds(-HUGE_VAL) || num_holds(NAN));
}

/* Halves go up: floor(a*f + 1/2). */
TEST(products_by_a_factor_are_rounded_to_the_nearest_halves_upwards)
{
    EACH_PAIR
    {
        const num_factor factor = {b, (int32_t)below(&seed, 31)};
        const wide doubled = 2 * (wide)a * b + ((wide)1 << factor.point);
        assert_int_equal(num_scale(factor, num_raw(a)).raw,
                         saturated(floor_quotient(doubled, (wide)2 << factor.point)));
    }
    const num_factor half = num_factor_from_double(0.5);
    assert_int_equal(num_scale(half, num_raw(1)).raw, 1);
    assert_int_equal(num_scale(half, num_raw(-1)).raw, 0);
    assert_int_equal(num_scale(half, num_raw(3)).raw, 2);
    assert_int_equal(num_scale(half, num_raw(-3)).raw, -1);
}

TEST(products_by_a_cosine_are_rounded_to_the_nearest_halves_upwards)
{
    const wide one = (wide)1 << 30;
    EACH_PAIR
    {
        const int32_t cosine = b / 2, sine = any_raw(&seed) / 2;
        assert_int_equal(num_component(num_raw(a), cosine).raw,
                         saturated(floor_quotient((wide)a * cosine + one / 2, one)));
        const wide difference = (wide)a * cosine - (wide)b * sine;
        assert_int_equal(num_turned_x(num_raw(a), num_raw(b), cosine, sine).raw,
                         saturated(floor_quotient(difference + one / 2, one)));
    }
}

/* As many fractional bits as fit, at most 30: the error is at most half of the last bit. */
TEST(a_factor_keeps_as_many_bits_as_fit)
{
    EACH_ROUND
    {
        const double a = between_magnitudes(&seed, 1e-6, 32767) * (below(&seed, 2) ? 1 : -1);
        const num_factor factor = num_factor_from_double(a);
        assert_true(fabs(ldexp(factor.raw, -factor.point) - a) <= ldexp(0.5, -factor.point));
        assert_true(factor.point <= 30);
        /* One bit more would not have fitted. */
        assert_true(factor.point == 30 || fabs(ldexp(a, factor.point + 1)) >= INT32_MAX);
    }
    assert_true(num_factor_is_zero(num_factor_from_double(0)));
    assert_true(num_factor_is_zero(num_factor_from_double(-0.0)));
    assert_false(num_factor_is_zero(num_factor_from_double(1.0 / 65536)));
    const num_factor small = num_factor_from_double(0.0005);
    assert_true(fabs(ldexp(small.raw, -small.point) / 0.0005 - 1) < 1e-6);
}

/* A configuration refuses such factors, but a program may write them into a flock_model. */
TEST(a_factor_out_of_range_saturates)
{
    assert_int_equal(num_scale(num_factor_from_double(2147483647), num_raw(1)).raw, INT32_MAX);
    assert_int_equal(num_scale(num_factor_from_double(1e10), num_raw(1)).raw, INT32_MAX);
    assert_int_equal(num_scale(num_factor_from_double(-1e300), num_raw(1)).raw, -INT32_MAX);
}

TEST(a_change_of_scale_is_rounded_towards_zero)
{
    EACH_PAIR
    {
        const num_square squared = num_norm_squared(num_raw(a), num_raw(any_raw(&seed))) + 1;
        const num found = num_scale_to(num_raw(a), num_raw(b), squared);
        assert_int_equal(found.raw, saturated((wide)a * b / num_root_raw(squared)));
        assert_int_equal(num_scale_to(num_raw(-a), num_raw(b), squared).raw, -found.raw);
    }
}

TEST(squares_are_exact)
{
    EACH_PAIR
    {
        const num_square found = num_norm_squared(num_raw(a), num_raw(b));
        assert_true((wide)found == (wide)a * a + (wide)b * b);
        assert_int_equal(num_square_is_zero(found), a == 0 && b == 0);
        assert_int_equal(num_square_less(found, num_norm_squared(num_raw(b), num_zero())), false);
    }
    const num most = num_raw(INT32_MAX);
    assert_true((wide)num_norm_squared(most, most) == 2 * (wide)INT32_MAX * INT32_MAX);
    assert_true(num_square_less(num_norm_squared(most, num_zero()), num_norm_squared(most, num_raw(1))));
}

static void assert_root(num_square a)
{
    const wide root = num_root_raw(a);
    assert_true(root * root <= (wide)a && (wide)a < (root + 1) * (root + 1));
}

TEST(roots_are_rounded_down)
{
    const num most = num_raw(INT32_MAX);
    EACH_PAIR
    {
        assert_root(num_norm_squared(num_raw(a), num_raw(b)));
        assert_root(roll(&seed) >> below(&seed, 64));
        /* Around a square. */
        const num_square square = num_norm_squared(num_raw(a), num_zero());
        assert_root(square);
        assert_root(square + 1);
        assert_root(square == 0 ? 0 : square - 1);
    }
    for (num_square small = 0; small < 100000; small++)
        assert_root(small);
    assert_root(num_norm_squared(most, most));
    assert_root(UINT64_MAX);
    assert_int_equal(num_root_raw(num_norm_squared(num_from_double(3), num_from_double(4))), 5 * NUM_ONE);
}

/* The rules: trunc(a / floor(root)) and trunc(a / square), then saturation. */
TEST(quotients_by_a_length_and_its_square_are_rounded_towards_zero)
{
    EACH_PAIR
    {
        const num_square squared = num_norm_squared(num_raw(a), num_raw(b));
        if (squared == 0)
            continue;
        const num direction = num_over_length(num_raw(a), squared),
                  inverse = num_over_square(num_raw(a), squared);
        assert_int_equal(direction.raw, saturated((wide)a * 65536 / num_root_raw(squared)));
        assert_int_equal(inverse.raw, saturated((wide)a * ((wide)1 << 32) / (wide)squared));
        assert_int_equal(num_over_length(num_raw(-a), squared).raw, -direction.raw);
        assert_int_equal(num_over_square(num_raw(-a), squared).raw, -inverse.raw);
    }
    assert_num(num_over_length(num_from_double(3), num_norm_squared(num_from_double(3), num_from_double(4))),
               39321.0 / 65536);
    assert_num(num_over_length(num_raw(-1), 1), -1);
    assert_num(num_over_square(num_from_double(2), num_norm_squared(num_from_double(2), num_zero())), 0.5);
    assert_num(num_over_square(num_raw(1), 1), FARTHEST);
    assert_num(num_over_square(num_raw(-1), 1), -FARTHEST);
}

TEST(fourth_power_plus_one_uses_the_truncated_square)
{
    EACH_ROUND
    {
        const num_square squared = num_norm_squared(num_raw(any_raw(&seed)), num_raw(any_raw(&seed)));
        const wide cut = squared >> 16 < INT32_MAX ? (wide)(squared >> 16) : INT32_MAX;
        assert_true((wide)num_quartic(squared) == cut * cut + ((wide)1 << 32));
    }
    assert_num(
        num_over_square(num_from_double(2), num_quartic(num_norm_squared(num_from_double(2), num_zero()))),
        floor(2.0 / 17 * 65536) / 65536);
    assert_num(num_over_square(num_raw(1), num_quartic(0)), 1.0 / 65536);
}

TEST(sums_over_neighbours_are_exact_and_saturate_at_the_end)
{
    uint64_t seed = SEED;
    wide exact = 0;
    num_sum sum = num_sum_zero();
    for (uint32_t k = 1; k <= ROUNDS; k++) {
        const int32_t a = k % 3 ? INT32_MAX : any_raw(&seed);
        sum = num_sum_add(sum, num_raw(a));
        exact += a;
        assert_true(sum.raw == exact);
        assert_int_equal(num_sum_total(sum).raw, saturated(exact));
        assert_int_equal(num_sum_mean(sum, k).raw, saturated(exact / k));
    }
    /* 2^31 - 1 boids at the farthest place. */
    const num_sum most = {(int64_t)INT32_MAX * INT32_MAX};
    assert_int_equal(num_sum_mean(most, INT32_MAX).raw, INT32_MAX);
    /* Means are rounded towards zero. */
    assert_int_equal(num_sum_mean((num_sum){-5}, 3).raw, -1);
    assert_int_equal(num_sum_mean((num_sum){5}, 3).raw, 1);
}

TEST(remainder_is_exact)
{
    EACH_PAIR
    {
        const int32_t period = b == 0 ? 1 : abs(b);
        bool is_odd;
        const num rest = num_modulo(num_raw(a), num_raw(period), &is_odd);
        const wide turns = floor_quotient(a, period);
        assert_true(rest.raw >= 0 && rest.raw <= period);
        assert_true(rest.raw == a - turns * period);
        assert_int_equal(is_odd, turns % 2 != 0);
    }
}

TEST(random_bits_become_numbers_rounded_towards_the_first_bound)
{
    EACH_PAIR
    {
        const uint64_t bits = roll(&seed);
        const wide span = (wide)b - a;
        /* In C, a quotient is rounded towards zero: towards a, whichever of the two is larger. */
        const wide part = span * (wide)(bits >> 32) / ((wide)1 << 32);
        assert_true(num_uniform(num_raw(a), num_raw(b), bits).raw == a + part);
        assert_int_equal(num_from_q31(a).raw, (int32_t)floor_quotient(a, 32768));
    }
    assert_num(num_from_q31(INT32_MIN), -1);
    assert_num(num_from_q31(INT32_MAX), 65535.0 / 65536);
}

#else

/* Floats. */

TEST(floor_is_floor)
{
    static const double corners[] = {0,
                                     -0.0,
                                     0.5,
                                     -0.5,
                                     1,
                                     -1,
                                     0.9999999999999999,
                                     -0.9999999999999999,
                                     -1.0000000000000002,
                                     1e-300,
                                     -1e-300,
                                     -DBL_TRUE_MIN,
                                     4503599627370495.5,
                                     -4503599627370495.5,
                                     4503599627370496.0,
                                     -4503599627370496.0,
                                     9007199254740993.0,
                                     9.3e18,
                                     -9.3e18,
                                     1e300,
                                     -1e300,
                                     HUGE_VAL,
                                     -HUGE_VAL};
    uint64_t seed = SEED;
    for (size_t k = 0; k < COUNT(corners); k++)
        assert_true(num_floor_double(corners[k]) == floor(corners[k]));
    assert_true(isnan(num_floor_double(NAN)));
    for (int k = 0; k < ROUNDS; k++) {
        const double a = between_magnitudes(&seed, 1e-3, 1e18) * (below(&seed, 2) ? 1 : -1);
        assert_true(num_floor_double(a) == floor(a));
        assert_true(num_floor_double(floor(a)) == floor(a));
    }
}

static void assert_modulo(double a, double period, double wanted, bool is_odd)
{
    bool odd;
    assert_num(num_modulo((num)a, (num)period, &odd), wanted);
    assert_int_equal(odd, is_odd);
}

TEST(remainder_at_the_limits)
{
    assert_modulo(0, 100, 0, false);
    assert_modulo(-0.0, 100, 0, false);
    assert_modulo(30, 100, 30, false);
    assert_modulo(100, 100, 0, true);
    assert_modulo(130, 100, 30, true);
    assert_modulo(230, 100, 30, false);
    assert_modulo(-30, 100, 70, true);
    assert_modulo(-100, 100, 0, true);
    assert_modulo(-130, 100, 70, false);
    assert_modulo(-200, 100, 0, false);
    assert_modulo(0.25, 0.125, 0, false);
    /* A hair below 0 is a hair below the period, which rounds to the period itself. */
    assert_modulo(-1e-30, 100, 100, true);
}

TEST(remainder_is_within_one_period_and_congruent)
{
    EACH_ROUND
    {
        const num period = (num)between_magnitudes(&seed, 1e-3, 1e4);
        const num a =
            (num)(between_magnitudes(&seed, 1e-6, 1e6) * (below(&seed, 2) ? 1 : -1) * (double)period);
        bool is_odd;
        const num rest = num_modulo(a, period, &is_odd);
        assert_true(rest >= 0 && rest <= period);
        /* The error is the rounding of turns * period (as large as a), of the remainder, and of this check. */
        const double turns = ((double)a - (double)rest) / (double)period;
        const double slack =
            (4 * fabs((double)a) * DBL_EPSILON + RELATIVE * (double)period) / (double)period +
            fabs(turns) * 2 * DBL_EPSILON;
        assert_true(fabs(turns - round(turns)) <= slack);
        assert_int_equal(is_odd, fmod(round(turns), 2) != 0);
    }
}

/* A number larger than its precision loses its position, but stays inside. */
TEST(remainder_of_any_number_is_within_the_period)
{
    static const double numbers[] = {FARTHEST, -FARTHEST, 1e30, -1e30, 1e-40, -1e-40, 3e15, -3e15};
    static const double periods[] = {FARTHEST, 1e-30, 1, 33.3, 1e20};
    for (size_t k = 0; k < COUNT(numbers); k++)
        for (size_t p = 0; p < COUNT(periods); p++) {
            bool is_odd;
            const num rest = num_modulo((num)numbers[k], (num)periods[p], &is_odd);
            assert_true(rest >= 0 && rest <= (num)periods[p]);
        }
}

TEST(only_numbers_are_finite)
{
    assert_true(num_is_finite(0) && num_is_finite((num)FARTHEST) && num_is_finite(-(num)FARTHEST));
    assert_true(num_is_finite((num)-0.0) && num_is_finite((num)1e-45));
    assert_false(num_is_finite((num)HUGE_VAL) || num_is_finite(-(num)HUGE_VAL) || num_is_finite((num)NAN));
}

TEST(a_double_that_rounds_into_the_range_is_representable)
{
    assert_true(num_holds(0) && num_holds(FARTHEST) && num_holds(-FARTHEST) && num_holds(1e-300));
    assert_false(num_holds(HUGE_VAL) || num_holds(-HUGE_VAL) || num_holds(NAN));
    assert_int_equal(num_holds(1e39), FARTHEST > 1e39);
}

TEST(cell_indices_are_limited_to_2_to_the_30)
{
    const num_ratio tiny = num_ratio_make(1, (num)1e-45), most = num_ratio_make(1 << 15, (num)1e-45);
    assert_int_equal(num_ratio_floor((num)FARTHEST, num_ratio_make(1, 1)), 1 << 30);
    assert_int_equal(num_ratio_floor(-(num)FARTHEST, num_ratio_make(1, 1)), -(1 << 30));
    assert_int_equal(num_ratio_floor((num)FARTHEST, most), 1 << 30);
    assert_int_equal(num_ratio_floor((num)NAN, tiny), -(1 << 30));
    assert_int_equal(num_ratio_floor(0, most), 0);
    assert_int_equal(num_ratio_floor((num)-0.0, most), 0);
    assert_int_equal(num_ratio_floor((num)-1e-40, num_ratio_make(1, 1)), -1);
    assert_int_equal(num_ratio_floor(5, num_ratio_make(1, 5)), 1);
    assert_int_equal(num_ratio_floor(-5, num_ratio_make(1, 5)), -1);
    assert_int_equal(num_ratio_floor((num)-5.5, num_ratio_make(1, 5)), -2);
    /* A ratio that overflows is the largest there is, so that 0 stays in cell 0. */
    assert_true(num_ratio_make(1 << 15, 0) == DBL_MAX);
}

/* A fused x*x + y*y would keep bits of one product that this loses. The volatile ones keep the compiler
 * from fusing the expectation itself. */
TEST(squares_are_rounded_before_they_are_added)
{
    EACH_ROUND
    {
        const num x = (num)between(&seed, -100, 100), y = (num)between(&seed, -100, 100);
        volatile num xx = x * x;
        volatile num yy = y * y;
        volatile num wanted = xx + yy;
        assert_true(num_norm_squared(x, y) == wanted);
    }
}

TEST(a_scale_and_a_weight_are_rounded_at_each_operation)
{
    EACH_ROUND
    {
        const num a = (num)between(&seed, -9, 9), b = (num)between(&seed, 1, 9),
                  c = (num)between(&seed, 1, 9);
        volatile num ratio = b / NUM_ROOT(c);
        volatile num scaled = a * ratio;
        volatile num weighed = b * a;
        assert_true(num_scale_to(a, b, c) == scaled);
        assert_true(num_scale(b, a) == weighed);
        assert_true(num_sum_mean(num_sum_add(num_sum_add(0, a), b), 3) == (a + b) / 3);
    }
}

/* Half the distance between two numbers of the root's size, and the error of long double, which may be no
 * wider. */
TEST(roots_are_the_nearest_numbers)
{
    EACH_ROUND
    {
        const num a = (num)between_magnitudes(&seed, 1e-30, 1e30);
        const long double exact = sqrtl((long double)a);
        const long double half = ldexpl((long double)RELATIVE / 2, ilogbl(exact));
        assert_true(fabsl((long double)NUM_ROOT(a) - exact) <= half + exact * LDBL_EPSILON);
        /* 4096 is 2^12, so the squares of whole numbers below it fit a float32. */
        const num whole = (num)below(&seed, 4096);
        assert_true(NUM_ROOT(whole * whole) == whole);
        assert_true(num_over_length(a, 4) == a / 2 && num_over_square(a, 4) == a / 4);
    }
    assert_num(NUM_ROOT(0), 0);
    assert_num(num_over_length(3, 25), (double)((num)3 / 5));
    assert_num(num_over_square(3, 25), (double)((num)3 / 25));
    assert_num(num_quartic(25), 626);
}

TEST(a_31_bit_integer_maps_to_minus_one_to_one)
{
    uint64_t seed = SEED;
    assert_num(num_from_q31(INT32_MIN), -1);
    assert_num(num_from_q31(1 << 30), 0.5);
    for (int k = 0; k < ROUNDS; k++) {
        const int32_t a = (int32_t)(roll(&seed) >> 33) - (1 << 30);
        assert_near(num_from_q31(a), ldexp(a, -31), RELATIVE / 2);
    }
}

#endif

SUITE(GROUP("num"))
