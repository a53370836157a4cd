/* What the engine tells the time by, to see what pays. No result depends on it. */
#ifndef ENGINE_CLOCK_H
#define ENGINE_CLOCK_H

#include <time.h>

/** Seconds on a clock that only goes forward. */
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
