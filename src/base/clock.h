/* Clocks, to compare the cost of two methods and to report durations. No result depends on them. */
#pragma once

#include <time.h>

/** Seconds on a monotonic clock. */
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
