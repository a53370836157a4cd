/* Points in a tree of boxes, for questions of distance: a k-d tree whose nodes keep their bounding boxes.
 *
 * The points are halved by their middle across the wider side of their box, and the halves again, down to a few points
 * per leaf. The tree adapts to clumps, empty space and runaways, which no grid of equal cells does, and every answer is
 * exact: it is the one that comparing all pairs gives, to the bit.
 *
 * Distances are those of a plane or of a torus, to the minimum image. They are strict, as the flock's rules are: within a
 * radius means d < radius.
 */
#ifndef KDTREE_H
#define KDTREE_H

#include "agent.h"
#include "union_find.h"

#include <stddef.h>
#include <stdint.h>

struct kdtree;

/** Bytes that a tree of so many points takes. */
size_t kdtree_memory(uint32_t count);

/** A tree for up to `count` points, 1 or more, not yet filled. Periods are the sides of a torus, INFINITY on a plane.
 *
 * @return NULL when memory ran out; nothing is allocated later.
 */
struct kdtree *kdtree_create(uint32_t count, double x_period, double y_period);

/** File the positions of `count` agents, 1 or more; on a torus, those outside of it as their images within.
 * Cost: count * log(count). */
void kdtree_fill(struct kdtree *tree, const struct agent *agents, uint32_t count);

/** The squared distance of each point to its nearest other, in the order in which the points were given: count of
 * them, infinite where there is no other. The tree's own, valid until it is filled anew. */
const double *kdtree_nearest(struct kdtree *tree);

/** The squared distance between the nearest two of an agent and a point, over `count` agents; infinite without any. */
double kdtree_nearest_to(const struct kdtree *tree, const struct agent *agents, size_t count);

/** The pairs of points within a radius, each once. */
uint64_t kdtree_pairs(const struct kdtree *tree, double radius);

/** The groups of points that are linked by distances of less than a radius: connected components, or friends of friends. */
struct groups kdtree_groups(struct kdtree *tree, double radius);

/** NULL is accepted. */
void kdtree_free(struct kdtree *tree);

#endif
