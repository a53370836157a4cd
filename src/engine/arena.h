/* Memory for a flock: one block, sized before the first step and dealt out from front to back. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

/** A block in use. With a null base nothing is handed out and `used` adds up what is needed. */
struct arena {
    unsigned char *base;
    size_t used;
};

/** The next `count` things of `size` bytes, aligned to 64; NULL when there is no block yet. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/** A block of `size` bytes, in large pages where the system has them; to be freed with free(). NULL: no memory. */
void *arena_create_block(size_t size);

#endif
