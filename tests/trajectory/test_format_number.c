/* format_double writes the bytes that printf would, for every kind of double. */
#include "../measure/random.h"
#include "trajectory/text/format_number.h"

#include <inttypes.h>

static void assert_as_printf(double value, int digits)
{
    char wanted[64], found[64];
    snprintf(wanted, sizeof wanted, "%.*g", digits, value);
    *format_double(found, digits, value) = '\0';
    if (strcmp(wanted, found) != 0)
        fail_msg("%a with %d digits is \"%s\"; it must be \"%s\"", value, digits, found, wanted);
}

static void assert_with_all_digits(double value)
{
    for (int digits = 1; digits <= 17; digits++) {
        assert_as_printf(value, digits);
        assert_as_printf(-value, digits);
    }
}

TEST(random_bit_patterns_print_as_printf_does)
{
    for (int i = 0; i < 200000; i++) {
        const uint64_t bits = random_bits();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            assert_as_printf(value, 1 + (int)(random_bits() % 17));
    }
}

/* The usual range of positions and velocities, for which there is a fast path. */
TEST(everyday_numbers_print_as_printf_does)
{
    for (int i = 0; i < 300000; i++) {
        const double value = uniform(-0.5, 0.5) * pow(10, (double)(random_bits() % 24) - 11);
        assert_as_printf(value, 1 + (int)(random_bits() % 17));
        assert_as_printf((double)(float)value, 9);
    }
}

/* k/2^n has a finite decimal expansion that often ends in a 5: a tie when cut right there. */
TEST(ties_round_to_even_as_printf_does)
{
    for (int n = 0; n < 20; n++)
        for (int k = 1; k < 400; k += 2)
            assert_with_all_digits(ldexp(k, -n));
}

TEST(powers_of_ten_and_their_neighbours_print_as_printf_does)
{
    for (int e = -330; e <= 308; e++) {
        const double power = pow(10, e);
        assert_with_all_digits(power);
        assert_with_all_digits(nextafter(power, 0));
        assert_with_all_digits(nextafter(power, INFINITY));
    }
}

TEST(the_ends_of_the_range_print_as_printf_does)
{
    const double ends[] = {
        0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, INFINITY, NAN, 9.9999995, 0.99999995};
    for (size_t i = 0; i < COUNT(ends); i++)
        assert_with_all_digits(ends[i]);
}

TEST(seventeen_digits_restore_every_double_and_nine_every_float)
{
    char text[64];
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = random_bits();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        *format_double(text, 17, value) = '\0';
        assert_true(strtod(text, NULL) == value);
        const float single = (float)ldexp((double)(bits >> 40), (int)(bits % 60) - 40);
        *format_double(text, 9, (double)single) = '\0';
        assert_true(strtof(text, NULL) == single);
    }
}

TEST(integers_print_as_printf_does)
{
    char wanted[64], found[64];
    for (int i = 0; i < 100000; i++) {
        const uint64_t value = random_bits() >> (random_bits() % 64);
        snprintf(wanted, sizeof wanted, "%" PRIu64, value);
        *format_integer(found, value) = '\0';
        assert_string_equal(found, wanted);
    }
}

SUITE("format number")
