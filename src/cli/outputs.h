/* Where a run's frames go: the list of --output and --observables, checked against each other and against what is
 * read. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "cli/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>

struct outputs {
    struct trajectory **open;
    const char **paths; /**< the same, by name */
    enum trajectory_format *formats;
    size_t count;
    const struct trajectory_past *past;  /**< what the first of them continues, or NULL */
    char default_path[CONFIG_PATH_SIZE]; /**< the path chosen where none was given */
};

/** Whether somebody wants each frame measured: --observables, --summary or an HDF5 file. */
bool outputs_are_measured(const struct options *options);

/** Choose the paths: the file of --resume, which outputs->past then is; else those of --output; without any, standard
 * output when it is a pipe or file, else NAME.h5 in the current folder after the configuration's name. Then that of
 * --observables. Refuses two outputs to one file and an output over an input. */
bool outputs_choose(struct outputs *outputs, const struct options *options, const struct config *config,
                    const struct snapshot *start, struct fault *fault);

/** True when data goes to standard output. */
bool outputs_take_standard_output(const struct outputs *outputs);

/** True when data goes to a terminal, where a progress bar would be in the way. */
bool outputs_show_data(const struct outputs *outputs);

/** Begin all of them, or, when one would be refused, none. From the first file on a signal is noted (interrupt.h). */
bool outputs_open(struct outputs *outputs, const struct options *options,
                  const struct trajectory_about *about, struct fault *fault);

/** Write a frame to all. */
bool outputs_write(struct outputs *outputs, const struct frame *frame, struct fault *fault);

/** True when there were outputs and every reader has gone. */
bool outputs_are_closed(const struct outputs *outputs);

/** End all of them that are open, complete or not. The paths stay. */
bool outputs_close(struct outputs *outputs, bool is_complete, struct fault *fault);

/** Forget the list, all of it closed. */
void outputs_free(struct outputs *outputs);

#endif
