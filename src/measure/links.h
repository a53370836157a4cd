/* Groups of boids that lie in more than one rank's band: each rank knows which of its own are one with which of the rank before. */
#ifndef LINKS_H
#define LINKS_H

#include "ranks/ranks.h"
#include "tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Two groups of two ranks that are one: their numbers, and how many boids each has. */
struct link {
    uint64_t group[2];
    uint64_t size[2];
};

/** The number of one of a rank's groups, among those of all ranks. */
static inline uint64_t link_number(int rank, uint32_t name)
{
    return (uint64_t)rank << 32 | name;
}

/** Collective: from a rank's links, which may be there many times and are sorted, and its groups without any, how many groups
 * there are of all ranks, and the boids in the largest.
 *
 * @return false, on all ranks, when memory ran out.
 */
bool links_count(const struct ranks *ranks, struct link *links, size_t count, struct tree_groups *groups);

#endif
