/* Run-time choice between one thread and all of them: whichever is faster at the moment.
 *
 * Two threads halve the time of a step on an idle machine. If another program, or the host of a virtual machine, takes a processor
 * away for milliseconds, the threads wait for one another and may take longer than one. This cannot be known beforehand, so both ways
 * are timed: now and then some steps use the other one. The result of a step does not depend on it.
 */
#ifndef ENGINE_THREAD_TUNER_H
#define ENGINE_THREAD_TUNER_H

#include <stdbool.h>

/** A window: some rounds with one of the two. A round is a step, or as many short ones as are worth timing. */
struct thread_tuner_window {
    int rounds;
    double sum, worst; /**< of the seconds per step of each round */
    double seconds;    /**< of all its steps */
};

struct thread_tuner {
    bool uses_all;      /**< the choice */
    bool is_trial;      /**< this window goes the other way */
    double typical[2];  /**< seconds per step with one thread, with all; 0: not known yet */
    double wait, since; /**< seconds between trials; of steps since the last one */
    int patience;       /**< the wait, in times that the last trial took */
    struct thread_tuner_window window;
    int round_steps; /**< in the round in hand */
    double round_seconds;
    double begun;
};

/** Begin with all threads. */
void thread_tuner_init(struct thread_tuner *tuner);

/** Whether the next step is to use all threads; it begins now. */
bool thread_tuner_begin(struct thread_tuner *tuner);

/** The step took so long. */
void thread_tuner_record(struct thread_tuner *tuner, double seconds);

/** The step is done: record what the clock says. */
void thread_tuner_end(struct thread_tuner *tuner);

#endif
