/* What is said of a number that was measured again and again: its mean, its spread, and how well the mean is known.
 *
 * Values are taken one at a time and none is kept, so a series of any length takes the same room. The same values in the
 * same order give the same bits, whether or not the run was interrupted between them. Formulas are in docs/observables.md.
 */
#ifndef RUNNING_STATS_H
#define RUNNING_STATS_H

#include <stdint.h>

/** At least half as many blocks are whole once that many values were taken. The error of the mean wants RUNNING_STATS_MIN
 * values, so that no block is of one value alone. */
enum { RUNNING_STATS_BLOCKS = 32, RUNNING_STATS_MIN = 32 };

/** All zero is a series of nothing. */
struct running_stats {
    uint64_t count;
    double sum;
    double centre, deviations; /**< the mean as it grows, and the sum of squared deviations from it */
    double squares, fourths;   /**< sums of x^2 and of x^4 */
    double
        blocks[RUNNING_STATS_BLOCKS]; /**< sums over `length` values each, in the order in which these came */
    uint32_t block_count;             /**< whole ones */
    uint64_t length, open_count;
    double open; /**< the sum over the `open_count` values behind the last whole block */
};

void running_stats_add(struct running_stats *series, double value);

/** NAN of nothing. */
double running_stats_mean(const struct running_stats *series);

/** The standard deviation of the values, sqrt(<x^2> - <x>^2); NAN of fewer than two. */
double running_stats_sd(const struct running_stats *series);

/** The standard error of the mean, from the means of 16 to 31 blocks of equal length (batch means). True where blocks are
 * much longer than the values remember each other. NAN of fewer than RUNNING_STATS_MIN values. */
double running_stats_error(const struct running_stats *series);

/** Binder's cumulant, 1 - <x^4> / (3 <x^2>^2); NAN of fewer than two values, or where all are 0. */
double running_stats_binder(const struct running_stats *series);

#endif
