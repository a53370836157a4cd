/* Statistics of a series, compared with those computed from all of its values at once, and with series for which the error of the
 * mean is known. */
#include "measure/series_stats.h"
#include "random.h"

enum { MOST = 5000 };

static double error_of(const struct series_stats *series)
{
    double drift;
    return series_stats_error(series, &drift);
}

static double drift_of(const struct series_stats *series)
{
    double drift;
    series_stats_error(series, &drift);
    return drift;
}

static struct series_stats series_of(const double *values, size_t count)
{
    struct series_stats series = {0};
    for (size_t i = 0; i < count; i++)
        series_stats_add(&series, values[i]);
    return series;
}

TEST(four_numbers)
{
    const struct series_stats series = series_of((const double[]){1, 2, 3, 6}, 4);
    near(series_stats_mean(&series), 3, 0);
    near(series_stats_sd(&series), sqrt((4 + 1 + 0 + 9) / 4.0), 1e-15);
    /* <x^2> = 50/4, <x^4> = 1394/4. */
    near(series_stats_binder(&series), 1 - 348.5 / (3 * 12.5 * 12.5), 1e-15);
    near(error_of(&series), NAN, 0);
}

TEST(few_values_have_no_standard_error)
{
    const struct series_stats nothing = {0}, one = series_of((const double[]){3}, 1);
    near(series_stats_mean(&nothing), NAN, 0);
    near(series_stats_sd(&nothing), NAN, 0);
    near(series_stats_binder(&nothing), NAN, 0);
    near(series_stats_mean(&one), 3, 0);
    near(series_stats_sd(&one), NAN, 0);
    near(series_stats_binder(&one), NAN, 0);
    double values[RUNNING_STATS_MIN];
    for (int i = 0; i < RUNNING_STATS_MIN; i++)
        values[i] = i;
    const struct series_stats short_of_one = series_of(values, RUNNING_STATS_MIN - 1),
                              enough = series_of(values, RUNNING_STATS_MIN);
    near(error_of(&short_of_one), NAN, 0);
    assert_true(error_of(&enough) > 0);
}

TEST(a_constant_series_has_zero_deviation)
{
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = 0.1;
    const struct series_stats series = series_of(values, 100), zero = series_of((const double[]){0, 0, 0}, 3);
    near(series_stats_mean(&series), 0.1, 1e-15); /* a sum of a hundred rounded numbers */
    near(series_stats_sd(&series), 0, 1e-16);
    near(error_of(&series), 0, 1e-17);
    near(series_stats_binder(&series), 2 / 3.0, 1e-15);
    near(series_stats_binder(&zero), NAN, 0);
}

/* Numbers for which <x^2> - <x>^2 has no correct digit. */
TEST(a_small_spread_about_a_large_mean_is_found)
{
    struct series_stats series = {0};
    for (int i = 0; i < 1000; i++)
        series_stats_add(&series, 1e6 + (i % 2 == 0 ? 1e-4 : -1e-4));
    near(series_stats_sd(&series), 1e-4, 1e-8);
}

/* The largest power of two that leaves fewer than RUNNING_STATS_BLOCKS blocks. */
TEST(blocks_equal_those_of_the_whole_series_cut_into_pieces)
{
    static double values[MOST];
    struct series_stats series = {0};
    random_state = 1;
    for (size_t i = 0; i < MOST; i++) {
        values[i] = uniform(-1, 3);
        series_stats_add(&series, values[i]);
        size_t length = 1;
        while ((i + 1) / length >= RUNNING_STATS_BLOCKS)
            length *= 2;
        assert_int_equal(series.length, length);
        assert_int_equal(series.block_count, (i + 1) / length);
        const size_t block = i % series.block_count;
        double sum = 0;
        for (size_t k = 0; k < length; k++)
            sum += values[block * length + k];
        near(series.blocks[block], sum, 1e-12);
    }
}

/* A sum of two exponentially correlated series with these autocorrelation times, of which the second has a share of the variance. If
 * `smooth` is above 0, their sum is smoothed twice, exponentially over so many values. */
struct process {
    int length;
    double time, slow_time, slow_share, smooth;
};

static double gaussian(void)
{
    double sum = 0;
    for (int k = 0; k < 12; k++)
        sum += uniform(-0.5, 0.5);
    return sum;
}

