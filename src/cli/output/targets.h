/* Where a run's frames go: the paths of --output and --observables, each followed once to its place, and checked against
 * each other and against what is read. */
#ifndef TARGETS_H
#define TARGETS_H

#include "cli/options/options.h"
#include "cli/output/default_name.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>

struct targets {
    struct trajectory_place *list;
    size_t count;
    const struct trajectory_past *past; /**< what the first of them continues, or NULL */
    struct default_name default_name;   /**< chosen where none was given */
};

/** Whether one of them is an HDF5 file. */
bool targets_hold_hdf5(const struct options *options);

/** Whether somebody wants each frame measured: --observables, --summary, --until or an HDF5 file, and not nothing by
 * output.observables. */
bool targets_are_measured(const struct options *options, const struct config *config);

/** Whether no output needs a whole frame at once, so that several ranks may gather it slab by slab: all are HDF5, uncompressed,
 * with all boids and fields in the run's own numbers, and nothing is measured. */
bool targets_take_slabs(const struct options *options, const struct config *config);

/** Whether somebody wants the boids of frames, and not only what was measured. */
bool targets_want_boids(const struct options *options);

/** The same of targets that were chosen. */
bool targets_take_boids(const struct targets *targets);

/** Whether frames are made at all: with `-o none` alone nobody wants them. */
bool targets_want_frames(const struct options *options, const struct config *config);

/** Choose them: the file of --resume, which targets->past then is; else those of --output; without any, standard output
 * when it is a pipe or file, else a file in the current folder after the configuration's name (default_name.h). Then that of
 * --observables. Refuses two outputs to one file and an output over an input; `start` is the path that frames or an
 * initial state are read from, or NULL. To be freed either way. */
bool targets_choose(struct targets *targets, const struct options *options, const struct config *config,
                    const char *start, struct fault *fault);

/** Refuse, before anything is begun, what no output of these can hold: XYZ without positions, frames without a boid.
 *
 * @param start  the initial state; without one, ids count from 0.
 */
bool targets_check_contents(const struct options *options, const struct config *config,
                            const struct snapshot *start, struct fault *fault);

/** As trajectory_check(), of all that are begun anew. */
bool targets_check(const struct targets *targets, bool is_forced, struct fault *fault);

/** True when data goes to standard output. */
bool targets_take_standard_output(const struct targets *targets);

/** The file among them that --resume goes on with, as the user wrote it; NULL where there is none. */
const char *targets_find_resumable(const struct targets *targets);

void targets_free(struct targets *targets);

#endif
