/* CPU affinity of the threads of a team, for a machine whose processors are also used by other programs.
 *
 * If all processors are busy, Linux wakes a thread on the processor of the thread that woke it, and the two share this
 * processor. So helper threads may not use the processor of the caller. If another program takes the processor of a
 * helper during a chunk, the helper moves to the processor of the caller, which only waits.
 *
 * The speed of two threads relative to one, on two cores with 16 neighbours in float32 (medians of 8 alternating runs):
 *
 *     boids      beside one busy process    without these functions
 *     10,000     1.17                       0.99
 *     100,000    1.38                       1.19
 *
 * If nothing else runs, the speeds are 1.82 and 1.89.
 *
 * Only team.c, which defines _GNU_SOURCE, includes this header. On systems other than Linux, these functions do
 * nothing. If the system refuses a change, the run only takes longer.
 */
#pragma once

#include "base/clock.h"

#include <pthread.h>

#ifdef __linux__

#include <sched.h>

static inline int affinity_processor(void)
{
    return sched_getcpu();
}

/** Allow a thread all processors of the calling thread except this one, if there are others. */
static inline void affinity_exclude(pthread_t thread, int processor)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    CPU_CLR((size_t)processor, &set);
    pthread_setaffinity_np(thread, sizeof set, &set); /* the system refuses an empty set */
}

/** Allow a thread only this processor. */
static inline void affinity_confine(pthread_t thread, int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    pthread_setaffinity_np(thread, sizeof set, &set);
}

/** CPU time of a thread in seconds. */
static inline double affinity_thread_seconds(pthread_t thread)
{
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return clock_seconds();
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#else

#define affinity_processor()                (-1)
#define affinity_exclude(thread, processor) ((void)0)
#define affinity_confine(thread, processor) ((void)0)
#define affinity_thread_seconds(thread)     clock_seconds()

#endif
