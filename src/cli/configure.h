/* From options to a configuration: a file, a preset or a trajectory's own, and what the other options change in it. */
#ifndef CONFIGURE_H
#define CONFIGURE_H

#include "cli/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** The resolved configuration of --config or --from, with all that options set over it. */
bool configure(struct config *config, const struct options *options, struct fault *fault);

/** The resolved configuration of the trajectory of --resume, with the steps that options ask for.
 *
 * @param past  receives what there is to continue, its last frame read; to be freed with trajectory_past_free() either
 *              way.
 * @return false with a fault when there is nothing to continue or the options ask for another flock.
 */
bool configure_resume(struct config *config, struct trajectory_past *past, const struct options *options,
                      struct fault *fault);

#endif
