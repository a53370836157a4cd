/* Progress and cancellation of a step. A step of a crowded flock may take minutes. A signal, a time limit or a
 * progress bar should not have to wait that long.
 *
 * The thread that steps boids calls back after every STEP_CANCELLATION_BOIDS of them. The time between two calls is a
 * fraction of a second even if all boids are neighbours of each other; for sparse flocks the calls cost nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { STEP_CANCELLATION_BOIDS = 64 };

struct step_cancellation {
    /** Report that another `boids` boids were stepped (in `passes`, each counts once per rule). Returns whether the step goes
     * on. Called by any thread of the team, and by several at once. Once it has returned false, it must return false
     * until the step has ended. NULL: the step always goes on. */
    bool (*should_continue)(void *context, uint32_t boids);
    void *context;
};

/** The number of boids that one thread has stepped since it last called step_cancellation.should_continue. */
struct step_cancellation_count {
    const struct step_cancellation *cancellation;
    uint32_t stepped;
};

static inline bool step_cancellation_poll(struct step_cancellation_count *count)
{
    const uint32_t stepped = count->stepped;
    count->stepped = 0;
    return !count->cancellation->should_continue ||
           count->cancellation->should_continue(count->cancellation->context, stepped);
}

/** Add `boids` that were stepped. Returns whether the step goes on. */
static inline bool step_cancellation_continues(struct step_cancellation_count *count, uint32_t boids)
{
    count->stepped += boids;
    return __builtin_expect(count->stepped < STEP_CANCELLATION_BOIDS, true) || step_cancellation_poll(count);
}
