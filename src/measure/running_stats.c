/* Squared deviations from the current mean are summed (Welford's algorithm), because the difference <x^2> - <x>^2
 * would lose all digits if the standard deviation is small.
 *
 * Blocks are filled one after another. When there are RUNNING_STATS_BLOCKS blocks, neighbouring blocks are merged in
 * pairs, and all later blocks are twice as long.
 *
 *     | 1 | 2 | ... | 31 | 32 |   becomes   |  1 + 2  | ... | 31 + 32 |  next ...
 */
#include "running_stats.h"

#include <math.h>

void running_stats_add(struct running_stats *series, double value)
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

double running_stats_mean(const struct running_stats *series)
{
    return series->sum / (double)series->count;
}

double running_stats_sd(const struct running_stats *series)
{
    return series->count < 2 ? NAN : sqrt(series->deviations / (double)series->count);
}

double running_stats_error(const struct running_stats *series)
{
    const double count = series->block_count;
    double sum = 0, deviations = 0;
    if (series->count < RUNNING_STATS_MIN)
        return NAN;
    for (uint32_t i = 0; i < series->block_count; i++)
        sum += series->blocks[i];
    for (uint32_t i = 0; i < series->block_count; i++) {
        const double deviation = series->blocks[i] - sum / count;
        deviations += deviation * deviation;
    }
    return sqrt(deviations / (count * (count - 1))) / (double)series->length;
}

double running_stats_drift(const struct running_stats *series)
{
    const uint32_t half = series->block_count / 2;
    const double error = running_stats_error(series);
    double difference = 0;
    if (!(error > 0))
        return NAN;
    for (uint32_t i = 0; i < half; i++)
        difference += series->blocks[series->block_count - 1 - i] - series->blocks[i];
    return difference / ((double)half * (double)series->length) / (2 * error);
}

double running_stats_binder(const struct running_stats *series)
{
    const double count = (double)series->count, square = series->squares / count;
    return series->count < 2 ? NAN : 1 - series->fourths / count / (3 * (square * square));
}
