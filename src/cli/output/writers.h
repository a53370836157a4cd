/* A run's writers: one to each of its targets. */
#ifndef WRITERS_H
#define WRITERS_H

#include "cli/options/options.h"
#include "cli/output/targets.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>

struct writers {
    struct trajectory **open;
    size_t count;
};

/** Begin all of them, or, when one would be refused, none. From the first file on a signal is noted (signals.h). To be
 * closed either way. */
bool writers_open(struct writers *writers, const struct targets *targets, const struct options *options,
                  const struct trajectory_about *about, struct fault *fault);

/** Write a frame to all. */
bool writers_write(struct writers *writers, const struct frame *frame, struct fault *fault);

/** True when there were outputs and every reader has gone. */
bool writers_are_closed(const struct writers *writers);

/** End all of them that are open, complete or not; afterwards there are none. */
bool writers_close(struct writers *writers, bool is_complete, struct fault *fault);

#endif
