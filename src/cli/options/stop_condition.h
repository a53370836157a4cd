/* --until 'NAME < VALUE [for K]': a run ends when what was measured has been so for K frames in a row. */
#ifndef STOP_CONDITION_H
#define STOP_CONDITION_H

#include "fault.h"
#include "measure/measure.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stdint.h>

struct stop_condition {
    const char *text; /**< as it was given; NULL: nothing is asked for */
    enum measure_quantity quantity;
    bool is_above;
    double value;
    uint64_t frames; /**< in a row; at least 1 */
    uint64_t streak; /**< in a row up to the last one that was taken */
};

/** Read a condition. `text` is borrowed.
 *
 * @return false with a fault (refused): it is none, or names no observable.
 */
bool stop_condition_read(struct stop_condition *until, const char *text, struct fault *fault);

/** Take the next frame's value of the quantity; NAN is neither above nor below. */
void stop_condition_add(struct stop_condition *until, double value);

/** Take the frames of an earlier run that goes on, one per `every` steps. False with a fault when they cannot be read. */
bool stop_condition_recall(struct stop_condition *until, const struct trajectory_past *past, uint64_t every,
                           struct fault *fault);

/** Whether there is a condition, and the frames that were taken meet it. */
bool stop_condition_is_met(const struct stop_condition *until);

#endif
