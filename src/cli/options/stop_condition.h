/* --until 'NAME < VALUE [for K]': a run ends when an observable has met the condition for K frames in a row. */
#ifndef STOP_CONDITION_H
#define STOP_CONDITION_H

#include "base/error.h"
#include "measure/measure.h"

#include <stdbool.h>
#include <stdint.h>

struct stop_condition {
    const char *text; /**< the condition as the user wrote it; NULL: there is none */
    enum measure_quantity quantity;
    bool is_above;
    double value;
    uint64_t frames; /**< number of successive frames that must meet the condition; at least 1 */
    uint64_t streak; /**< number of successive frames that met it, up to the last added frame */
};

/** Read a condition. `text` is borrowed.
 *
 * @return false with an error (refused) if the syntax is wrong or the observable is unknown.
 */
bool stop_condition_read(struct stop_condition *until, const char *text, struct error *error);

/** Add the value of the next frame; NAN never meets a condition. */
void stop_condition_add(struct stop_condition *until, double value);

/** True if there is a condition and the frames so far meet it. */
bool stop_condition_is_met(const struct stop_condition *until);

#endif
