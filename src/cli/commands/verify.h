/* Whether a trajectory is what was written: --verify. */
#ifndef VERIFY_H
#define VERIFY_H

#include "fault.h"

#include <stdbool.h>

/** Read all of an HDF5 trajectory and say on standard output, in one line, that every frame, what was measured and the
 * configuration are as they were written.
 *
 * @return false with a fault as trajectory_verify().
 */
bool verify_print(const char *path, struct fault *fault);

#endif
