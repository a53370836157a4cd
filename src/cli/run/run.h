/* One run: initial state, steps, outputs. */
#ifndef RUN_H
#define RUN_H

#include "base/error.h"
#include "base/signals.h"
#include "cli/options/options.h"
#include "cli/output/summary.h"
#include "config/config.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Run a resolved configuration and write its outputs.
 *
 * @param start the initial state; an empty snapshot if it is random.
 * @param previous an earlier run that is resumed, or NULL. `start` is then its last frame.
 * @param summary if not NULL, receives the contents of --summary, which are then not printed.
 * @param stop receives the reason if the run ends before its last step.
 * @return true if the run was completed or stopped; false with an error on an error. Incomplete outputs stay as
 *   NAME.part.
 */
bool run_batch(const struct config *config, const struct options *options, const struct snapshot *start,
               const struct previous_run *previous, struct summary *summary, struct stop *stop,
               struct error *error);

#endif
