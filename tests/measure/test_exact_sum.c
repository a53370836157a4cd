/* Exact sums: calculated by hand, and the same to the bit in any order and division into parts.
 * tests/measure/test_exact_sum.py compares them with math.fsum. */
#include "measure/exact_sum.h"
#include "random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 2000 };

/* Equal bits, so zeros have signs; all NaNs are equal. */
static void same(double a, double b)
{
    if ((isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b)))
        return;
    fail_msg("%a is not %a", a, b);
}

static double sum_of(const double *values, size_t count)
{
    struct exact_sum one_by_one = {0}, together = {0};
    for (size_t i = 0; i < count; i++)
        exact_sum_add(&one_by_one, values[i]);
    exact_sum_add_all(&together, values, count);
    same(exact_sum_round(&together), exact_sum_round(&one_by_one));
    return exact_sum_round(&together);
}

#define SUM(...) sum_of((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void merge(struct exact_sum *sum, const struct exact_sum *other)
{
    for (int i = 0; i < EXACT_SUM_LIMBS; i++)
        sum->limbs[i] += other->limbs[i];
    for (int i = 0; i < 2; i++)
        sum->infinities[i] += other->infinities[i];
    sum->nans += other->nans;
}

/* Of either sign, with an exponent from `low` up to `low + spread`. */
static double random_number(int low, int spread)
{
    const double digits = (double)(random_bits() >> 11) / 9007199254740992.0;
    return ldexp(random_bits() & 1 ? digits : -digits, low + (int)(random_bits() % (unsigned)(spread + 1)));
}

static void an_empty_sum_is_zero(void **state)
{
    (void)state;
    same(sum_of(NULL, 0), 0);
    same(SUM(-0.0, -0.0), 0);
    same(SUM(1, -1), 0);
}

static void ties_round_to_even(void **state)
{
    const double half = DBL_EPSILON / 2;
    (void)state;
    same(SUM(1, half), 1);
    same(SUM(1 + DBL_EPSILON, half), 1 + 2 * DBL_EPSILON);
    same(SUM(1, half, DBL_TRUE_MIN), 1 + DBL_EPSILON);
    same(SUM(1, half, -DBL_TRUE_MIN), 1);
    same(SUM(-1, -half), -1);
    same(SUM(-1, -half, -DBL_TRUE_MIN), -1 - DBL_EPSILON);
    same(SUM(1, -half / 2), 1);
    same(SUM(1, -half / 2, -DBL_TRUE_MIN), 1 - half);
    same(SUM(2, -DBL_EPSILON, half), 2 - half);
}

static void terms_that_cancel_do_not_change_the_sum(void **state)
{
    (void)state;
    same(SUM(1e300, 1, -1e300), 1);
    same(SUM(1e300, -1e-300, -1e300, 3), 3);
    same(SUM(0.1, 0.2, -0.3), 0x1p-55);
    same(SUM(DBL_MAX, DBL_TRUE_MIN, -DBL_MAX), DBL_TRUE_MIN);
}

static void numbers_below_the_normal_ones_are_exact(void **state)
{
    (void)state;
    same(SUM(DBL_TRUE_MIN, DBL_TRUE_MIN, DBL_TRUE_MIN), 3 * DBL_TRUE_MIN);
    same(SUM(DBL_MIN, -DBL_TRUE_MIN), DBL_MIN - DBL_TRUE_MIN);
    same(SUM(-DBL_MIN, DBL_TRUE_MIN, DBL_TRUE_MIN), 2 * DBL_TRUE_MIN - DBL_MIN);
}

static void a_partial_sum_may_leave_the_range_of_double(void **state)
{
    const double step = DBL_MAX - nextafter(DBL_MAX, 0);
    (void)state;
    same(SUM(DBL_MAX, DBL_MAX, -DBL_MAX), DBL_MAX);
    same(SUM(DBL_MAX, DBL_MAX), INFINITY);
    same(SUM(-DBL_MAX, -DBL_MAX), -INFINITY);
    same(SUM(DBL_MAX, step / 2), INFINITY);
    same(SUM(DBL_MAX, step / 2, -DBL_TRUE_MIN), DBL_MAX);
}

