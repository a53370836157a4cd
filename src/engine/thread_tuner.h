/* Run-time choice between one thread and all of them: whichever is faster at the moment.
 *
 * Two threads halve the time of a step on an idle machine. If another program, or the host of a virtual machine,
 * takes a processor away for milliseconds, the threads wait for one another and may take longer than one. This
 * cannot be known beforehand, so both choices are timed: from time to time some steps use the other one. The result
 * of a step does not depend on it.
 */
#ifndef ENGINE_THREAD_TUNER_H
#define ENGINE_THREAD_TUNER_H

#include <stdbool.h>

/** The time window being measured: some rounds with one choice. A round is one step, or enough short steps to be
 * timed. */
struct thread_tuner_window {
    int rounds;
    double sum, worst; /**< seconds per step: sum over the rounds, and the slowest round */
    double seconds;    /**< seconds of all its steps */
};

struct thread_tuner {
    bool uses_all;      /**< the choice */
    bool is_trial;      /**< true if the other choice is tried in this window */
    double typical[2];  /**< seconds per step with one thread and with all threads; 0 if not yet known */
    double wait, since; /**< seconds between two trials, and seconds since the last trial, during steps */
    int patience;       /**< factor by which the time between two trials is longer than a trial */
    struct thread_tuner_window window;
    int round_steps; /**< in the current round */
    double round_seconds;
    double begun;
};

/** Begin with all threads. */
void thread_tuner_init(struct thread_tuner *tuner);

/** Begin a step. Returns whether the step is to use all threads. */
bool thread_tuner_begin(struct thread_tuner *tuner);

/** Record the time of the step. */
void thread_tuner_record(struct thread_tuner *tuner, double seconds);

/** End a step: record its time from the clock. */
void thread_tuner_end(struct thread_tuner *tuner);

#endif
