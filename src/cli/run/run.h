/* One run: initial state, steps, outputs. */
#ifndef RUN_H
#define RUN_H

#include "cli/options/options.h"
#include "cli/output/summary.h"
#include "config/config.h"
#include "fault.h"
#include "platform/signals.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Run a resolved configuration and write its outputs.
 *
 * @param start    the initial state, or an empty snapshot: random.
 * @param past     an earlier run that is resumed, `start` being its last frame; or NULL.
 * @param summary  if not NULL, receives the contents of --summary, which is not printed.
 * @param stop     receives the reason if the run ended before its last step.
 * @return true if it ended well, complete or stopped; else false with a fault.
 *         Outputs that are not complete are left as NAME.part.
 */
bool run_batch(const struct config *config, const struct options *options, const struct snapshot *start,
               const struct previous_run *past, struct summary *summary, struct stop *stop,
               struct fault *fault);

#endif
