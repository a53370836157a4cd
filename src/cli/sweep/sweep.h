/* Many runs in one process: each row of --points becomes a row of --table. */
#ifndef SWEEP_H
#define SWEEP_H

#include "cli/options/options.h"
#include "fault.h"
#include "platform/signals.h"

#include <stdbool.h>

/** Check all rows of --points; then, unless the task is --check, run those that have no row in --table, in parallel on --threads, one thread
 * per run.
 *
 * @param stop  the reason if it ends before its last run. Rows of finished runs are in the table.
 * @return false with a fault: refused, and nothing was run; or failed, if the table cannot be written or all runs fail. A failed run
 *         has a row with that status, and is otherwise not a fault of the sweep.
 */
bool sweep_run(const struct options *options, struct stop *stop, struct fault *fault);

#endif
