/* What all benchmarks measure with. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include "clock.h"

#include <stdlib.h>
#include <time.h>

/** Seconds that this thread has computed: others on the machine do not count, but for what they take of its caches. */
static inline double timing_own_seconds(void)
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

/** The median of some samples, which are sorted on the way; the upper one of two. */
static inline double timing_median(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, timing_compare);
    return samples[count / 2];
}

#endif
