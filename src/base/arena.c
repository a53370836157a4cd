/* Divides one block of memory, which may be in large pages, into parts. */
#include "arena.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { GRAIN = 64, LARGE_PAGE = 2 << 20 };

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    void *part = arena->base ? arena->base + arena->used : NULL;
    arena->used += (count * size + GRAIN - 1) / GRAIN * GRAIN;
    return part;
}

/* A large flock is read in random order. With pages of 4 KiB, the processor would spend more time on address
 * translation than on computing. So ask the system for large pages; it may ignore this. */
void *arena_create_block(size_t size)
{
    const size_t alignment = size < LARGE_PAGE ? GRAIN : LARGE_PAGE;
    size = (size + alignment - 1) / alignment * alignment;
    void *block = aligned_alloc(alignment, size);
#ifdef MADV_HUGEPAGE
    if (block && alignment == LARGE_PAGE)
        (void)!madvise(block, size, MADV_HUGEPAGE);
#endif
    return block;
}
