/* The outputs of a run: the target of each -o, resolved once, and its writer. */
#ifndef TARGETS_H
#define TARGETS_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>

struct targets {
    struct trajectory_target *list;
    size_t count;
    const struct previous_run *past; /**< the run that the first target continues, or NULL */
    /** The name that was chosen because no output was given, and the default name, if it was not chosen because
     * another run has a file of that name; or empty. */
    char default_path[CONFIG_PATH_SIZE], occupied_path[CONFIG_PATH_SIZE];
};

/** True if one of them is an HDF5 file. */
bool targets_hold_hdf5(const struct options *options);

/** True if frames are measured: for --observables, --summary, --until or an HDF5 file, unless output.observables is
 * false. */
bool targets_are_measured(const struct options *options, const struct config *config);

/** The number of boids of a frame that rank 0 gathers at once. It is a slab if there are several ranks and no output
 * needs a whole frame, which means: all outputs are uncompressed HDF5 with all boids and fields in the arithmetic of
 * the run, and nothing is measured. Otherwise it is all boids. */
uint32_t targets_slab(const struct options *options, const struct config *config);

/** True if frames are written, not only observables. */
bool targets_want_boids(const struct options *options);

/** The same, after the targets were chosen. */
bool targets_take_boids(const struct targets *targets);

/** Choose the targets. With --resume: the file to continue, which becomes targets->past. Otherwise: the files of
 * --output. Without either: standard output if it is a pipe or file, else a file with a default name in the current
 * folder. The target of --observables comes last. Refuses two outputs to one file and an output to an input; `start`
 * is the path from which frames or an initial state are read, or NULL. To be freed in any case. */
bool targets_choose(struct targets *targets, const struct options *options, const struct config *config,
                    const char *start, struct fault *fault);

/** Refuse what an output cannot hold, before it is started: XYZ without positions, frames without a boid.
 *
 * @param start  the initial state; without one, ids count from 0.
 */
bool targets_check_contents(const struct options *options, const struct config *config,
                            const struct snapshot *start, struct fault *fault);

/** Refuse an output.boids that leaves no boid. `ids` may be NULL: from 0 on. */
bool targets_check_boids(const struct config *config, const int32_t *ids, size_t boids, struct fault *fault);

/** The format of --output PATH, from its ending or --format. */
enum trajectory_format targets_format_of(const char *path, const struct options *options);

/** True if data goes to standard output. */
bool targets_take_standard_output(const struct targets *targets);

/** The target that --resume can continue, as the user wrote it; NULL if there is none. */
const char *targets_find_resumable(const struct targets *targets);

/** Start all writers or, if one is refused, none. Once the first file has been started, signals no longer end the
 * program but are stored (signals.h). */
bool targets_open(struct targets *targets, const struct options *options,
                  const struct trajectory_metadata *metadata, struct fault *fault);

/** Write a frame to all. */
bool targets_write(struct targets *targets, const struct frame *frame, struct fault *fault);

/** True if there are outputs and every reader has gone. */
bool targets_are_closed(const struct targets *targets);

/** Close all writers that are open, complete or not. */
bool targets_close(struct targets *targets, bool is_complete, struct fault *fault);

void targets_free(struct targets *targets);

#endif
