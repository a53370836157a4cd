/* --verify: a whole trajectory is read and compared with its hashes. */
#ifndef HDF5_VERIFY_H
#define HDF5_VERIFY_H

#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a whole file holds. */
struct trajectory_health {
    uint64_t frames, samples; /**< samples: rows of what was measured */
    bool is_closed;           /**< false: the run is still writing, or was killed */
};

/** What a file must hold, by its configuration. */
struct trajectory_wanted {
    uint64_t seed;
    bool has_observables;
    bool is_rounded;      /**< it has a checkpoint */
    bool has_initial;     /**< it has the initial state apart from the frames */
    bool has_initial_ids; /**< likewise the ids of all agents */
};

/** Fill it in from a configuration; false if that is not understood, for example because a later version wrote it. */
typedef bool trajectory_wants(struct trajectory_wanted *wanted, const char *config);

/** Read all of a trajectory, or of PATH.part if there is no PATH. A file that is being written is refused.
 *
 * @param names  of the observables that there may be.
 * @return false with a fault: refused where it cannot be verified, for it is no HDF5 file, boids did not write it, or it is
 *         older than hashes; failed where it is damaged, with the first step whose numbers are not those that were written.
 */
bool trajectory_verify(struct trajectory_health *health, const char *path, const char *const *names,
                       size_t count, trajectory_wants *wants, struct fault *fault);

#endif
