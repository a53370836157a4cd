/* The tasks of the program. */
#pragma once

#include "base/error.h"
#include "base/stop.h"
#include "cli/options/options.h"
#include "cli/output/summary.h"
#include "config/config.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Run a resolved configuration and write its outputs.
 *
 * @param start the initial state; an empty frame if it is random.
 * @param previous an earlier run that is resumed, or NULL. `start` is then its last frame.
 * @param summary if not NULL, receives the contents of --summary, which are then not printed.
 * @param stop receives the reason if the run ends before its last step.
 * @return true if the run was completed or stopped; false with an error if it failed. Incomplete outputs stay as
 *   NAME.part.
 */
bool run_batch(const struct config *config, const struct options *options, const struct frame *start,
               const struct previous_run *previous, struct summary *summary, struct stop *stop,
               struct error *error);

/** --convert: write to all outputs those frames of the file options->convert that --every and --first select. If the
 * file contains its configuration, or --config gives it, the outputs are byte-identical to those of the run itself.
 *
 * @param stop receives the reason if the conversion ends early.
 * @return false with an error: refused if no output was started yet, failed after that. Incomplete outputs stay as
 *   NAME.part.
 */
bool convert_run(const struct options *options, struct stop *stop, struct error *error);

/** --diff: compare the frames of two trajectories, HDF5 or CSV, value by value. Print one line: either that all
 * values are equal, or the first step, agent and field that differ.
 *
 * Values are compared as numbers: -0 equals 0, and NaN equals NaN. If one file is CSV and the other is HDF5, the
 * numbers of the CSV file are first rounded to the number type of the HDF5 file. So they are equal if the CSV file
 * has enough digits.
 *
 * @return false with an error if the files cannot be compared: their agents, fields or frames differ, or one of them is
 *   damaged, is not a trajectory, or cannot be read.
 */
bool diff_print(const char *const paths[2], bool *are_equal, struct error *error);

/** --help or --help NAME: print the page of options; explain a key, a section, an option or an observable; or list all whose name or text
 * contains the word NAME. `name` may be NULL. A word that occurs nowhere is refused with the nearest name. */
bool help_print(const char *name, struct error *error);

/** --points: many runs in one process. Each row of --points becomes a row of --table.
 *
 * Check all rows of --points. Then, unless the task is --check, run the rows that have no result in --table. Runs
 * are executed in parallel on --threads threads, one thread per run.
 *
 * @param stop receives the reason if the sweep ends before its last run. The table then has the rows of the finished
 *   runs.
 * @return false with an error: refused if no run was started; failed if the table cannot be written or all runs fail.
 *   If only some runs fail, their rows have the status `failed`, and the sweep has no error.
 */
bool sweep_run(const struct options *options, struct stop *stop, struct error *error);