static double add_series(const struct process *process, struct series_stats *series)
{
    const double kept = exp(-1 / process->time), slow_kept = exp(-1 / process->slow_time);
    const double share = sqrt(1 - process->slow_share), slow_share = sqrt(process->slow_share);
    const double held = process->smooth > 0 ? exp(-1 / process->smooth) : 0;
    double x = gaussian(), y = gaussian(), once = 0, twice = 0;
    for (int i = -20 * (int)process->smooth; i < process->length; i++) {
        once = held * once + (1 - held) * (share * x + slow_share * y);
        twice = held * twice + (1 - held) * once;
        if (i >= 0)
            series_stats_add(series, twice);
        x = kept * x + sqrt(1 - kept * kept) * gaussian();
        y = process->slow_share > 0 ? slow_kept * y + sqrt(1 - slow_kept * slow_kept) * gaussian() : 0;
    }
    return series_stats_mean(series);
}

/* The exact mean is 0. Limits are wider than the claims by three standard deviations of a share of 4,000 series. */
TEST(errors_cover_the_exact_mean)
{
    enum { ROUNDS = 4000 };
    static const struct process processes[] = {
        {200, 10, 1, 0, 0},                                                /* 20 autocorrelation times */
        {320, 2, 1, 0, 0},         {500, 1, 1, 0, 0}, {64, 0.05, 1, 0, 0}, /* independent values */
        {2000, 0.5, 100, 0.02, 0}, /* a weak part that lasts 200 times longer */
        {500, 25, 1, 0, 4},        /* 16 autocorrelation times, smooth */
        {500, 25, 1, 0, 10}};      /* 12 */
    random_state = 2;
    for (size_t p = 0; p < COUNT(processes); p++) {
        static double means[ROUNDS], errors[ROUNDS];
        double within_one = 0, within_two = 0, squares = 0, large = 0, small = 0;
        for (int round = 0; round < ROUNDS; round++) {
            struct series_stats series = {0};
            means[round] = fabs(add_series(&processes[p], &series));
            errors[round] = error_of(&series);
            squares += means[round] * means[round] / ROUNDS;
        }
        for (int round = 0; round < ROUNDS; round++) {
            within_one += (means[round] < errors[round]) / (double)ROUNDS;
            within_two += (means[round] < 2 * errors[round]) / (double)ROUNDS;
            large += (errors[round] > 1.2 * sqrt(squares)) / (double)ROUNDS;
            small += (errors[round] < 0.9 * sqrt(squares)) / (double)ROUNDS;
        }
        if (within_one < 0.62 || within_one > 0.76 + 0.022 || within_two < 0.90 - 0.014 || within_two > 0.97)
            fail_msg("process %zu: shares of %.3f and %.3f", p, within_one, within_two);
        if (large > 0.5 || small > 0.5)
            fail_msg("process %zu: the median error is not 0.9 to 1.2 of the truth: %.3f above, %.3f below",
                     p, large, small);
    }
}

TEST(a_stationary_series_rarely_drifts)
{
    enum { ROUNDS = 2000 };
    random_state = 3;
    for (double times = 20; times <= 2000; times *= 10) {
        int drifts = 0;
        for (int round = 0; round < ROUNDS; round++) {
            struct series_stats series = {0};
            add_series(&(struct process){200, 200 / times, 1, 0, 0}, &series);
            drifts += fabs(drift_of(&series)) > 3;
        }
        if (drifts > 0.015 * ROUNDS)
            fail_msg("%d of %d series of %g autocorrelation times drift", drifts, ROUNDS, times);
    }
}

struct estimates {
    double mean, sd; /* of autocorrelation times, in units of the exact one */
};

/* Estimates from such series, whose autocorrelation time is (1 + kept) / (2 (1 - kept)). */
static struct estimates estimate_times(double kept, double length_in_times)
{
    enum { ROUNDS = 300 };
    const double exact = (1 + kept) / (2 * (1 - kept));
    double sum = 0, squares = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct series_stats series = {0};
        double x = 0;
        for (int i = -1000; i < length_in_times * exact; i++) {
            x = kept * x + uniform(-1, 1);
            if (i >= 0)
                series_stats_add(&series, x);
        }
        const double time = series_stats_time(&series) / exact;
        sum += time;
        squares += time * time;
    }
    return (struct estimates){sum / ROUNDS, sqrt(squares / ROUNDS - sum / ROUNDS * sum / ROUNDS)};
}

