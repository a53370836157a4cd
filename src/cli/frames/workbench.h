/* Two threads at one bench: what one of them does in pieces, the other helps with while it waits.
 *
 * No third thread is needed for that, and nobody idles while there are pieces left (work sharing). What the two tell each
 * other is read and written under the bench's lock (a monitor).
 */
#ifndef WORKBENCH_H
#define WORKBENCH_H

#include <stdbool.h>
#include <stddef.h>

struct workbench;

/** A bench with one thread at it, the caller's. NULL: no memory, or a build without threads. */
struct workbench *workbench_create(void);

/** Start the other thread. It blocks all signals, so that they find the caller. False when the system has none to give. */
bool workbench_start(struct workbench *bench, void (*task)(void *context), void *context);

void workbench_lock(struct workbench *bench);
void workbench_unlock(struct workbench *bench);

/** Say that something has changed which the other may wait for. The lock is held. */
void workbench_tell(struct workbench *bench);

/** Wait until a claim is true, and help meanwhile. The lock is held, but not while waiting or helping. */
void workbench_await(struct workbench *bench, bool (*claim)(const void *context), const void *context);

/** Have pieces 0 to `pieces` - 1 of some work done, by this thread and by the other while that waits; in any order. On
 * return all are. The lock is not held, and only one of the two ever shares.
 *
 * @param bench  a struct workbench, as trajectory_about wants it.
 */
void workbench_share(void *bench, void (*work)(void *context, size_t piece), void *context, size_t pieces);

/** Wait for the other thread to end, if it was started. NULL is accepted. */
void workbench_free(struct workbench *bench);

#endif
