/* Statistics of a series, compared with those computed from all of its values at once, and with series for which the error of the
 * mean is known. */
#include "measure/autocorrelation.h"
#include "measure/running_stats.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 5000 };

static void near(double a, double b, double tolerance)
{
    if (isnan(a) && isnan(b))
        return;
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

static struct running_stats series_of(const double *values, size_t count)
{
    struct running_stats series = {0};
    for (size_t i = 0; i < count; i++)
        running_stats_add(&series, values[i]);
    return series;
}

static void four_numbers(void **state)
{
    const struct running_stats series = series_of((const double[]){1, 2, 3, 6}, 4);
    (void)state;
    near(running_stats_mean(&series), 3, 0);
    near(running_stats_sd(&series), sqrt((4 + 1 + 0 + 9) / 4.0), 1e-15);
    /* <x^2> = 50/4, <x^4> = 1394/4. */
    near(running_stats_binder(&series), 1 - 348.5 / (3 * 12.5 * 12.5), 1e-15);
    near(running_stats_error(&series), NAN, 0);
}

static void few_values_have_no_standard_error(void **state)
{
    const struct running_stats nothing = {0}, one = series_of((const double[]){3}, 1);
    (void)state;
    near(running_stats_mean(&nothing), NAN, 0);
    near(running_stats_sd(&nothing), NAN, 0);
    near(running_stats_binder(&nothing), NAN, 0);
    near(running_stats_mean(&one), 3, 0);
    near(running_stats_sd(&one), NAN, 0);
    near(running_stats_binder(&one), NAN, 0);
    double values[RUNNING_STATS_MIN];
    for (int i = 0; i < RUNNING_STATS_MIN; i++)
        values[i] = i;
    const struct running_stats short_of_one = series_of(values, RUNNING_STATS_MIN - 1),
                               enough = series_of(values, RUNNING_STATS_MIN);
    near(running_stats_error(&short_of_one), NAN, 0);
    assert_true(running_stats_error(&enough) > 0);
}

static void a_constant_series_has_zero_deviation(void **state)
{
    double values[100];
    (void)state;
    for (int i = 0; i < 100; i++)
        values[i] = 0.1;
    const struct running_stats series = series_of(values, 100),
                               zero = series_of((const double[]){0, 0, 0}, 3);
    near(running_stats_mean(&series), 0.1, 1e-15); /* a sum of a hundred rounded numbers */
    near(running_stats_sd(&series), 0, 1e-16);
    near(running_stats_error(&series), 0, 1e-17);
    near(running_stats_binder(&series), 2 / 3.0, 1e-15);
    near(running_stats_binder(&zero), NAN, 0);
}

/* Numbers for which <x^2> - <x>^2 has no correct digit. */
static void a_small_spread_about_a_large_mean_is_found(void **state)
{
    struct running_stats series = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        running_stats_add(&series, 1e6 + (i % 2 == 0 ? 1e-4 : -1e-4));
    near(running_stats_sd(&series), 1e-4, 1e-8);
}

/* Blocks cut from all values at once: the largest power of two that leaves 16 of them or more. */
static double brute_error(const double *values, size_t count)
{
    size_t length = 1;
    while (count / length >= RUNNING_STATS_BLOCKS)
        length *= 2;
    const size_t blocks = count / length;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < blocks * length; i++)
        mean += values[i] / (double)(blocks * length);
    for (size_t block = 0; block < blocks; block++) {
        double sum = 0;
        for (size_t i = block * length; i < (block + 1) * length; i++)
            sum += values[i];
        squares += (sum / (double)length - mean) * (sum / (double)length - mean);
    }
    return sqrt(squares / (double)(blocks * (blocks - 1)));
}

static void blocks_equal_those_of_the_whole_series_cut_into_pieces(void **state)
{
    static double values[MOST];
    struct running_stats series = {0};
    (void)state;
    random_state = 1;
    for (size_t i = 0; i < MOST; i++) {
        values[i] = uniform(-1, 3);
        running_stats_add(&series, values[i]);
        near(running_stats_error(&series), i + 1 < RUNNING_STATS_MIN ? NAN : brute_error(values, i + 1),
             1e-14);
    }
}

