/* What time is told by, to see what pays and how long something took. No result depends on it. */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

/** Seconds on a clock that only goes forward. */
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** Seconds that the calling thread has computed: not those for which others had its processor. */
static inline double clock_thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