/* A standard deviation over 300 rounds is known to 4 per cent. */
TEST(the_autocorrelation_time_of_a_long_series_has_an_error_of_a_quarter)
{
    static const double kept[] = {0, 0.5, 0.8, 0.9, 0.95, 0.98};
    random_state = 4;
    for (size_t i = 0; i < COUNT(kept); i++) {
        const struct estimates times = estimate_times(kept[i], 1000);
        if (times.sd > 0.28)
            fail_msg("kept %g: a standard deviation of %g", kept[i], times.sd);
        near(times.mean, 1, 0.12);
    }
}

TEST(the_autocorrelation_time_of_a_short_series_is_found_to_be_long)
{
    random_state = 5;
    near(estimate_times(0.98, 20).mean, 1, 0.15);  /* the mean of 300 numbers with an error of 0.6 to 0.8 */
    near(estimate_times(0.99, 10).mean, 0.8, 0.2); /* a lower bound, and above a twentieth of the series */
}

/* A tenth of the variance has 99 times the correlation time of the rest, and most of the integral. */
TEST(a_weak_slow_correlation_is_included)
{
    enum { ROUNDS = 50 };
    double sum = 0;
    random_state = 6;
    for (int round = 0; round < ROUNDS; round++) {
        struct series_stats series = {0};
        double slow = 0;
        for (int i = -1000; i < 20000; i++) {
            slow = 0.98 * slow + uniform(-1, 1);
            if (i >= 0) /* 1 / (1 - 0.98^2) = 25.25 */
                series_stats_add(&series, slow + 3 * sqrt(25.25) * uniform(-1, 1));
        }
        sum += series_stats_time(&series);
    }
    const double exact = 0.9 * 0.5 + 0.1 * 49.5;
    if (sum / ROUNDS < 0.5 * exact)
        fail_msg("%g is not %g", sum / ROUNDS, exact);
}

/* Moving all values by a number that is much larger than their spread changes nothing. */
TEST(a_large_mean_does_not_change_the_estimates)
{
    struct series_stats small = {0}, large = {0};
    double x = 0;
    random_state = 8;
    for (int i = 0; i < 5000; i++) {
        x = 0.9 * x + floor(uniform(-1024, 1024)) / 1048576;
        x = floor(x * 1048576) / 1048576; /* so that x + 1048576 is exact */
        series_stats_add(&small, x);
        series_stats_add(&large, x + 1048576);
    }
    near(series_stats_time(&large), series_stats_time(&small), 1e-5);
    near(error_of(&large), error_of(&small), 1e-9);
}

TEST(few_or_equal_values_have_no_autocorrelation_time)
{
    struct series_stats series = {0}, equal = {0};
    for (int i = 0; i < RUNNING_STATS_MIN; i++) {
        near(series_stats_time(&series), NAN, 0);
        series_stats_add(&series, i % 3);
        series_stats_add(&equal, 0.1);
    }
    assert_true(series_stats_time(&series) > 0);
    near(series_stats_time(&equal), NAN, 0);
}

TEST(a_trend_is_a_drift)
{
    struct series_stats rising = {0}, constant = {0};
    for (int i = 0; i < 1000; i++) {
        series_stats_add(&rising, i);
        series_stats_add(&constant, 1);
    }
    assert_true(drift_of(&rising) > 3);
    assert_true(series_stats_time(&rising) > 1000 / 20.0);
    near(drift_of(&constant), NAN, 0);
}

/* A Gaussian number has <x^4> = 3 <x^2>^2. */
TEST(the_binder_cumulant_of_a_gaussian_is_zero)
{
    struct series_stats series = {0};
    random_state = 3;
    for (int i = 0; i < 100000; i++) {
        double sum = 0;
        for (int k = 0; k < 48; k++)
            sum += uniform(-1, 1);
        series_stats_add(&series, sum);
    }
    /* 48 uniform numbers fall short of a Gaussian by 1.2 / 48 in <x^4> / <x^2>^2. */
    near(series_stats_binder(&series), 1.2 / 48 / 3, 0.02);
}

SUITE("series stats")
