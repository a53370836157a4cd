/* Memory for a flock, or for measuring one: one block, which is divided from front to back. Its size is computed first. */
#pragma once

#include <stddef.h>

/** A block and the number of bytes used so far. If the base is NULL, `used` only counts the bytes that are needed. */
struct arena {
    unsigned char *base;
    size_t used;
};

/** Memory for `count` elements of `size` bytes, aligned to 64 bytes; NULL if there is no block yet. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
/** The same for an array of `count` elements, to which `pointer` then points. */
#define ARENA_ARRAY(arena, pointer, count) ((pointer) = arena_alloc(arena, count, sizeof *(pointer)))

/** Allocate a block of `size` bytes, in large pages if the system has them; free it with free(). NULL: out of memory. */
void *arena_create_block(size_t size);
