/* The outputs of a run: where each -o leads, found out once, and a writer for each of them. */
#ifndef TARGETS_H
#define TARGETS_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>

struct default_name {
    char path[CONFIG_PATH_SIZE];  /**< empty until chosen */
    char taken[CONFIG_PATH_SIZE]; /**< what it would be called if another run were not; else empty */
};

/** Choose the first of NAME.h5, NAME-2.h5, NAME-3.h5 and so on where nothing stands, or what this very configuration wrote.
 *
 * @param is_forced  NAME.h5, whatever stands there.
 */
void default_name_choose(struct default_name *name, const struct config *config, bool is_forced);

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

struct writers {
    struct trajectory **open;
    size_t count;
};

/** Begin all of them, or, when one would be refused, none. From the first file on a signal is noted (signals.h). To be
 * closed either way. */
bool writers_open(struct writers *writers, const struct targets *targets, const struct options *options,
                  const struct trajectory_about *about, struct fault *fault);

/** Write a frame to all. */
bool writers_write(struct writers *writers, const struct frame *frame, struct fault *fault);

/** True when there were outputs and every reader has gone. */
bool writers_are_closed(const struct writers *writers);

/** End all of them that are open, complete or not; afterwards there are none. */
bool writers_close(struct writers *writers, bool is_complete, struct fault *fault);

#endif
