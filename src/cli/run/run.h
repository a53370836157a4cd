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

/** Refuse a run if its options need observables that its configuration does not measure. */
bool run_check_measured(const struct config *config, const struct options *options, struct fault *fault);

/** Number of boids of a frame that are gathered at once. */
uint32_t run_slab(const struct config *config, const struct options *options);

/** The contents of --summary, for a caller that does not print it. */
struct run_report {
    struct summary summary;
    struct summary_end end;
    bool
        is_out_of_range; /**< it failed because an agent left the range of the arithmetic, or started outside it */
};

/** Run a resolved configuration and write its outputs.
 *
 * @param start   the initial state, or an empty snapshot: random.
 * @param past    an earlier run that is resumed, `start` being its last frame; or NULL.
 * @param report  if not NULL, receives the contents of --summary, and nothing is printed.
 * @param stop    receives the reason if the run ended before its last step.
 * @return true if it ended well, complete or stopped; else false with a fault.
 *         Outputs that are not complete are left as NAME.part.
 */
bool run_batch(const struct config *config, const struct options *options, const struct snapshot *start,
               const struct trajectory_past *past, struct run_report *report, struct stop *stop,
               struct fault *fault);

#endif
