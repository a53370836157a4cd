/* How this program starts threads. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/** Start a thread. It blocks all signals, so that the calling thread receives them. Its stack has the same
 * size on every system, because a run of a sweep needs 220 kB and the default of musl is 128 kB.
 *
 * @return false if the system does not start it.
 */
bool thread_start(pthread_t *thread, void *(*body)(void *argument), void *argument);
