/* Many runs in one process: each row of --points becomes a row of --table. */
#ifndef SWEEP_H
#define SWEEP_H

#include "base/error.h"
#include "base/signals.h"
#include "cli/options/options.h"

#include <stdbool.h>

/** Check all rows of --points. Then, unless the task is --check, run the rows that have no result in --table. Runs
 * are executed in parallel on --threads threads, one thread per run.
 *
 * @param stop receives the reason if the sweep ends before its last run. The table then has the rows of the finished
 *   runs.
 * @return false with an error: refused if no run was started; failed if the table cannot be written or all runs fail.
 *   If only some runs fail, their rows have the status `failed`, and the sweep has no error.
 */
bool sweep_run(const struct options *options, struct stop *stop, struct error *error);

#endif
