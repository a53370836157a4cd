/* CPU affinity of the threads of a team.
 *
 * If all processors are busy, Linux wakes a thread on the processor of the thread that woke it, so the two share one
 * processor. Therefore helper threads may not use the caller's processor. If another program takes
 * the processor of a helper during a chunk, the helper is moved to the processor of the caller, which only waits.
 *
 * Only team.c, which defines _GNU_SOURCE, includes this header. On systems other than Linux, these functions do
 * nothing. If the system refuses a change, the run only takes longer.
 */
#ifndef ENGINE_AFFINITY_H
#define ENGINE_AFFINITY_H

#include "clock.h"

#include <pthread.h>
#include <sched.h>

struct affinity {
#ifdef __linux__
    cpu_set_t allowed; /**< to this program */
    int avoided;       /**< the processor that helpers may not use; -1: none */
#else
    int unused;
#endif
};

#ifdef __linux__

static inline void affinity_init(struct affinity *affinity)
{
    CPU_ZERO(&affinity->allowed);
    sched_getaffinity(0, sizeof affinity->allowed, &affinity->allowed);
    affinity->avoided = -1;
}

/** Keep these threads off the caller's processor, if the program may use another one. Does nothing if the caller is
 * still on the same processor as in the last call. */
static inline void affinity_avoid_caller(struct affinity *affinity, const pthread_t *threads, int count)
{
    const int here = sched_getcpu();
    if (here == affinity->avoided || here < 0)
        return;
    affinity->avoided = here;
    cpu_set_t others = affinity->allowed;
    CPU_CLR((size_t)here, &others);
    for (int k = 0; k < count && CPU_COUNT(&others) > 0; k++)
        pthread_setaffinity_np(threads[k], sizeof others, &others);
}

/** Move a thread to the caller's processor, until affinity_avoid_caller() is called again. */
static inline void affinity_move_to_caller(struct affinity *affinity, pthread_t thread)
{
    const int here = sched_getcpu();
    cpu_set_t only;
    if (here < 0 || CPU_COUNT(&affinity->allowed) < 2)
        return;
    CPU_ZERO(&only);
    CPU_SET((size_t)here, &only);
    pthread_setaffinity_np(thread, sizeof only, &only);
    affinity->avoided = -1;
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

static inline void affinity_init(struct affinity *affinity)
{
    (void)affinity;
}

static inline void affinity_avoid_caller(struct affinity *affinity, const pthread_t *threads, int count)
{
    (void)affinity;
    (void)threads;
    (void)count;
}

static inline void affinity_move_to_caller(struct affinity *affinity, pthread_t thread)
{
    (void)affinity;
    (void)thread;
}

static inline double affinity_thread_seconds(pthread_t thread)
{
    (void)thread;
    return clock_seconds();
}

#endif

#endif
