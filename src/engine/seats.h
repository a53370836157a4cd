/* Who runs on which processor.
 *
 * When all processors are busy, Linux wakes a thread where the one is that woke it, and then the two take turns on one
 * processor. So helpers are kept off the caller's. And a helper that lost its own processor to another program, with a
 * piece of work half done, is let onto the caller's, who has nothing to do but wait for it.
 *
 * For team.c, which defines _GNU_SOURCE. Systems other than Linux decide for themselves: there nothing here does
 * anything. What the system refuses is left as it is: it costs time and nothing else.
 */
#ifndef ENGINE_SEATS_H
#define ENGINE_SEATS_H

#include "clock.h"

#include <pthread.h>
#include <sched.h>

struct seats {
#ifdef __linux__
    cpu_set_t allowed; /**< to this program */
    int avoided;       /**< the caller's when helpers were last kept off it; -1: they are not */
#else
    int unused;
#endif
};

#ifdef __linux__

static inline void seats_init(struct seats *seats)
{
    CPU_ZERO(&seats->allowed);
    sched_getaffinity(0, sizeof seats->allowed, &seats->allowed);
    seats->avoided = -1;
}

/** Keep these threads off the caller's processor, if there is another. Costs nothing while the caller stays where it is. */
static inline void seats_keep_apart(struct seats *seats, const pthread_t *threads, int count)
{
    const int here = sched_getcpu();
    if (here == seats->avoided || here < 0)
        return;
    seats->avoided = here;
    cpu_set_t others = seats->allowed;
    CPU_CLR((size_t)here, &others);
    for (int k = 0; k < count && CPU_COUNT(&others) > 0; k++)
        pthread_setaffinity_np(threads[k], sizeof others, &others);
}

/** Let a thread go on upon the caller's processor, until they are kept apart again. */
static inline void seats_invite(struct seats *seats, pthread_t thread)
{
    const int here = sched_getcpu();
    cpu_set_t only;
    if (here < 0 || CPU_COUNT(&seats->allowed) < 2)
        return;
    CPU_ZERO(&only);
    CPU_SET((size_t)here, &only);
    pthread_setaffinity_np(thread, sizeof only, &only);
    seats->avoided = -1;
}

/** Seconds for which a thread has had a processor; they stand still only while it has none. */
static inline double seats_run_time(pthread_t thread)
{
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return clock_seconds();
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#else

static inline void seats_init(struct seats *seats)
{
    (void)seats;
}

static inline void seats_keep_apart(struct seats *seats, const pthread_t *threads, int count)
{
    (void)seats;
    (void)threads;
    (void)count;
}

static inline void seats_invite(struct seats *seats, pthread_t thread)
{
    (void)seats;
    (void)thread;
}

static inline double seats_run_time(pthread_t thread)
{
    (void)thread;
    return clock_seconds();
}

#endif

#endif
