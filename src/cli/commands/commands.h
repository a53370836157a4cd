/* Tasks on trajectories, without a run. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/options/options.h"
#include "fault.h"
#include "platform/signals.h"

#include <stdbool.h>

/** --convert: write the frames of options->convert to all outputs, as --every and --first select them. If the file carries its
 * configuration, or --config gives it, the outputs have the bytes that the run itself would have written.
 *
 * @param stop  receives the reason if it ended early.
 * @return false with a fault: refused before an output was started, failed later; incomplete outputs are left as NAME.part.
 */
bool convert_run(const struct options *options, struct stop *stop, struct fault *fault);

/** --diff: compare the frames of two trajectories, HDF5 or CSV, value by value, and print one line: all are equal, or the first
 * step, agent and field that differ.
 *
 * Values are compared as numbers: -0 equals 0, and NaN equals NaN. Text that is compared with HDF5 is rounded to the
 * type of the HDF5 file, float32 or fixed point, so that enough digits are equal to it.
 *
 * @return false with a fault (always refused) if they cannot be compared: other agents, other frames, not a trajectory.
 */
bool diff_print(const char *const paths[2], bool *are_equal, struct fault *fault);

/** --verify: read all of an HDF5 trajectory, and print one line if every frame, the observables and the configuration are as they
 * were written.
 *
 * @return false with a fault as trajectory_verify().
 */
bool verify_print(const char *path, struct fault *fault);

#endif
