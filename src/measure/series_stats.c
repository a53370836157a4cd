/* Squared deviations from the current mean are summed (Welford's algorithm), because the difference <x^2> - <x>^2
 * would lose all digits if the standard deviation is small.
 *
 * Blocks are filled one after another. When there are RUNNING_STATS_BLOCKS blocks, neighbouring blocks are merged in
 * pairs, and all later blocks are twice as long.
 *
 *     | 1 | 2 | ... | 255 | 256 |   becomes   |  1 + 2  | ... | 255 + 256 |  next ...
 */
#include "series_stats.h"

#include "measure/sincos_f64.h"

#include <math.h>

/* COARSE: from this number of blocks on, errors use pairs of blocks, which takes half of the time. MOST_WAVES, LEAST_WAVES: waves of the
 * cosine transform that errors use, powers of 2. WINDOW: the error of the autocorrelation time grows with the root of the window. For an
 * exponential correlation, the part of the sum beyond a window of 3 is exp(-3) of the whole. */
enum { COARSE = 128, MOST_WAVES = 32, LEAST_WAVES = 8, WINDOW = 3 };

void series_stats_add(struct series_stats *series, double value)
{
    const double square = value * value, before = value - series->centre;
    series->sum += value;
    series->count++;
    series->centre += before / (double)series->count;
    series->deviations += before * (value - series->centre);
    series->squares += square;
    series->fourths += square * square;

    if (series->length == 0)
        series->length = 1;
    series->open += value;
    if (++series->open_count < series->length)
        return;
    series->blocks[series->block_count++] = series->open;
    series->open = 0;
    series->open_count = 0;
    if (series->block_count == RUNNING_STATS_BLOCKS) {
        series->block_count /= 2;
        series->length *= 2;
        for (uint32_t i = 0; i < series->block_count; i++)
            series->blocks[i] = series->blocks[2 * i] + series->blocks[2 * i + 1];
    }
}

double series_stats_mean(const struct series_stats *series)
{
    return series->sum / (double)series->count;
}

double series_stats_sd(const struct series_stats *series)
{
    return series->count < 2 ? NAN : sqrt(series->deviations / (double)series->count);
}

/* The deviations of the block means from their mean, each the mean of `merged` blocks. @return their number. */
static uint32_t find_deviations(const struct series_stats *series, uint32_t merged,
                                double deviations[RUNNING_STATS_BLOCKS])
{
    const uint32_t count = series->block_count / merged;
    const double length = (double)series->length * merged;
    double mean = 0;
    for (uint32_t i = 0; i < count; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < merged; j++)
            sum += series->blocks[merged * i + j];
        deviations[i] = sum / length - series->centre; /* so that the mean rounds little */
        mean += deviations[i] / count;
    }
    for (uint32_t i = 0; i < count; i++)
        deviations[i] -= mean;
    return count;
}

/* The power of each wave of the cosine transform of `deviations`. Its mean is the number of blocks times the variance of the mean of the
 * series, if the series has no correlations that are longer than a wave. Cosines come from the recurrence
 * cos(a + b) = 2 cos(a) cos(b) - cos(a - b). */
static void find_powers(const double *deviations, uint32_t count, double *powers, uint32_t wave_count)
{
    for (uint32_t wave = 1; wave <= wave_count; wave++) {
        const double half = sincos_f64(wave / (4.0 * count)).cosine, factor = 4 * half * half - 2;
        double cosine = half, previous = half, sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            const double next = factor * cosine - previous;
            sum += deviations[i] * cosine;
            previous = cosine;
            cosine = next;
        }
        powers[wave - 1] = 2 * sum * sum / count;
    }
}

/* An error is averaged over these shapes of the spectrum: floor + (1 - floor) / (1 + (wave / corner)^2), with the prior `weight`. An
 * exponential correlation whose time is the length of the series divided by pi times `corner` has this shape, without a floor. */
static const struct shape {
    double corner, floor, weight;
} shapes[] = {{1, 1, 1}, {10, 0, 0.3}, {0.2, 0.01, 0.15}, {0.2, 0, 0.05}};
enum { STATIONARY_SHAPES = 2, ALL_SHAPES = sizeof shapes / sizeof *shapes };
static const double scale = 0.68; /* makes intervals contain the mean as often as docs/observables.md says */

