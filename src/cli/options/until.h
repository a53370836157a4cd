/* --until 'NAME < VALUE [for K]': a run ends when what was measured has been so for K frames in a row. */
#ifndef UNTIL_H
#define UNTIL_H

#include "fault.h"
#include "measure/measure.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stdint.h>

struct until {
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
bool until_read(struct until *until, const char *text, struct fault *fault);

/** Take the next frame's value of the quantity; NAN is neither above nor below. */
void until_take(struct until *until, double value);

/** Take the frames of an earlier run that goes on, one per `every` steps. False with a fault when they cannot be read. */
bool until_recall(struct until *until, const struct trajectory_past *past, uint64_t every,
                  struct fault *fault);

/** Whether there is a condition, and the frames that were taken meet it. */
bool until_is_met(const struct until *until);

#endif
