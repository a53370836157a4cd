/* The outputs of a run: the target of each -o, whose path is resolved once, and its writer. */
#pragma once

#include "base/error.h"
#include "cli/options/options.h"
#include "config/config.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>

struct targets {
    struct trajectory_target *list;
    size_t count;
    const struct previous_run *previous; /**< the earlier run that the first target continues, or NULL */
    /** default_path: the name that was chosen because no output was given, or empty. occupied_path: the usual default
     * name if a file of another run has this name, or empty. */
    char default_path[CONFIG_PATH_SIZE], occupied_path[CONFIG_PATH_SIZE];
    bool would_replace_other_run; /**< the first frame shows that a file of another run would be replaced */
};

/** Visit each target, in the order of the command line. */
#define FOR_EACH_TARGET(target, targets)                     \
    for (struct trajectory_target *target = (targets)->list; \
         target && target < (targets)->list + (targets)->count; target++)

/** True if frames are measured: for --observables, --summary, --until or an HDF5 file, unless output.observables is
 * false. */
bool targets_are_measured(const struct options *options, const struct config *config);

/** True if an output contains frames, not only observables. */
bool targets_have_frames(const struct options *options);

/** Choose the targets. With --resume, the target is the file to continue, and targets->previous is set. With --output,
 * the targets are its files. Without either, the target is standard output if that is a pipe or file, otherwise a
 * file with a default name in the current folder. The target of --observables comes last. Two outputs to one file,
 * and an output that would replace an input, are refused. `start` is the path from which frames or an initial state
 * are read, or NULL. Free `targets` in any case. */
bool targets_choose(struct targets *targets, const struct options *options, const struct config *config,
                    const char *start, struct error *error);

/** Refuse contents that an output cannot store, before it is started: XYZ without positions, frames without boids, or
 * HDF5 in a program without HDF5.
 *
 * @param start  the initial state; if it is empty, ids count from 0.
 */
bool targets_check_contents(const struct options *options, const struct config *config,
                            const struct frame *start, struct error *error);

/** Refuse an output.boids that selects no boid. `ids` NULL means that ids count from 0. */
bool targets_check_boids(const struct config *config, const int32_t *ids, size_t boids, struct error *error);

/** The descriptor to which --summary is printed: standard error if "-" is an output, otherwise standard output. */
int targets_summary_stream(const struct targets *targets);

/** True if an output goes to a descriptor that the program inherited, such as STDOUT_FILENO. */
bool targets_have_descriptor(const struct targets *targets, int descriptor);

/** The path of the target that --resume could continue, as the user wrote it; NULL if there is none. */
const char *targets_find_resumable(const struct targets *targets);

/** Start all writers; if one is refused, start none. After the first file has been started, signals no longer end the
 * program at once but are stored (stop.h). */
bool targets_open(struct targets *targets, const struct options *options,
                  const struct trajectory_metadata *metadata, struct error *error);

/** Write a frame to all targets. If it is the first one, and a text file that is to be replaced begins with
 * another frame, it is refused. */
bool targets_write(struct targets *targets, const struct frame *frame, struct error *error);

/** True if there are outputs and all of their readers have closed their pipes. */
bool targets_have_no_reader(const struct targets *targets);

/** Close all open writers. `is_complete` is passed to trajectory_close(). If a target was refused, NAME.part
 * is removed. */
bool targets_close(struct targets *targets, bool is_complete, struct error *error);

/** Print one line per file: its frames or rows, its size, and the command that draws it. Call this after
 * targets_close(). */
void targets_report(const struct targets *targets, uint64_t frames, uint64_t samples);

void targets_free(struct targets *targets);
