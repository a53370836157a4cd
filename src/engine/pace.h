/* One thread or all of them: whichever is faster at the moment.
 *
 * Two threads halve a step on an idle machine. Where a processor is taken away for milliseconds, by another program or by
 * the host of a virtual machine, they wait for one another and may take longer than one. Nobody can know beforehand, so
 * each way is timed: now and then some steps are flown the other way. The result of a step does not depend on it.
 */
#ifndef ENGINE_PACE_H
#define ENGINE_PACE_H

#include <stdbool.h>

/** A window: some rounds flown one way. A round is a step, or as many short ones as are worth timing. */
struct pace_window {
    int rounds;
    double sum, worst; /**< of the seconds per step of each round */
    double seconds;    /**< all that was flown in it */
};

struct pace {
    bool uses_all;      /**< the choice */
    bool is_trial;      /**< this window goes the other way */
    double typical[2];  /**< seconds per step with one thread, with all; 0: not known yet */
    double wait, since; /**< seconds between trials; flown since the last */
    int patience;       /**< the wait, in times that the last trial took */
    struct pace_window window;
    int round_steps; /**< in the round in hand */
    double round_seconds;
    double begun;
};

/** Begin with all threads. */
void pace_init(struct pace *pace);

/** Whether the next step is to use all threads; it begins now. */
bool pace_begin(struct pace *pace);

/** The step took so long. */
void pace_record(struct pace *pace, double seconds);

/** The step is done: record what the clock says. */
void pace_end(struct pace *pace);

#endif
