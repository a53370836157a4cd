/* A tree of the boids of a synchronous flock, for the search of nearest neighbours (simd_nearest.h). Compiled once per number type.
 *
 * The boids are sorted along a Hilbert curve. Each eight consecutive boids are a leaf, each eight nodes are a node of the next level, and
 * each node has a bounding box:
 *
 *     level 2   [                     0                     ]
 *     level 1   [         0         ] [         1         ] ...
 *     level 0   [ 0 | 1 | 2 | ... 7 ] [ 8 | 9 | 10 | ... 15 ] ...      eight boids each
 *
 * Leaves are small in dense regions and large in empty ones. Boxes and positions are stored in groups of eight, coordinate by coordinate,
 * so that compilers turn the loops over a group into SIMD instructions.
 */
#pragma once

#include "base/arena.h"
#include "num.h"

#include "flock/flock.h"

/** The numbers of boids per leaf and of nodes per group, and the maximum number of levels, for 2^32 boids. */
enum { TREE_LEAF = 8, TREE_FAN_OUT = 8, TREE_LEVELS = 16 };

/** The number of boids of a node of level 1; their neighbours are found together (simd_nearest_search). */
enum { TREE_NODE_BOIDS = TREE_LEAF * TREE_FAN_OUT };

/** Positions of eight boids. */
struct tree_leaf {
    num x[TREE_LEAF], y[TREE_LEAF];
};

/** Bounding boxes of eight nodes. */
struct tree_boxes {
    num low_x[TREE_FAN_OUT], low_y[TREE_FAN_OUT], high_x[TREE_FAN_OUT], high_y[TREE_FAN_OUT];
};

struct nearest_tree {
    struct flock_agent *agents; /**< copies of the boids along the curve */
    uint64_t *keys;             /**< id of each copy, in the lower half of a word */
    struct tree_leaf *leaves;   /**< positions of the copies */
    /** By level: one box per leaf, then one per eight nodes of the level below. */
    struct tree_boxes *boxes[TREE_LEVELS];
    uint32_t nodes[TREE_LEVELS], levels;
    uint32_t count;
    uint32_t age; /**< steps since the boids were sorted along the curve */
    num spread;   /**< the sum of the widths and heights of the leaves at that time */
};

#define nearest_tree_allocate FLOCK_TYPED(nearest_tree_allocate)
#define nearest_tree_build    FLOCK_TYPED(nearest_tree_build)

/** Take memory for a tree of `count` boids from the arena (which only counts the bytes if its base is NULL). */
void nearest_tree_allocate(struct nearest_tree *tree, uint32_t count, struct arena *arena);

/** Build the tree of the boids, which are in order of id. Cost: a sort of the boids, every few steps. */
void nearest_tree_build(struct nearest_tree *tree, const struct flock_agent *boids);

/* The boxes that a search must visit. */

/** The region of a search: all positions at a squared distance of at most `farthest` from the box [low, high]. */
struct nearest_reach {
    const struct flock_axis *x, *y;
    struct flock_vec low, high;
    num farthest;
};

/** An axis for a search. A torus may be searched as a plane, which is faster, if the neighbours of all boids from `low` to `high` are
 * nearer than the seam and nearer than half the world. */
static inline struct flock_axis axis_of_search(const struct flock_axis *axis, num low, num high, num farthest)
{
    struct flock_axis found = *axis;
    if (!axis->is_torus)
        return found;
    num room = axis->length - high;
    room = low < room ? low : room;
    room = axis->half < room ? axis->half : room;
    /* A larger square, to allow for rounding errors. */
    found.is_torus = num_square_widen(farthest) >= room * room;
    return found;
}

static inline num larger_num(num a, num b)
{
    return a < b ? b : a;
}

/* The distances along an axis from the interval [from, to] to the intervals [low[k], high[k]]. They use the same monotonic
 * operations as the distance between two boids. So even when rounded, they never exceed the distance between boids in the intervals. On a
 * torus, the shorter way counts. The loops have no branches, so that compilers generate SIMD instructions. */
static inline void gaps_between(const struct flock_axis *axis, num from, num to, const num *low,
                                const num *high, num *gaps)
{
    for (uint32_t k = 0; k < TREE_FAN_OUT; k++)
        gaps[k] = larger_num(0, larger_num(low[k] - to, from - high[k]));
    if (!axis->is_torus)
        return;
    for (uint32_t k = 0; k < TREE_FAN_OUT; k++) {
        const num other = axis->length - larger_num(high[k] - from, to - low[k]);
        gaps[k] = other < gaps[k] ? larger_num(0, other) : gaps[k];
    }
}

/** A bit mask of the nodes of a group of eight: bit k is set if node k may contain a boid within reach. */
static inline unsigned nodes_in_reach(const struct nearest_reach *reach, const struct nearest_tree *tree,
                                      uint32_t level, uint32_t group)
{
    const struct tree_boxes *boxes = &tree->boxes[level][group];
    const uint32_t count = tree->nodes[level] - group * TREE_FAN_OUT;
    num x[TREE_FAN_OUT], y[TREE_FAN_OUT];
    unsigned bits = 0;
    gaps_between(reach->x, reach->low.x, reach->high.x, boxes->low_x, boxes->high_x, x);
    gaps_between(reach->y, reach->low.y, reach->high.y, boxes->low_y, boxes->high_y, y);
    for (uint32_t k = 0; k < TREE_FAN_OUT; k++)
        bits |= (unsigned)!(reach->farthest < x[k] * x[k] + y[k] * y[k]) << k;
    return count < TREE_FAN_OUT ? bits & ((1U << count) - 1) : bits;
}
