/* Many runs in one process: each row of --points becomes a row of --table. */
#ifndef SWEEP_H
#define SWEEP_H

#include "cli/options/options.h"
#include "fault.h"
#include "platform/signals.h"

#include <stdbool.h>

/** Check all rows of --points, then run those that --table has no row of, in parallel on --threads, one thread per run.
 * With --check, check them only.
 *
 * @param stop  why it ended before its last run. Rows of runs that had ended are in the table.
 * @return false with a fault: refused, and nothing was run, or failed when the table cannot be written. A run that
 *         fails is a row with that status, and no fault of the sweep.
 */
bool sweep_run(const struct options *options, struct stop *stop, struct fault *fault);

#endif
