/* Level k divides the series into blocks of 2^k values. For lags of 0 to 8 blocks, it adds up products of two means of
 * blocks, so the lags of all levels cover the whole series. The sum over all lags can be computed from values or from blocks:
 *
 *     variance * (1/2 + sum of rho) = 2^k * variance of blocks * (1/2 + sum of rho of blocks)
 *
 * The sum ends at the first lag that meets two conditions: it is at least WINDOW times the autocorrelation time computed so far (Sokal's
 * window), and rho is below twice its noise. So a weak but slow correlation is included. The first level with such a lag gives the time.
 */
#include "autocorrelation.h"

#include <math.h>
#include <stdbool.h>

/* WINDOW: the error grows with the root of the window. For an exponential correlation, the part of the sum beyond a window of 3 is exp(-3)
 * of the whole. This is less than half of the standard error in a series that is 1,000 autocorrelation times long. MIN_BLOCKS: levels with
 * fewer blocks are not used. */
enum { WINDOW = 3, MIN_BLOCKS = 16 };

void autocorrelation_add(struct autocorrelation *series, double value)
{
    if (series->levels[0].count == 0)
        series->origin = value;
    double block = value - series->origin;
    for (struct autocorrelation_level *level = series->levels;
         level < series->levels + AUTOCORRELATION_LEVELS; level++) {
        const uint64_t count = level->count++;
        const double previous = level->recent[(count - 1) % AUTOCORRELATION_LAGS];
        level->products[0] += block * block;
        level->sums[0] += block + block;
        for (uint64_t lag = 1; lag <= AUTOCORRELATION_LAGS && lag <= count; lag++) {
            const double earlier = level->recent[(count - lag) % AUTOCORRELATION_LAGS];
            level->products[lag] += block * earlier;
            level->sums[lag] += block + earlier;
        }
        level->recent[count % AUTOCORRELATION_LAGS] = block;
        if (count % 2 == 0)
            return;
        block = (previous + block) / 2;
    }
}

/* The covariance of blocks that are `lag` apart. */
static double covariance(const struct autocorrelation_level *level, uint64_t lag)
{
    const double mean = level->sums[0] / (2 * (double)level->count);
    return (level->products[lag] - mean * level->sums[lag]) / (double)(level->count - lag) + mean * mean;
}

/* The autocorrelation time of a level, in units of its blocks, without the bias that results from using the mean of
 * the same series (Wolff 2004, eq. 49). @return whether the window ends within the lags of the level. */
static bool sum_correlations(const struct autocorrelation_level *level, double *time)
{
    const double variance = covariance(level, 0), count = (double)level->count;
    double sum = 0.5;
    bool is_complete = false;
    uint64_t lag = 0;
    while (lag < AUTOCORRELATION_LAGS && !is_complete) {
        const double rho = covariance(level, ++lag) / variance;
        sum = fmax(sum + rho, 0.5);
        is_complete = (double)lag >= WINDOW * sum && rho < 2 * sqrt(2 * sum / count);
    }
    *time = sum * (1 + (2 * (double)lag + 1) / count);
    return is_complete;
}

double autocorrelation_time(const struct autocorrelation *series)
{
    const struct autocorrelation_level *levels = series->levels;
    const double variance = covariance(&levels[0], 0);
    double time = NAN;
    bool is_complete = false;
    if (levels[0].count < AUTOCORRELATION_MIN || !(variance > 0))
        return NAN;
    for (int k = 0; k < AUTOCORRELATION_LEVELS && levels[k].count >= MIN_BLOCKS && !is_complete; k++) {
        is_complete = sum_correlations(&levels[k], &time);
        time *= ldexp(covariance(&levels[k], 0) / variance, k);
    }
    return time;
}