static void infinities_and_nans_are_counted(void **state)
{
    (void)state;
    same(SUM(1, INFINITY, -DBL_MAX), INFINITY);
    same(SUM(1, -INFINITY, DBL_MAX, DBL_MAX), -INFINITY);
    same(SUM(INFINITY, 2, -INFINITY), NAN);
    same(SUM(NAN, 1), NAN);
    same(SUM(NAN, INFINITY), NAN);
}

/* At any position among numbers that are added in one call. */
static void one_nan_among_many_is_found(void **state)
{
    enum { N = 600 };
    double values[N];
    (void)state;
    for (int at = 0; at < N; at += 7) {
        for (int i = 0; i < N; i++)
            values[i] = i % 5;
        values[at] = at % 2 == 0 ? NAN : -NAN;
        same(sum_of(values, N), NAN);
    }
}

static void a_sum_of_zeros_is_zero(void **state)
{
    static const double zeros[1024];
    (void)state;
    same(sum_of(zeros, 1024), 0);
}

/* Each doubling merges a sum with itself: 2^31 times the same number. */
static void no_limb_overflows_over_two_thousand_million_addends(void **state)
{
    static const double numbers[] = {0x1.fffffffffffffp0,     -0x1.fffffffffffffp31,
                                     0x1.fffffffffffffp-1000, -0.1,
                                     -0x1.fffffffffffffp992,  DBL_TRUE_MIN};
    (void)state;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        for (int shift = 0; shift < 32; shift++) {
            const double number = numbers[k] * (double)(INT64_C(1) << shift) / 4294967296.0;
            struct exact_sum sum = {0};
            exact_sum_add(&sum, number);
            for (int i = 0; i < 31; i++) {
                const struct exact_sum half = sum;
                merge(&sum, &half);
            }
            same(exact_sum_round(&sum), ldexp(number, 31) + 0.0);
            exact_sum_add(&sum, -ldexp(number, 31));
            same(exact_sum_round(&sum), 0);
        }
}

static void shuffle(double *values, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = random_bits() % i;
        const double swap = values[i - 1];
        values[i - 1] = values[j];
        values[j] = swap;
    }
}

/* In pieces of any length, each a sum of its own, merged at the end. */
static double sum_in_pieces(const double *values, size_t count)
{
    struct exact_sum sum = {0};
    for (size_t begin = 0; begin < count;) {
        const size_t length = 1 + random_bits() % (count - begin);
        struct exact_sum piece = {0};
        exact_sum_add_all(&piece, values + begin, length);
        merge(&sum, &piece);
        begin += length;
    }
    return exact_sum_round(&sum);
}

static void the_sum_depends_neither_on_order_nor_on_division(void **state)
{
    static const struct {
        int low, spread;
    } kinds[] = {{0, 0}, {-10, 20}, {-60, 60}, {-1100, 2100}, {-1074, 30}, {-810, 40}, {960, 60}, {985, 30}};
    static double values[MOST];
    (void)state;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t count = 1; count <= MOST; count = 2 * count + 1) {
            random_state = count + kind;
            for (size_t i = 0; i < count; i++)
                values[i] = random_number(kinds[kind].low, kinds[kind].spread);
            const double sum = sum_of(values, count);
            for (int i = 0; i < 5; i++) {
                shuffle(values, count);
                same(sum_of(values, count), sum);
                same(sum_in_pieces(values, count), sum);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_sum_is_zero),
        cmocka_unit_test(one_nan_among_many_is_found),
        cmocka_unit_test(a_sum_of_zeros_is_zero),
        cmocka_unit_test(ties_round_to_even),
        cmocka_unit_test(terms_that_cancel_do_not_change_the_sum),
        cmocka_unit_test(numbers_below_the_normal_ones_are_exact),
        cmocka_unit_test(a_partial_sum_may_leave_the_range_of_double),
        cmocka_unit_test(infinities_and_nans_are_counted),
        cmocka_unit_test(no_limb_overflows_over_two_thousand_million_addends),
        cmocka_unit_test(the_sum_depends_neither_on_order_nor_on_division),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
