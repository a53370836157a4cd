/* --diff: compare two trajectories. */
#ifndef DIFF_H
#define DIFF_H

#include "fault.h"

#include <stdbool.h>

/** Compare the frames of two trajectories, HDF5 or CSV, value by value, and print one line: all are equal, or the first
 * step, agent and field that differ.
 *
 * Values are compared as numbers: -0 equals 0, and NaN equals NaN. Text that is compared with HDF5 is rounded to the
 * type of the HDF5 file, float32 or fixed point, so that enough digits are equal to it.
 *
 * @return false with a fault (always refused) if they cannot be compared: other agents, other frames, not a trajectory.
 */
bool diff_print(const char *const paths[2], bool *are_equal, struct fault *fault);

#endif
