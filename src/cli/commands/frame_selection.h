/* The frames of a trajectory that are wanted, as a run writes them: the first one from a step on, those on a grid of steps
 * after it, and the last one. */
#ifndef FRAME_SELECTION_H
#define FRAME_SELECTION_H

#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stdint.h>

struct frame_selection {
    struct interval steps;       /**< what is wanted; to be set before it is opened, as is_strict */
    bool is_strict;              /**< the last frame, too, only from the first step on */
    bool has_first;              /**< the first frame that is wanted was read */
    struct snapshot frame;       /**< in hand */
    struct frame_reader *frames; /**< where they come from */
    struct snapshot ahead;       /**< the one behind it: without one, a frame is the last */
    enum frame_reader_status found_ahead;
};

/** Begin to read. To be closed either way. */
bool frame_selection_open(struct frame_selection *selection, const char *path, struct fault *fault);

/** Take the next frame that is wanted in hand. */
enum frame_reader_status frame_selection_next(struct frame_selection *selection, struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void frame_selection_close(struct frame_selection *selection);

/** How many frames of a file are wanted as in another selection. The file is read for it. */
bool frame_selection_count(const struct frame_selection *request, const char *path, uint64_t *count,
                           struct fault *fault);

#endif
