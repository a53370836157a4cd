/* How long ago something was. */
#ifndef MOMENT_H
#define MOMENT_H

#include <time.h>

/** Seconds on the monotonic clock. */
static inline double moment_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