/* The mean of the second half of the blocks minus the mean of the first half. */
static double find_difference(const struct series_stats *series)
{
    const uint32_t half = series->block_count / 2;
    double difference = 0;
    for (uint32_t i = 0; i < half; i++)
        difference += series->blocks[series->block_count - 1 - i] - series->blocks[i];
    return difference / ((double)half * (double)series->length);
}

/* The standard error of the mean from the powers of the longest waves: the average over the first `shape_count` shapes. */
static double average_over_shapes(const double *powers, uint32_t wave_count, uint32_t count, int shape_count)
{
    double flat = 0, sum = 0, weights = 0;
    for (uint32_t j = 0; j < wave_count; j++)
        flat += powers[j];
    for (int k = 0; k < shape_count; k++) {
        double product = 1, quotient = 0;
        for (uint32_t j = 0; j < wave_count; j++) {
            const double wave = (j + 1) / shapes[k].corner;
            const double inverse = 1 / (shapes[k].floor + (1 - shapes[k].floor) / (1 + wave * wave));
            product *= inverse;
            quotient += powers[j] * inverse;
        }
        double likelihood = flat / quotient; /* the loop raises it to the power of wave_count / 2 */
        for (uint32_t n = 2; n < wave_count; n *= 2)
            likelihood *= likelihood;
        const double weight = shapes[k].weight * sqrt(product) * likelihood;
        weights += weight;
        sum += weight * sqrt(quotient / ((wave_count - 2) * (double)count));
    }
    return flat > 0 ? sum / weights : 0;
}

double series_stats_error(const struct series_stats *series, double *drift)
{
    double deviations[RUNNING_STATS_BLOCKS], powers[MOST_WAVES];
    *drift = NAN;
    if (series->count < RUNNING_STATS_MIN)
        return NAN;
    const uint32_t count = find_deviations(series, series->block_count < COARSE ? 1 : 2, deviations);
    uint32_t wave_count = count < 2 * MOST_WAVES ? MOST_WAVES / 2 : MOST_WAVES;
    find_powers(deviations, count, powers, wave_count);
    const double stationary = average_over_shapes(powers, wave_count, count, STATIONARY_SHAPES);
    if (!(series->deviations > 0) || stationary == 0)
        return 0;
    *drift = find_difference(series) / (2 * stationary);
    /* The powers of shorter waves say how smooth the series is, which would be taken for a drift. */
    const double longest = (double)series->count / (4 * series_stats_time(series));
    while (wave_count > LEAST_WAVES && wave_count > longest)
        wave_count /= 2;
    return scale * average_over_shapes(powers, wave_count, count, ALL_SHAPES);
}

/* The sum over all lags can be computed from values or from blocks:
 *
 *     variance * (1/2 + sum of rho) = length * variance of blocks * (1/2 + sum of rho of blocks)
 *
 * It ends at the first lag that is at least WINDOW times the sum so far (Sokal's window) and at which rho is below twice its noise. The
 * last factor removes the bias that results from using the mean of the same series (Wolff 2004, eq. 49). */
double series_stats_time(const struct series_stats *series)
{
    double deviations[RUNNING_STATS_BLOCKS], squares = 0, sum = 0.5, rho = 1;
    const double variance = series->deviations / (double)series->count;
    if (series->count < RUNNING_STATS_MIN || !(variance > 0))
        return NAN;
    const uint32_t count = find_deviations(series, 1, deviations);
    uint32_t lag = 0;
    for (uint32_t i = 0; i < count; i++)
        squares += deviations[i] * deviations[i];
    if (squares == 0)
        return 0;
    while (lag < count / 2 && (lag < WINDOW * sum || rho >= 2 * sqrt(2 * sum / count))) {
        lag++;
        rho = 0;
        for (uint32_t i = lag; i < count; i++)
            rho += deviations[i] * deviations[i - lag];
        rho /= squares;
        sum = fmax(sum + rho, 0.5);
    }
    return (double)series->length * (squares / count / variance) * sum * (1 + (2.0 * lag + 1) / count);
}

double series_stats_binder(const struct series_stats *series)
{
    const double count = (double)series->count, square = series->squares / count;
    return series->count < 2 ? NAN : 1 - series->fourths / count / (3 * (square * square));
}
