/* Two trajectories side by side: --diff. */
#ifndef DIFF_H
#define DIFF_H

#include "fault.h"

#include <stdbool.h>

/** Compare the frames of two trajectories, HDF5 or CSV, value by value, and say on standard output, in one line, that all
 * are equal, or the first step, agent and field that differ.
 *
 * Values are compared as numbers: -0 equals 0, and NaN equals NaN. Text that is compared with HDF5 is read as what the
 * HDF5 file holds, float32 or fixed point, so that enough digits are equal to it.
 *
 * @return false with a fault (refused, whatever went wrong) when they cannot be compared: other agents, other frames, no
 *         trajectory.
 */
bool diff_print(const char *const paths[2], bool *are_equal, struct fault *fault);

#endif
