/* Clocks and medians for all benchmarks. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include "base/clock.h"

#include <stdlib.h>

/** Processor seconds of the calling thread. */
static inline double clock_thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int timing_compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/** The median of some samples, or the upper of two; sorts them. */
static inline double timing_median(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, timing_compare);
    return samples[count / 2];
}

#endif
