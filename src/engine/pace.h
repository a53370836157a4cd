/* One thread or all of them: whichever is faster at the moment.
 *
 * Two threads halve a step on an idle machine. Where another program has a core they wait for one another, and a step
 * may take thirty times as long as with one. Nobody can know beforehand, so each way is timed: now and then one step is
 * flown the other way, less and less often while that confirms the choice. The result of a step does not depend on it.
 */
#ifndef ENGINE_PACE_H
#define ENGINE_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
    bool uses_all;     /**< the choice */
    bool is_trial;     /**< this step goes the other way */
    double seconds[2]; /**< of the last step with one thread, with all */
    double begun;
    uint32_t left, period; /**< steps until the next trial; between trials */
};

/** Begin with one thread. */
void pace_init(struct pace *pace);

/** Whether the next step is to use all threads; it begins now. */
bool pace_begin(struct pace *pace);

/** The step took so long. */
void pace_record(struct pace *pace, double seconds);

/** The step is done: record what the clock says. */
void pace_end(struct pace *pace);

#endif
