/* One batch: place, step, write. */
#ifndef RUN_H
#define RUN_H

#include "cli/options/options.h"
#include "cli/output/summary.h"
#include "config/config.h"
#include "fault.h"
#include "platform/signals.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Refuse a run whose options want measured what its configuration leaves out. */
bool run_check_measured(const struct config *config, const struct options *options, struct fault *fault);

/** How many boids of a frame are gathered at once. */
uint32_t run_slab(const struct config *config, const struct options *options);

/** What --summary would say of a run, for who says it otherwise. */
struct run_report {
    struct summary summary;
    struct summary_end end;
    bool is_beyond; /**< it failed for an agent that has left, or began outside, what the arithmetic holds */
};

/** Fly a resolved configuration and write its trajectory wherever `options` say.
 *
 * @param start  the initial state, or an empty snapshot: placed at random.
 * @param past   an earlier run that is to be continued, `start` being its last frame; or NULL.
 * @param report  where not NULL, receives what --summary says, and nothing is printed.
 * @param stop  why it ended before its last step.
 * @return true when it ended well, complete or stopped; else false with a fault.
 *         Outputs that are not complete stay under NAME.part.
 */
bool run_batch(const struct config *config, const struct options *options, const struct snapshot *start,
               const struct trajectory_past *past, struct run_report *report, struct stop *stop,
               struct fault *fault);

#endif
