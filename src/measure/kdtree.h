/* A k-d tree of points for queries of distance; each node stores its bounding box.
 *
 * Each node splits its points at the median across the wider side of its box, down to a few points per leaf. Unlike a
 * grid of equal cells, the tree adapts to clumps, empty space and runaways. Every result is that of comparing all
 * pairs, to the bit.
 *
 * Distances are those of a plane or of a torus, to the minimum image. They are strict, as the flock's rules are:
 * within a radius means d < radius.
 */
#ifndef KDTREE_H
#define KDTREE_H

#include "agent.h"
#include "union_find.h"

#include <stddef.h>
#include <stdint.h>

struct kdtree;

/** Bytes that a tree of `count` points takes. */
size_t kdtree_memory(uint32_t count);

/** A tree for up to `count` points, 1 or more, still empty. Periods are the sides of a torus, INFINITY on a plane.
 *
 * @return NULL when memory ran out; nothing is allocated later.
 */
struct kdtree *kdtree_create(uint32_t count, double x_period, double y_period);

/** Fill the tree with the positions of `count` agents, 1 or more; positions outside a torus are wrapped.
 * Cost: count * log(count). */
void kdtree_fill(struct kdtree *tree, const struct agent *agents, uint32_t count);

/** The squared distance from each point to its nearest other one, in the order in which the points were given; infinite
 * if there is no other. Owned by the tree and valid until it is filled again. */
const double *kdtree_nearest(struct kdtree *tree);

/** The minimum squared distance from any of `count` agents to any point; infinite without agents. */
double kdtree_nearest_to(const struct kdtree *tree, const struct agent *agents, size_t count);

/** The number of pairs of points within a radius, each once. */
uint64_t kdtree_pairs(const struct kdtree *tree, double radius);

/** The groups of points that are linked by distances of less than a radius: connected components, or friends of
 * friends. */
struct groups kdtree_groups(struct kdtree *tree, double radius);

/** NULL is accepted. */
void kdtree_free(struct kdtree *tree);

#endif
