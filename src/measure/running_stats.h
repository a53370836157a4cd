/* Running statistics of a series of values: mean, standard deviation, and standard error of the mean.
 *
 * Values are added one at a time and not stored, so the memory does not grow with the series. The same values in the
 * same order give the same bits, even if the run was interrupted between them. Formulas are in docs/observables.md.
 */
#ifndef RUNNING_STATS_H
#define RUNNING_STATS_H

#include <stdint.h>

/** After RUNNING_STATS_BLOCKS values at least half of the blocks are complete. The error of the mean needs
 * RUNNING_STATS_MIN values, so that each block has more than one. */
enum { RUNNING_STATS_BLOCKS = 32, RUNNING_STATS_MIN = 32 };

/** All zeros: an empty series. */
struct running_stats {
    uint64_t count;
    double sum;
    double centre,
        deviations; /**< the running mean of the values so far, and the sum of squared deviations from it */
    double squares, fourths;             /**< sums of x^2 and of x^4 */
    double blocks[RUNNING_STATS_BLOCKS]; /**< sums over `length` values each, in the order of the values */
    uint32_t block_count;                /**< complete blocks */
    uint64_t length, open_count;
    double open; /**< the sum over the `open_count` values after the last complete block */
};

void running_stats_add(struct running_stats *series, double value);

/** NAN for an empty series. */
double running_stats_mean(const struct running_stats *series);

/** The standard deviation of the values, sqrt(<x^2> - <x>^2); NAN for fewer than two. */
double running_stats_sd(const struct running_stats *series);

/** The standard error of the mean, from the means of 16 to 31 blocks of equal length (batch means). Correct if blocks
 * are much longer than the correlation time. NAN for fewer than RUNNING_STATS_MIN values. */
double running_stats_error(const struct running_stats *series);

/** The integrated autocorrelation time in values, 1/2 + sum of rho(k) over all lags k > 0, from the blocks: 1/2 for independent values.
 * About 20 % too large if a block is much longer. A time above a twentieth of the series is a lower bound. NAN as running_stats_error(), and
 * if all values are equal. */
double running_stats_autocorrelation_time(const struct running_stats *series);

/** The mean of the second half of the blocks minus that of the first half, in standard errors of this difference. NAN likewise. */
double running_stats_drift(const struct running_stats *series);

/** Binder's cumulant, 1 - <x^4> / (3 <x^2>^2); NAN for fewer than two values, or if all are 0. */
double running_stats_binder(const struct running_stats *series);

#endif
