/* Where a group crosses an edge, many boids say the same: a rank sorts its links and keeps each once. Then all ranks get all, few as
 * they are, and each unites them. */
#include "links.h"

#include <stdlib.h>

enum { LINK_WORDS = sizeof(struct link) / sizeof(uint64_t) };

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static int compare_links(const void *a, const void *b)
{
    const struct link *one = a, *other = b;
    const int first = compare_numbers(&one->group[0], &other->group[0]);
    return first != 0 ? first : compare_numbers(&one->group[1], &other->group[1]);
}

static size_t keep_each_once(struct link *links, size_t count)
{
    size_t kept = 0;
    qsort(links, count, sizeof *links, compare_links);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || compare_links(&links[i], &links[kept - 1]) != 0)
            links[kept++] = links[i];
    return kept;
}

/* The groups that are linked, as a forest; sizes count at a root. */
struct forest {
    size_t count;
    uint64_t *groups; /* in order */
    uint64_t *size;
    size_t *parent;
};

static size_t place_of(const struct forest *forest, uint64_t group)
{
    const uint64_t *found = bsearch(&group, forest->groups, forest->count, sizeof group, compare_numbers);
    return (size_t)(found - forest->groups);
}

static size_t root_of(const struct forest *forest, size_t i)
{
    while (forest->parent[i] != i)
        i = forest->parent[i] = forest->parent[forest->parent[i]];
    return i;
}

static void name_groups(struct forest *forest, const struct link *links, size_t count)
{
    for (size_t k = 0; k < 2 * count; k++)
        forest->groups[k] = links[k / 2].group[k % 2];
    qsort(forest->groups, 2 * count, sizeof *forest->groups, compare_numbers);
    for (size_t k = 0; k < 2 * count; k++)
        if (forest->count == 0 || forest->groups[k] != forest->groups[forest->count - 1])
            forest->groups[forest->count++] = forest->groups[k];
}

static void plant(struct forest *forest, const struct link *links, size_t count)
{
    name_groups(forest, links, count);
    for (size_t i = 0; i < forest->count; i++)
        forest->parent[i] = i;
    for (size_t k = 0; k < 2 * count; k++)
        forest->size[place_of(forest, links[k / 2].group[k % 2])] = links[k / 2].size[k % 2];
}

static void unite(struct forest *forest, const struct link *link)
{
    const size_t i = root_of(forest, place_of(forest, link->group[0]));
    const size_t j = root_of(forest, place_of(forest, link->group[1]));
    if (i == j)
        return;
    forest->parent[j] = i;
    forest->size[i] += forest->size[j];
}

static struct tree_groups count_trees(const struct forest *forest)
{
    struct tree_groups groups = {0, 0};
    for (size_t i = 0; i < forest->count; i++) {
        if (forest->parent[i] != i)
            continue;
        groups.count++;
        groups.largest = forest->size[i] > groups.largest ? (uint32_t)forest->size[i] : groups.largest;
    }
    return groups;
}

static bool count_linked(const struct link *links, size_t count, struct tree_groups *groups)
{
    const size_t most = 2 * count + 1;
    struct forest forest = {
        .groups = malloc(most * sizeof *forest.groups),
        .size = malloc(most * sizeof *forest.size),
        .parent = malloc(most * sizeof *forest.parent),
    };
    const bool is_good = forest.groups && forest.size && forest.parent;
    if (is_good) {
        plant(&forest, links, count);
        for (size_t k = 0; k < count; k++)
            unite(&forest, &links[k]);
        *groups = count_trees(&forest);
    }
    free(forest.groups);
    free(forest.size);
    free(forest.parent);
    return is_good;
}

/* `groups`: those of this rank without links, then all. */
static void add_up(const struct ranks *ranks, const struct tree_groups *linked, struct tree_groups *groups)
{
    uint64_t count = groups->count, largest = groups->largest;
    ranks->merge(ranks, &count, 1, RANKS_SUM);
    ranks->merge(ranks, &largest, 1, RANKS_MOST);
    groups->count = (uint32_t)count + linked->count;
    groups->largest = largest > linked->largest ? (uint32_t)largest : linked->largest;
}

bool links_count(const struct ranks *ranks, struct link *links, size_t count, struct tree_groups *groups)
{
    struct tree_groups linked = {0, 0};
    size_t before, words;
    const size_t kept = keep_each_once(links, count);
    uint64_t *all =
        ranks_collect(ranks, (const uint64_t *)(const void *)links, kept * LINK_WORDS, &before, &words);
    if (!all)
        return false;
    const bool is_good =
        ranks_all(ranks, count_linked((const struct link *)(const void *)all, words / LINK_WORDS, &linked));
    free(all);
    if (is_good)
        add_up(ranks, &linked, groups);
    return is_good;
}
