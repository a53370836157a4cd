/* Two threads at one bench: what they tell each other is read and written under its lock (a monitor). */
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

/** Wait until a claim is true. The lock is held, but not while waiting. */
void workbench_await(struct workbench *bench, bool (*claim)(const void *context), const void *context);

/** Wait for the other thread to end, if it was started. NULL is accepted. */
void workbench_free(struct workbench *bench);

#endif
