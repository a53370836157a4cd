/* Buffered output of a text format to a file, a pipe, a device or standard output.
 *
 * If the reader closes the pipe, the sink ends without an error: sink_is_closed() is true, and later bytes are dropped.
 */
#ifndef SINK_H
#define SINK_H

#include "trajectory/atomic_file.h"
#include "trajectory/format.h"

#include <stdbool.h>
#include <stddef.h>

struct sink;

/** Open an output; `about` says when it is synchronised. Both are borrowed. @return NULL with a fault. */
struct sink *sink_open(const struct atomic_file *part, const struct trajectory_about *about,
                       struct fault *fault);

/** Room for `size` bytes, at most SINK_ROOM, at the end of the buffer; sink_take() then appends the bytes that were
 * written. NULL if flushing the buffer failed. */
char *sink_room(struct sink *sink, size_t size, struct fault *fault);
void sink_take(struct sink *sink, size_t written);

/** Append a text of any length. */
bool sink_put(struct sink *sink, const char *text, struct fault *fault);

/** Write the buffer to the system; with SYNC_FLUSH also synchronise the file every flush_seconds. */
bool sink_flush(struct sink *sink, struct fault *fault);

/** Write the buffer and then `bytes`, which do not pass through the buffer. */
bool sink_pass(struct sink *sink, const char *bytes, size_t size, struct fault *fault);

/** Overwrite the first bytes of a regular file; does nothing for other outputs. */
bool sink_patch_start(struct sink *sink, const char *text, struct fault *fault);

bool sink_is_closed(const struct sink *sink);

/** Close and free a sink; NULL is accepted. If `is_complete`, a regular file gets its final name. */
bool sink_close(struct sink *sink, bool is_complete, struct fault *fault);

enum { SINK_ROOM = 4096 };

#endif
