/* A file read from its first frame to its last, and held against its hashes: --verify. */
#ifndef HDF5_VERIFY_H
#define HDF5_VERIFY_H

#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a whole file holds. */
struct trajectory_health {
    uint64_t frames, samples; /**< samples: rows of what was measured */
    bool is_closed;           /**< false: its run is still writing, or was killed */
};

/** Read all of a trajectory, or of PATH.part where there is no PATH.
 *
 * @param names  of the observables that there may be.
 * @return false with a fault: refused where it cannot be verified, for it is no HDF5 file, boids did not write it, or it is
 *         older than hashes; failed where it is damaged, with the first step whose numbers are not those that were written.
 */
bool trajectory_verify(struct trajectory_health *health, const char *path, const char *const *names,
                       size_t count, struct fault *fault);

#endif
