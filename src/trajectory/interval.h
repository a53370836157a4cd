/* The steps at which a run writes frames or measures. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** The highest step of a run. The time of a frame is its step number, stored as a double; larger step numbers would not be exact. */
#define MAX_STEP (UINT64_C(1) << 53)

/** The steps at which something is written: a first step and, after it, each multiple of `every`. */
struct interval {
    uint64_t first, every;
};

static inline bool interval_contains(struct interval interval, uint64_t step)
{
    return step == interval.first || (step > interval.first && step % interval.every == 0);
}

/** The step of row number `row`, which counts from 0. */
static inline uint64_t interval_step(struct interval interval, uint64_t row)
{
    return row == 0 ? interval.first : (interval.first / interval.every + row) * interval.every;
}

/** The number of rows up to and including a step. */
static inline uint64_t interval_count(struct interval interval, uint64_t last)
{
    return last < interval.first ? 0 : 1 + last / interval.every - interval.first / interval.every;
}

/** The number of rows of a file: one for each step in the interval, and one for the last step. */
static inline uint64_t interval_rows(struct interval interval, uint64_t last)
{
    return interval_count(interval, last) + !interval_contains(interval, last);
}

static inline bool interval_equals(struct interval a, struct interval b)
{
    return a.first == b.first && a.every == b.every;
}
