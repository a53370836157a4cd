/* A cell list: points in a grid of equal cells. It answers the same queries of distance as the k-d tree (kdtree.h),
 * several times as fast for flocks that are spread out. If the flock is too clumped for cells of one size, it
 * declines.
 *
 * The results are those of the tree to the bit: both compare all pairs that could matter, by the same formulas.
 */
#ifndef CELL_LIST_H
#define CELL_LIST_H

#include "agent.h"
#include "union_find.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell_list;

/** A query. Periods are the sides of a torus, INFINITY on a plane; a radius of 0 finds nothing. */
struct cell_list_query {
    double period[2];
    double pair_radius, group_radius;
};

/** Bytes that a cell list for `count` points takes. */
size_t cell_list_memory(uint32_t count);

/** A cell list for up to `count` points, 1 or more, still empty.
 *
 * @return NULL when memory ran out; nothing is allocated later.
 */
struct cell_list *cell_list_create(uint32_t count, const struct cell_list_query *query);

struct cell_list_result {
    /** The squared distance from each point to its nearest other one, in no order, with zeros in between; owned by the
     * cell list and valid until the next query. */
    const double *nearest;
    size_t nearest_count;
    uint64_t pairs;       /**< pairs of points within the pair radius, each once */
    struct groups groups; /**< groups of points that are linked by distances of less than the group radius */
    double nearest_to;    /**< the squared distance from any point to any of `others`, at its minimum */
};

/** Sort the positions of `count` agents, 1 or more, into cells, and answer the whole query.
 *
 * @return false if cells of one size do not suit these points, so that the tree has to answer. To find that out takes a
 *         fraction of the time that the tree takes.
 */
bool cell_list_measure(struct cell_list *list, const struct agent *agents, uint32_t count,
                       const struct agent *others, size_t other_count, struct cell_list_result *result);

/** NULL is accepted. */
void cell_list_free(struct cell_list *list);

#endif
