/* Points in a grid of equal cells (a cell list), for the questions of distance that tree.h result as well: several
 * times as fast for flocks that spread out, and not at all for those that do not.
 *
 * The result are the tree's to the bit: both compare all that could matter, by the same formulas.
 */
#ifndef CELL_LIST_H
#define CELL_LIST_H

#include "agent.h"
#include "union_find.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell_list;

/** What is asked of the points. Periods are the sides of a torus, INFINITY on a plane; a radius of 0 asks nothing. */
struct cell_list_query {
    double period[2];
    double pair_radius, group_radius;
};

/** Bytes that a grid for so many points takes. */
size_t cell_list_memory(uint32_t count);

/** A grid for up to `count` points, 1 or more, not yet filled.
 *
 * @return NULL when memory ran out; nothing is allocated later.
 */
struct cell_list *cell_list_create(uint32_t count, const struct cell_list_query *query);

struct cell_list_result {
    const double
        *nearest; /**< the squared distance of each point to its nearest other, in no order and with zeros
                              between them; the grid's own, valid until it is asked again */
    size_t nearest_count;
    uint64_t pairs;       /**< of points within the pair radius, each once */
    struct groups groups; /**< of what hangs together by links of less than the group radius */
    double nearest_to;    /**< the squared distance between the nearest two of a point and one of `others` */
};

/** File the positions of `count` agents, 1 or more, and answer everything.
 *
 * @return false when cells of one size do not do for these points: the tree has to be asked. Until that is known, it takes
 *         a fraction of the time that the tree will take.
 */
bool cell_list_measure(struct cell_list *list, const struct agent *agents, uint32_t count,
                       const struct agent *others, size_t other_count, struct cell_list_result *result);

/** NULL is accepted. */
void cell_list_free(struct cell_list *list);

#endif
