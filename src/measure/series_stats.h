/* Running statistics of a series of values: mean, standard deviation, standard error of the mean, autocorrelation time and drift.
 *
 * Values are added one at a time and only means of blocks are stored, so the memory does not grow with the series. The results depend
 * only on the values and their order, so they are bit-identical if a run is stopped and resumed. Formulas are in
 * docs/observables.md.
 */
#pragma once

#include <stdint.h>

/** There are at most RUNNING_STATS_BLOCKS complete blocks and, after that many values, at least half as many.
 * RUNNING_STATS_MIN is the minimum number of values for an error, an autocorrelation time and a drift. */
enum { RUNNING_STATS_BLOCKS = 256, RUNNING_STATS_MIN = 32 };

/** All zeros: an empty series. */
struct series_stats {
    uint64_t count;
    double sum;
    double centre, deviations; /**< mean of the values so far, and sum of the squared deviations from it */
    double squares, fourths;   /**< sums of x^2 and of x^4 */
    double blocks[RUNNING_STATS_BLOCKS]; /**< each block is the sum of `length` successive values */
    uint32_t block_count;                /**< number of complete blocks */
    uint64_t length, open_count;
    double open; /**< sum of the `open_count` values after the last complete block */
};

void series_stats_add(struct series_stats *series, double value);

/** The mean of the values; NAN for an empty series. */
double series_stats_mean(const struct series_stats *series);

/** The standard deviation of the values, sqrt(<x^2> - <x>^2); NAN for fewer than two. */
double series_stats_sd(const struct series_stats *series);

/** The standard error of the mean, from the spectrum of the series at low frequencies. If the correlation is exponential, or such a series
 * that was smoothed, and the series is 12 or more autocorrelation times long, the mean is within one error of the exact mean in 67 to 77 %
 * of the cases, and within two in 90 to 96 %. NAN for fewer than RUNNING_STATS_MIN values.
 *
 * @param drift receives the mean of the second half of the blocks minus the mean of the first half, in units of the standard error of
 *   this difference in a series without drift; NAN if there is no error, or if all values are equal.
 */
double series_stats_error(const struct series_stats *series, double *drift);

/** The integrated autocorrelation time, 1/2 + the sum of rho(k) over all lags k > 0, in units of the interval between two values; about
 * 1/2 for independent values. NAN for fewer than RUNNING_STATS_MIN values, or if all values are equal. */
double series_stats_time(const struct series_stats *series);

/** Binder's cumulant, 1 - <x^4> / (3 <x^2>^2); NAN for fewer than two values, or if all are 0. */
double series_stats_binder(const struct series_stats *series);
