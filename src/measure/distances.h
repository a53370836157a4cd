/* Distances between points: the nearest neighbour of each, close pairs, and groups of points that are linked.
 *
 * Two structures give the same result to the bit, because both compare all pairs that could matter by the same formulas.
 * The cell list is several times as fast for points that are spread out; the k-d tree adapts to clumps, empty space and
 * distant points. Time per boid and frame for all observables, measured for 100,000 boids on a torus:
 *
 *     boids                                   cell list       k-d tree
 *     spread evenly                               80 ns         430 ns
 *     half of them in one clump                2,800 ns       1,400 ns
 *     all in one clump                        18,500 ns       3,900 ns
 *     all on one point                 grows with count         140 ns
 *
 * Distances are those of a plane or of a torus, to the minimum image; positions outside a torus are wrapped. Distances are
 * strict, as the flock's rules are: within a radius means d < radius.
 */
#ifndef DISTANCES_H
#define DISTANCES_H

#include "agent.h"
#include "union_find.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The distance to the minimum image: the shorter of the direct distance and the distance around the torus. */
static inline double periodic_shorter(double straight, double around)
{
    return around < straight ? around : straight;
}

/** Wrap a coordinate to 0 up to the period. fmod() is exact on every machine. */
static inline double periodic_wrap(double a, double period)
{
    if ((a >= 0 && a <= period) || isinf(period))
        return a;
    const double rest = fmod(a, period);
    return rest < 0 ? rest + period : rest;
}

/** A query about `count` points, 1 or more. Periods are the sides of a torus, INFINITY on a plane; a radius of 0 finds
 * nothing. */
struct distance_query {
    uint32_t count;
    double period[2];
    double pair_radius, group_radius;
};

struct distance_result {
    /** The squared distance from each point to its nearest neighbour, in no particular order, possibly with extra
     * zeros in between. Infinite if there is only one point. Valid until the next measurement. */
    const double *nearest;
    size_t nearest_count;
    uint64_t pairs; /**< pairs of points within the pair radius, each once */
    struct groups
        groups; /**< connected components of the points linked by distances below the group radius */
};

struct cell_list;
struct kdtree;

/** Bytes that a structure for `count` points takes. */
size_t cell_list_memory(uint32_t count);
size_t kdtree_memory(uint32_t count);

/** NULL when memory ran out; nothing is allocated later. */
struct cell_list *cell_list_create(const struct distance_query *query);
struct kdtree *kdtree_create(const struct distance_query *query);

/** Answer the query for the positions of query->count agents.
 *
 * @return false if the points are too clumped for cells of one size, so that the tree has to answer. This check
 *   takes a fraction of the time of the tree.
 */
bool cell_list_measure(struct cell_list *list, const struct agent *agents, struct distance_result *result);

/** Likewise, for any points. Cost: count * log(count). */
void kdtree_measure(struct kdtree *tree, const struct agent *agents, struct distance_result *result);

/** NULL is accepted. */
void cell_list_free(struct cell_list *list);
void kdtree_free(struct kdtree *tree);

#endif