/* A series in which each value keeps a share of the one before it, and its mean over many of them. */
static void compare_with_means(double kept, int length)
{
    enum { ROUNDS = 1000 };
    double means = 0, squares = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct running_stats series = {0};
        double x = 0;
        for (int i = -200; i < length; i++) {
            x = kept * x + uniform(-1, 1);
            if (i >= 0)
                running_stats_add(&series, x);
        }
        means += running_stats_mean(&series) * running_stats_mean(&series) / ROUNDS;
        squares += running_stats_error(&series) * running_stats_error(&series) / ROUNDS;
    }
    /* Each of the two is known to 5 per cent (the square of a Gaussian number, over a thousand rounds, has sqrt(2 / 1000));
     * and blocks some ten times as long as the memory lack about a twentieth. */
    near(sqrt(squares / means), 1, 0.12);
}

static void the_spread_of_means_matches_the_standard_error(void **state)
{
    (void)state;
    random_state = 2;
    compare_with_means(0, 32);
    compare_with_means(0, 1000);
    compare_with_means(0.8, 3000);
    compare_with_means(-0.5, 500);
}

struct estimates {
    double mean, sd,
        drifts; /* of autocorrelation times, in units of the exact one; mean square of the drifts */
};

/* Estimates from such series, whose autocorrelation time is (1 + kept) / (2 (1 - kept)). */
static struct estimates estimate_times(double kept, double length_in_times)
{
    enum { ROUNDS = 300 };
    const double exact = (1 + kept) / (2 * (1 - kept));
    double sum = 0, squares = 0, drifts = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct running_stats series = {0};
        struct autocorrelation correlator = {0};
        double x = 0;
        for (int i = -1000; i < length_in_times * exact; i++) {
            x = kept * x + uniform(-1, 1);
            if (i < 0)
                continue;
            running_stats_add(&series, x);
            autocorrelation_add(&correlator, x);
        }
        const double time = autocorrelation_time(&correlator) / exact;
        sum += time;
        squares += time * time;
        drifts += running_stats_drift(&series) * running_stats_drift(&series) / ROUNDS;
    }
    return (struct estimates){sum / ROUNDS, sqrt(squares / ROUNDS - sum / ROUNDS * sum / ROUNDS), drifts};
}

/* A standard deviation over 300 rounds is known to 4 per cent. */
static void the_autocorrelation_time_of_a_long_series_has_an_error_of_less_than_15_per_cent(void **state)
{
    static const double kept[] = {0, 0.5, 0.8, 0.9, 0.95, 0.98};
    (void)state;
    random_state = 4;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const struct estimates times = estimate_times(kept[i], 1000);
        if (times.sd > 0.15)
            fail_msg("kept %g: a standard deviation of %g", kept[i], times.sd);
        near(times.mean, 1, 0.1);
        /* The variance of a number divided by an error from 15 to 30 degrees of freedom is 1.07 to 1.15. */
        near(times.drifts, 1.1, 0.25);
    }
}

static void the_autocorrelation_time_of_a_short_series_is_found_to_be_long(void **state)
{
    (void)state;
    random_state = 5;
    near(estimate_times(0.98, 20).mean, 1, 0.15);  /* the mean of 300 numbers with an error of 0.6 to 0.8 */
    near(estimate_times(0.99, 10).mean, 0.8, 0.2); /* a lower bound, and above a twentieth of the series */
}

/* A tenth of the variance has 99 times the correlation time of the rest, and most of the integral. */
static void a_weak_slow_correlation_is_included(void **state)
{
    enum { ROUNDS = 50 };
    double sum = 0;
    (void)state;
    random_state = 6;
    for (int round = 0; round < ROUNDS; round++) {
        struct autocorrelation correlator = {0};
        double slow = 0;
        for (int i = -1000; i < 20000; i++) {
            slow = 0.98 * slow + uniform(-1, 1);
            if (i >= 0) /* 1 / (1 - 0.98^2) = 25.25 */
                autocorrelation_add(&correlator, slow + 3 * sqrt(25.25) * uniform(-1, 1));
        }
        sum += autocorrelation_time(&correlator);
    }
    const double exact = 0.9 * 0.5 + 0.1 * 49.5;
    if (sum / ROUNDS < 0.5 * exact)
        fail_msg("%g is not %g", sum / ROUNDS, exact);
}

