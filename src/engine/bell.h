/* A bell that threads wait for. Who waits has heard so many rings and waits for the next, at first awake, for that is
 * heard within a tenth of a microsecond, then asleep. For team.c.
 */
#ifndef ENGINE_BELL_H
#define ENGINE_BELL_H

#include "clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { BELL_CACHE_LINE = 64, BELL_LOOKS_PER_GLANCE = 16 };

static const double bell_spin_seconds = 25e-6;

struct bell {
    _Alignas(BELL_CACHE_LINE) atomic_uint rings;
    atomic_int sleepers;
    pthread_mutex_t lock;
    pthread_cond_t rung;
};

static inline void bell_init(struct bell *bell)
{
    atomic_init(&bell->rings, 0);
    atomic_init(&bell->sleepers, 0);
    pthread_mutex_init(&bell->lock, NULL);
    pthread_cond_init(&bell->rung, NULL);
}

static inline void bell_destroy(struct bell *bell)
{
    pthread_cond_destroy(&bell->rung);
    pthread_mutex_destroy(&bell->lock);
}

/* Ringing and then looking for sleepers, going to sleep and then looking for rings: one of the two sees the other. */
static inline void bell_ring(struct bell *bell)
{
    atomic_fetch_add(&bell->rings, 1);
    if (atomic_load(&bell->sleepers) == 0)
        return;
    pthread_mutex_lock(&bell->lock);
    pthread_cond_broadcast(&bell->rung);
    pthread_mutex_unlock(&bell->lock);
}

static inline void bell_relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Waits awake, for a moment only. */
static inline bool bell_rings_soon(struct bell *bell, unsigned heard)
{
    const double begun = clock_seconds();
    do {
        for (int look = 0; look < BELL_LOOKS_PER_GLANCE; look++) {
            if (atomic_load(&bell->rings) != heard)
                return true;
            bell_relax();
        }
    } while (clock_seconds() - begun < bell_spin_seconds);
    return false;
}

/* Waits asleep, as long as it takes. */
static inline void bell_sleep(struct bell *bell, unsigned heard)
{
    pthread_mutex_lock(&bell->lock);
    atomic_fetch_add(&bell->sleepers, 1);
    while (atomic_load(&bell->rings) == heard)
        pthread_cond_wait(&bell->rung, &bell->lock);
    atomic_fetch_sub(&bell->sleepers, 1);
    pthread_mutex_unlock(&bell->lock);
}

#endif
