/* The steps at which something is written: a first one, and from then on each multiple of `every`. */
#ifndef CADENCE_H
#define CADENCE_H

#include <stdbool.h>
#include <stdint.h>

struct interval {
    uint64_t first, every;
};

static inline bool interval_contains(struct interval interval, uint64_t step)
{
    return step == interval.first || (step > interval.first && step % interval.every == 0);
}

/** The step of a row, counted from 0. */
static inline uint64_t interval_step(struct interval interval, uint64_t row)
{
    return row == 0 ? interval.first : (interval.first / interval.every + row) * interval.every;
}

/** The number of rows up to and including a step. */
static inline uint64_t interval_count(struct interval interval, uint64_t last)
{
    return last < interval.first ? 0 : 1 + last / interval.every - interval.first / interval.every;
}

static inline bool interval_equals(struct interval a, struct interval b)
{
    return a.first == b.first && a.every == b.every;
}

#endif
