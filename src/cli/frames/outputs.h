/* A run's writers: one to each of its places. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "cli/frames/places.h"
#include "cli/options/options.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>

struct outputs {
    struct trajectory **open;
    size_t count;
};

/** Begin all of them, or, when one would be refused, none. From the first file on a signal is noted (interrupt.h). To be
 * closed either way. */
bool outputs_open(struct outputs *outputs, const struct places *places, const struct options *options,
                  const struct trajectory_about *about, struct fault *fault);

/** Write a frame to all. */
bool outputs_write(struct outputs *outputs, const struct frame *frame, struct fault *fault);

/** True when there were outputs and every reader has gone. */
bool outputs_are_closed(const struct outputs *outputs);

/** End all of them that are open, complete or not; afterwards there are none. */
bool outputs_close(struct outputs *outputs, bool is_complete, struct fault *fault);

#endif
