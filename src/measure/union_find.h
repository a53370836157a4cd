/* Disjoint sets (union-find). Each group is a tree of members. The functions use path halving and union by size. */
#pragma once

#include "base/arena.h"

#include <stdint.h>

/** Every member has a parent; the parent of a root is the root itself. The size is valid only at a root; a member of
 * size 0 belongs to no group. */
struct union_find {
    uint32_t *parent, *size;
};

static inline struct union_find union_find_allocate(size_t members, struct arena *arena)
{
    struct union_find sets = {0};
    sets.parent = arena_alloc(arena, members, sizeof *sets.parent);
    sets.size = arena_alloc(arena, members, sizeof *sets.size);
    return sets;
}

struct groups {
    uint32_t count, largest; /**< number of groups, and number of members of the largest group */
};

static inline uint32_t union_find_root(const struct union_find *sets, uint32_t i)
{
    while (sets->parent[i] != i)
        i = sets->parent[i] = sets->parent[sets->parent[i]];
    return i;
}

static inline void union_find_unite(const struct union_find *sets, uint32_t i, uint32_t j)
{
    i = union_find_root(sets, i);
    j = union_find_root(sets, j);
    if (i == j)
        return;
    const uint32_t larger = sets->size[i] < sets->size[j] ? j : i;
    const uint32_t smaller = larger == i ? j : i;
    sets->parent[smaller] = larger;
    sets->size[larger] += sets->size[smaller];
}

static inline struct groups union_find_count(const struct union_find *sets, uint32_t members)
{
    struct groups groups = {0, 0};
    for (uint32_t i = 0; i < members; i++) {
        if (sets->parent[i] != i || sets->size[i] == 0)
            continue;
        groups.count++;
        groups.largest = sets->size[i] > groups.largest ? sets->size[i] : groups.largest;
    }
    return groups;
}
