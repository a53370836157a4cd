/* Two threads at one helper: what one of them does in pieces, the other helps with while it waits.
 *
 * No third thread is needed for that, and nobody idles while there are pieces left (work sharing). What the two tell each
 * other is read and written under the helper's lock (a monitor).
 */
#ifndef IO_HELPER_H
#define IO_HELPER_H

#include <stdbool.h>
#include <stddef.h>

struct io_helper;

/** A helper with one thread at it, the caller's. NULL: no memory, or a build without threads. */
struct io_helper *io_helper_create(void);

/** Start the other thread. It blocks all signals, so that they find the caller. False when the system has none to give. */
bool io_helper_start(struct io_helper *helper, void (*task)(void *context), void *context);

void io_helper_lock(struct io_helper *helper);
void io_helper_unlock(struct io_helper *helper);

/** Say that something has changed which the other may wait for. The lock is held. */
void io_helper_signal(struct io_helper *helper);

/** Wait until a claim is true, and help meanwhile. The lock is held, but not while waiting or helping. */
void io_helper_await(struct io_helper *helper, bool (*claim)(const void *context), const void *context);

/** Have pieces 0 to `pieces` - 1 of some work done, by this thread and by the other while that waits; in any order. On
 * return all are. The lock is not held, and only one of the two ever shares.
 *
 * @param helper  a struct io_helper, as trajectory_about wants it.
 */
void io_helper_share(void *helper, void (*work)(void *context, size_t piece), void *context, size_t pieces);

/** Wait for the other thread to end, if it was started. NULL is accepted. */
void io_helper_free(struct io_helper *helper);

#endif
