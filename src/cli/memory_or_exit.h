/* Small blocks of memory of the program. Without one, it can only end: there is no state to save, because outputs are complete up to
 * their last frame or row at any time. */
#pragma once

#include "base/error.h"

#include <stdio.h>
#include <unistd.h>

/** Return `memory`. If it is NULL, print one line and end the program with status 1. */
static inline void *memory_or_exit(void *memory)
{
    if (!memory) {
        fputs("boids: out of memory\n", stderr);
        _exit(ERROR_FAILED);
    }
    return memory;
}

/** Close a stream of open_memstream(), and return its text. */
static inline char *text_or_exit(FILE *stream, char *const *text)
{
    return memory_or_exit(fclose(stream) == 0 ? *text : NULL);
}