/* The standard error and the autocorrelation time are computed independently: error^2 = 2 time sd^2 / count. */
static void the_autocorrelation_time_and_the_standard_error_agree(void **state)
{
    enum { ROUNDS = 300, LENGTH = 10000 };
    double sum = 0;
    (void)state;
    random_state = 7;
    for (int round = 0; round < ROUNDS; round++) {
        struct running_stats series = {0};
        struct autocorrelation correlator = {0};
        double x = 0;
        for (int i = 0; i < LENGTH; i++) {
            x = 0.8 * x + uniform(-1, 1);
            running_stats_add(&series, x);
            autocorrelation_add(&correlator, x);
        }
        const double ratio = running_stats_error(&series) / running_stats_sd(&series);
        sum += ratio * ratio * LENGTH / (2 * autocorrelation_time(&correlator));
    }
    near(sum / ROUNDS, 1, 0.1); /* 300 squares of errors from 16 to 31 blocks: 2 per cent */
}

/* Moving all values by a number that is much larger than their spread changes nothing. */
static void a_large_mean_does_not_change_the_autocorrelation_time(void **state)
{
    struct autocorrelation small = {0}, large = {0};
    double x = 0;
    (void)state;
    random_state = 8;
    for (int i = 0; i < 5000; i++) {
        x = 0.9 * x + floor(uniform(-1024, 1024)) / 1048576;
        x = floor(x * 1048576) / 1048576; /* so that x + 1048576 is exact */
        autocorrelation_add(&small, x);
        autocorrelation_add(&large, x + 1048576);
    }
    near(autocorrelation_time(&large), autocorrelation_time(&small), 0);
}

static void few_or_equal_values_have_no_autocorrelation_time(void **state)
{
    struct autocorrelation series = {0}, equal = {0};
    (void)state;
    for (int i = 0; i < AUTOCORRELATION_MIN; i++) {
        near(autocorrelation_time(&series), NAN, 0);
        autocorrelation_add(&series, i % 3);
        autocorrelation_add(&equal, 0.1);
    }
    assert_true(autocorrelation_time(&series) >= 0.5);
    near(autocorrelation_time(&equal), NAN, 0);
}

static void a_trend_is_a_drift(void **state)
{
    struct running_stats rising = {0}, constant = {0};
    struct autocorrelation correlator = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        running_stats_add(&rising, i);
        autocorrelation_add(&correlator, i);
        running_stats_add(&constant, 1);
    }
    assert_true(running_stats_drift(&rising) > 3);
    assert_true(autocorrelation_time(&correlator) > 1000 / 20.0);
    near(running_stats_drift(&constant), NAN, 0);
}

/* A Gaussian number has <x^4> = 3 <x^2>^2. */
static void the_binder_cumulant_of_a_gaussian_is_zero(void **state)
{
    struct running_stats series = {0};
    (void)state;
    random_state = 3;
    for (int i = 0; i < 100000; i++) {
        double sum = 0;
        for (int k = 0; k < 48; k++)
            sum += uniform(-1, 1);
        running_stats_add(&series, sum);
    }
    /* 48 uniform numbers fall short of a Gaussian by 1.2 / 48 in <x^4> / <x^2>^2. */
    near(running_stats_binder(&series), 1.2 / 48 / 3, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_numbers),
        cmocka_unit_test(few_values_have_no_standard_error),
        cmocka_unit_test(a_constant_series_has_zero_deviation),
        cmocka_unit_test(a_small_spread_about_a_large_mean_is_found),
        cmocka_unit_test(blocks_equal_those_of_the_whole_series_cut_into_pieces),
        cmocka_unit_test(the_spread_of_means_matches_the_standard_error),
        cmocka_unit_test(the_autocorrelation_time_of_a_long_series_has_an_error_of_less_than_15_per_cent),
        cmocka_unit_test(the_autocorrelation_time_of_a_short_series_is_found_to_be_long),
        cmocka_unit_test(a_weak_slow_correlation_is_included),
        cmocka_unit_test(the_autocorrelation_time_and_the_standard_error_agree),
        cmocka_unit_test(a_large_mean_does_not_change_the_autocorrelation_time),
        cmocka_unit_test(few_or_equal_values_have_no_autocorrelation_time),
        cmocka_unit_test(a_trend_is_a_drift),
        cmocka_unit_test(the_binder_cumulant_of_a_gaussian_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
