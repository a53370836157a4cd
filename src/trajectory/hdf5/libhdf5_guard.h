/* libhdf5 crashes, ends the process or never returns if memory runs out or if a file is damaged in certain ways. In a
 * guarded part of the program, the process then prints one line with the name of the file and exits with status 1. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** The guarded operation that a thread performs now. */
struct h5_guard {
    /** Name of the file for the message, borrowed; NULL: the thread does not use the library. */
    const char *name;
    bool is_timed; /**< the operation reads the file, and its processor time is limited */
};

/** Begin a guarded part in this thread, for one operation on a file. errno is 0 afterwards, so after a failed operation
 * ENOMEM means that memory ran out. Parts may be nested.
 *
 * @param size size of a file that is read, in bytes. The processor time that this thread may use until the end of the
 *             part grows with it (libhdf5_guard.c). 0: the file is written, and the time is not limited.
 * @return     the part that the thread was in, for h5_guard_end().
 */
struct h5_guard h5_guard_begin(const char *name, uint64_t size);
void h5_guard_end(struct h5_guard outer);

/** Stop the signals that measure the processor time, after this thread has read a file. */
void h5_guard_rest(void);

/** Set up the library in this thread; call this in a guarded part and before all other calls of the library. The library
 * then prints no messages of its own, runs no code at exit (which could crash after a failed run), locks no files and
 * loads no plugins. Repeated calls are cheap.
 *
 * @return false with errno ENOMEM: memory ran out. Do not call the library then.
 */
bool h5_quieten(void);
