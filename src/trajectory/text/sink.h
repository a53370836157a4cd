/* Where the bytes of a text format go: a file, a pipe, a device or standard output, through one buffer.
 *
 * A reader that has closed its pipe ends a sink quietly: sink_is_closed() is true and what follows is dropped.
 */
#ifndef SINK_H
#define SINK_H

#include "trajectory/atomic_file.h"
#include "trajectory/format.h"

#include <stdbool.h>
#include <stddef.h>

struct sink;

/** Begin writing to a place; `about` says when it is brought to the disk. Both are borrowed. @return NULL with a fault. */
struct sink *sink_open(const struct atomic_file *part, const struct trajectory_about *about,
                       struct fault *fault);

/** Room for `size` bytes, at most SINK_ROOM, at the end of the buffer; sink_take() then says how many were written.
 * NULL when flushing what was there failed. */
char *sink_room(struct sink *sink, size_t size, struct fault *fault);
void sink_take(struct sink *sink, size_t written);

/** Append a text of any length. */
bool sink_put(struct sink *sink, const char *text, struct fault *fault);

/** Hand the buffer to the system; with SYNC_FLUSH now and then, every flush_seconds, also to the disk. */
bool sink_flush(struct sink *sink, struct fault *fault);

/** Hand the buffer to the system, and after it many bytes that need not go through it. */
bool sink_pass(struct sink *sink, const char *bytes, size_t size, struct fault *fault);

/** Overwrite the first bytes of a regular file; anything else is left as it is. */
bool sink_patch_start(struct sink *sink, const char *text, struct fault *fault);

bool sink_is_closed(const struct sink *sink);

/** End it and free it; NULL is accepted. `is_complete` gives a regular file its final name. */
bool sink_close(struct sink *sink, bool is_complete, struct fault *fault);

enum { SINK_ROOM = 4096 };

#endif
