/* An event that threads wait for (an event count). A waiting thread knows how many signals it has seen and waits for
 * the next one: first it spins, so that it continues within a tenth of a microsecond, then it sleeps. For team.c. */
#ifndef ENGINE_WAKE_EVENT_H
#define ENGINE_WAKE_EVENT_H

#include "clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { WAKE_EVENT_CACHE_LINE = 64, WAKE_EVENT_LOADS_PER_CLOCK = 16 };

static const double wake_event_spin_seconds = 25e-6;

struct wake_event {
    _Alignas(WAKE_EVENT_CACHE_LINE) atomic_uint signals;
    atomic_int sleepers;
    pthread_mutex_t lock;
    pthread_cond_t signalled;
};

static inline void wake_event_init(struct wake_event *event)
{
    atomic_init(&event->signals, 0);
    atomic_init(&event->sleepers, 0);
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->signalled, NULL);
}

static inline void wake_event_destroy(struct wake_event *event)
{
    pthread_cond_destroy(&event->signalled);
    pthread_mutex_destroy(&event->lock);
}

/* The signalling thread counts the signal and then checks for sleepers; the waiting thread registers as a sleeper and
 * then checks for signals. So at least one of them notices the other. */
static inline void wake_event_signal(struct wake_event *event)
{
    atomic_fetch_add(&event->signals, 1);
    if (atomic_load(&event->sleepers) == 0)
        return;
    pthread_mutex_lock(&event->lock);
    pthread_cond_broadcast(&event->signalled);
    pthread_mutex_unlock(&event->lock);
}

static inline void wake_event_relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Spin for a moment. Returns true if a signal came. */
static inline bool wake_event_spin_wait(struct wake_event *event, unsigned seen)
{
    const double begun = clock_seconds();
    do {
        for (int look = 0; look < WAKE_EVENT_LOADS_PER_CLOCK; look++) {
            if (atomic_load(&event->signals) != seen)
                return true;
            wake_event_relax();
        }
    } while (clock_seconds() - begun < wake_event_spin_seconds);
    return false;
}

/* Sleep until a signal comes. */
static inline void wake_event_sleep(struct wake_event *event, unsigned seen)
{
    pthread_mutex_lock(&event->lock);
    atomic_fetch_add(&event->sleepers, 1);
    while (atomic_load(&event->signals) == seen)
        pthread_cond_wait(&event->signalled, &event->lock);
    atomic_fetch_sub(&event->sleepers, 1);
    pthread_mutex_unlock(&event->lock);
}

#endif
