/* What looks on while a step is flown: a step of a crowded flock may take minutes, and a signal, a clock or a progress bar
 * should not have to wait for its end.
 *
 * Whoever flies counts boids, and asks every WATCH_BOIDS of them whether the step is still wanted: that is a fraction of
 * a second even where everybody sees everybody, and costs nothing where nobody does.
 */
#ifndef ENGINE_WATCH_H
#define ENGINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

enum { WATCH_BOIDS = 64 };

struct watch {
    /** So many boids more were flown (in `passes` each counts once per rule): does the step go on? Asked by any thread of the team, and by several at once; what
     * said no once says no until the step has ended. NULL: it always does. */
    bool (*goes_on)(void *context, uint32_t flown);
    void *context;
};

/** What one thread has flown since it last asked. */
struct watch_count {
    const struct watch *watch;
    uint32_t flown;
};

static inline bool watch_ask(struct watch_count *count)
{
    const uint32_t flown = count->flown;
    count->flown = 0;
    return !count->watch->goes_on || count->watch->goes_on(count->watch->context, flown);
}

/** `boids` more were flown: does the step go on? */
static inline bool watch_goes_on(struct watch_count *count, uint32_t boids)
{
    count->flown += boids;
    return __builtin_expect(count->flown < WATCH_BOIDS, true) || watch_ask(count);
}

#endif
