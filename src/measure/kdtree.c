/* Each node splits its points at the median across the wider side of its bounding box. The tree is complete: all
 * leaves are at one depth, the children of node k are 2k and 2k + 1, and the i-th of the 2^d nodes at depth d holds
 * the points from count * i / 2^d up to count * (i + 1) / 2^d. So a node is identified by its number, and only its
 * bounding box is stored.
 *
 *                 1                    depth 0
 *          2             3             depth 1
 *       4     5       6     7          depth 2
 *     |...| |...|   |...| |...|        points
 *
 * The bounding boxes of two nodes give a lower and an upper bound of the distances between their points. The bounds
 * are computed with the same formulas as the distances, and rounding is monotonic, so they are valid to the last
 * bit. For many pairs of nodes no points need to be compared, because the nodes are too far apart, all their points
 * are near enough, or all are in one group already. So many points at the same position do not make a query slow.
 */
#include "neighbour_queries.h"

#include <assert.h>
#include <math.h>

enum { LANES = 8, ROOT = 1 };

struct point {
    double at[2];
};

struct box {
    double low[2], high[2];
};

/* A copy of the points of a leaf, with one array per coordinate, so that a point of another leaf is compared with
 * all of them at once. Unused elements are at infinity. */
struct lanes {
    double x[LANES], y[LANES];
};

struct kdtree {
    struct distance_query query;
    int depth; /* depth of the leaves */
    struct point *points;
    struct box *boxes;      /* bounding box of each node */
    struct lanes *lanes;    /* points of each leaf; the first leaf has index 0 */
    double *nearest;        /* squared distance to the nearest neighbour of each point */
    struct union_find sets; /* sets of points */
    bool *is_one_group;     /* true for a node if all of its points are known to be in one group */
};

/* Memory. */

static int depth_for(uint32_t count)
{
    int depth = 0;
    while (count > (uint64_t)LANES << depth)
        depth++;
    return depth;
}

struct kdtree *kdtree_allocate(const struct distance_query *query, struct arena *arena)
{
    const size_t count = query->count, nodes = (size_t)2 << depth_for(query->count);
    struct kdtree *tree = arena_alloc(arena, 1, sizeof *tree);
    const struct kdtree made = {
        .query = *query,
        .depth = depth_for(query->count),
        .points = arena_alloc(arena, count, sizeof *tree->points),
        .boxes = arena_alloc(arena, nodes, sizeof *tree->boxes),
        .lanes = arena_alloc(arena, nodes / 2, sizeof *tree->lanes),
        .nearest = arena_alloc(arena, count, sizeof *tree->nearest),
        .sets = union_find_allocate(count, arena),
        .is_one_group = arena_alloc(arena, nodes, sizeof *tree->is_one_group),
    };
    if (tree)
        *tree = made;
    return tree;
}

/* Nodes. */

static bool is_leaf(const struct kdtree *tree, uint32_t node)
{
    return node >> tree->depth != 0;
}

static struct lanes *lanes_of(const struct kdtree *tree, uint32_t leaf)
{
    return &tree->lanes[leaf - (UINT32_C(1) << tree->depth)];
}

struct range {
    uint32_t begin, end;
};

static struct range range_of(const struct kdtree *tree, uint32_t node)
{
    const int depth = 31 - __builtin_clz(node);
    const uint64_t i = node - (UINT64_C(1) << depth), count = tree->query.count;
    return (struct range){(uint32_t)(count * i >> depth), (uint32_t)(count * (i + 1) >> depth)};
}

/* Distances. The distance in the other direction around the torus; infinite on a plane. */

static inline double larger(double a, double b)
{
    return a < b ? b : a;
}

/* Squared distances from the points of a leaf to one point. */
static inline void measure_lanes(const struct kdtree *tree, const struct lanes *lanes, struct point point,
                                 double squared[LANES])
{
    const double x_period = tree->query.period[0], y_period = tree->query.period[1];
    for (int i = 0; i < LANES; i++) {
        const double x = fabs(lanes->x[i] - point.at[0]), y = fabs(lanes->y[i] - point.at[1]);
        const double dx = periodic_shorter(x, x_period - x), dy = periodic_shorter(y, y_period - y);
        squared[i] = dx * dx + dy * dy;
    }
}

/* The gap between two intervals, 0 if they overlap. */
static inline double gap(const struct box *a, const struct box *b, int k)
{
    return larger(0, larger(b->low[k] - a->high[k], a->low[k] - b->high[k]));
}

/* A lower bound of the squared distance between any point of one node and any point of another. */
static inline double min_squared(const struct kdtree *tree, const struct box *a, const struct box *b)
{
    double min[2];
    for (int k = 0; k < 2; k++) {
        const double high = larger(a->high[k], b->high[k]);
        const double low = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
        min[k] = periodic_shorter(gap(a, b, k), tree->query.period[k] - (high - low));
    }
    return min[0] * min[0] + min[1] * min[1];
}

/* An upper bound of the squared distance between any point of one node and any point of another. */
static double max_squared(const struct kdtree *tree, const struct box *a, const struct box *b)
{
    double max[2];
    for (int k = 0; k < 2; k++) {
        const double straight = larger(a->high[k] - b->low[k], b->high[k] - a->low[k]);
        max[k] = periodic_shorter(straight, tree->query.period[k] - gap(a, b, k));
    }
    return max[0] * max[0] + max[1] * max[1];
}

/* Filling. */

/* Move the points that are below the pivot (with `takes_equal`, also those equal to it) to the front, and return their end. The loop
 * has no branches, because the processor could not predict them. */
static inline uint32_t divide(struct point *points, struct range range, int axis, double pivot,
                              bool takes_equal)
{
    uint32_t front = range.begin;
    for (uint32_t i = range.begin; i < range.end; i++) {
        const double a = points[i].at[axis];
        const struct point point = points[i];
        points[i] = points[front];
        points[front] = point;
        front += (a < pivot) | (takes_equal & (a == pivot));
    }
    return front;
}

/* Hoare's selection algorithm. Afterwards, no point before `middle` has a higher coordinate than any point from `middle` on. First, a
 * sample is partitioned in the same way: on each side of `middle`, the sixteenth of the points that is nearest to it in the array. The
 * point that is then at `middle` gives the pivot. If no point is below the pivot, the round removes all points equal to it. So each round
 * has fewer points than the one before, even if many points are equal. */
static void halve(struct point *points, struct range range, uint32_t middle, int axis)
{
    enum { MIN_SAMPLED = 100 };
    while (range.end - range.begin > 1) {
        if (range.end - range.begin > MIN_SAMPLED)
            halve(points,
                  (struct range){middle - (middle - range.begin) / 16,
                                 middle + 1 + (range.end - middle - 1) / 16},
                  middle, axis);
        const double pivot = points[middle].at[axis];
        assert(!isnan(pivot)); /* the loop would not end */
        const uint32_t below = divide(points, range, axis, pivot, false);
        if (middle < below)
            range.end = below;
        else if (below > range.begin)
            range.begin = below;
        else
            range.begin = divide(points, range, axis, pivot, true);
        if (middle < range.begin)
            return;
    }
}

static void kdtree_fill(struct kdtree *tree, const struct agent *agents)
{
    const double *period = tree->query.period;
    for (uint32_t i = 0; i < tree->query.count; i++)
        tree->points[i] =
            (struct point){{periodic_wrap(agents[i].x, period[0]), periodic_wrap(agents[i].y, period[1])}};
    for (uint32_t node = ROOT; node >> (tree->depth + 1) == 0; node++) {
        const struct range range = range_of(tree, node);
        struct box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
        for (uint32_t i = range.begin; i < range.end; i++)
            for (int k = 0; k < 2; k++) {
                const double a = tree->points[i].at[k];
                box.low[k] = a < box.low[k] ? a : box.low[k];
                box.high[k] = a > box.high[k] ? a : box.high[k];
            }
        tree->boxes[node] = box;
        if (!is_leaf(tree, node)) {
            halve(tree->points, range, range_of(tree, 2 * node).end,
                  box.high[0] - box.low[0] < box.high[1] - box.low[1]);
            continue;
        }
        struct lanes *lanes = lanes_of(tree, node);
        for (uint32_t i = 0; i < LANES; i++) {
            const bool is_used = range.begin + i < range.end;
            lanes->x[i] = is_used ? tree->points[range.begin + i].at[0] : INFINITY;
            lanes->y[i] = is_used ? tree->points[range.begin + i].at[1] : INFINITY;
        }
    }
}

/* Nearest neighbours. The nearest neighbours of all points of a leaf are searched for at the same time. */

struct search {
    const struct kdtree *tree;
    uint32_t leaf;        /* the leaf whose points need their nearest neighbours */
    uint32_t point_count; /* the number of its points */
    double best[LANES];   /* squared distance to the nearest neighbour of each of these points */
    double bound;         /* the largest element of `best`; farther nodes are not searched */
};

static void search_leaf(struct search *search, uint32_t leaf)
{
    const struct kdtree *tree = search->tree;
    const struct range range = range_of(tree, leaf);
    const struct lanes *lanes = lanes_of(tree, search->leaf);
    double squared[LANES];
    for (uint32_t j = range.begin; j < range.end; j++) {
        measure_lanes(tree, lanes, tree->points[j], squared);
        if (leaf == search->leaf)
            squared[j - range.begin] = INFINITY;
        for (int i = 0; i < LANES; i++)
            search->best[i] = periodic_shorter(search->best[i], squared[i]);
    }
    search->bound = 0;
    for (uint32_t i = 0; i < search->point_count; i++)
        search->bound = larger(search->bound, search->best[i]);
}

static double distance_to(const struct search *search, uint32_t node)
{
    return min_squared(search->tree, &search->tree->boxes[search->leaf], &search->tree->boxes[node]);
}

/* Search a node, its nearer child first. `min` is a lower bound of the squared distance to the node. */
static void search_node(struct search *search, uint32_t node, double min)
{
    if (!(min < search->bound))
        return;
    if (is_leaf(search->tree, node)) {
        search_leaf(search, node);
        return;
    }
    const double first = distance_to(search, 2 * node), second = distance_to(search, 2 * node + 1);
    const uint32_t nearer = 2 * node + (second < first);
    search_node(search, nearer, periodic_shorter(first, second));
    search_node(search, nearer ^ 1, larger(first, second));
}

/* Find the nearest neighbours. For each leaf, the search goes up from this leaf to the root; at each node on the way,
 * the sibling is searched. */
static void kdtree_find_nearest(struct kdtree *tree)
{
    for (uint32_t leaf = UINT32_C(1) << tree->depth; leaf >> (tree->depth + 1) == 0; leaf++) {
        const struct range range = range_of(tree, leaf);
        struct search search = {.tree = tree, .leaf = leaf, .point_count = range.end - range.begin};
        for (int i = 0; i < LANES; i++)
            search.best[i] = INFINITY;
        search_leaf(&search, leaf);
        for (uint32_t node = leaf; node > ROOT; node /= 2)
            search_node(&search, node ^ 1, distance_to(&search, node ^ 1));
        for (uint32_t i = 0; i < search.point_count; i++)
            tree->nearest[range.begin + i] = search.best[i];
    }
}

/* The number of pairs between two nodes at the same depth, or within one node. */

static uint64_t pairs_in(const struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    if (!(min_squared(tree, &tree->boxes[a], &tree->boxes[b]) < reach))
        return 0;
    if (max_squared(tree, &tree->boxes[a], &tree->boxes[b]) < reach) {
        const struct range some = range_of(tree, a), others = range_of(tree, b);
        const uint64_t n = some.end - some.begin;
        return a == b ? n * (n - 1) / 2 : n * (others.end - others.begin);
    }
    if (is_leaf(tree, a)) {
        const struct range range = range_of(tree, b);
        double squared[LANES];
        uint64_t pairs = 0;
        for (uint32_t j = range.begin; j < range.end; j++) {
            measure_lanes(tree, lanes_of(tree, a), tree->points[j], squared);
            for (int i = 0; i < LANES; i++)
                pairs += squared[i] < reach;
        }
        /* Within a leaf, each pair is counted twice, and each point is also compared with itself. */
        return a == b ? (pairs - (range.end - range.begin)) / 2 : pairs;
    }
    return pairs_in(tree, 2 * a, 2 * b, reach) + pairs_in(tree, 2 * a + 1, 2 * b + 1, reach) +
           pairs_in(tree, 2 * a, 2 * b + 1, reach) + (a == b ? 0 : pairs_in(tree, 2 * a + 1, 2 * b, reach));
}

/* Groups. */

/* Mark a node whose points are all in one group, and all nodes below it. */
static void join_node(struct kdtree *tree, uint32_t node)
{
    if (tree->is_one_group[node])
        return;
    const struct range range = range_of(tree, node);
    tree->is_one_group[node] = true;
    if (is_leaf(tree, node)) {
        for (uint32_t i = range.begin + 1; i < range.end; i++)
            union_find_unite(&tree->sets, range.begin, i);
        return;
    }
    join_node(tree, 2 * node);
    join_node(tree, 2 * node + 1);
    union_find_unite(&tree->sets, range.begin, range.end - 1);
}

static bool are_one_group(struct kdtree *tree, uint32_t a, uint32_t b)
{
    return tree->is_one_group[a] && tree->is_one_group[b] &&
           union_find_root(&tree->sets, range_of(tree, a).begin) ==
               union_find_root(&tree->sets, range_of(tree, b).begin);
}

/* Link the points of two leaves. If all points of each leaf are known to be in one group, one link is enough. */
static void link_leaves(struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    const uint32_t begin = range_of(tree, a).begin;
    const struct range others = range_of(tree, b);
    double squared[LANES];
    for (uint32_t j = others.begin; j < others.end && !are_one_group(tree, a, b); j++) {
        measure_lanes(tree, lanes_of(tree, a), tree->points[j], squared);
        for (uint32_t i = 0; i < LANES; i++)
            if (squared[i] < reach)
                union_find_unite(&tree->sets, begin + i, j);
    }
    if (a == b) {
        uint32_t i = begin + 1;
        while (i < others.end && union_find_root(&tree->sets, i) == union_find_root(&tree->sets, begin))
            i++;
        tree->is_one_group[a] = i >= others.end;
    }
}

/* Link the points of two nodes. Each half of a node is first linked within itself; most comparisons between the two
 * halves can then be skipped. */
static void link_nodes(struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    if (are_one_group(tree, a, b) || !(min_squared(tree, &tree->boxes[a], &tree->boxes[b]) < reach))
        return;
    if (max_squared(tree, &tree->boxes[a], &tree->boxes[b]) < reach) {
        join_node(tree, a);
        join_node(tree, b);
        union_find_unite(&tree->sets, range_of(tree, a).begin, range_of(tree, b).begin);
    } else if (is_leaf(tree, a)) {
        link_leaves(tree, a, b, reach);
    } else if (a == b) {
        link_nodes(tree, 2 * a, 2 * a, reach);
        link_nodes(tree, 2 * a + 1, 2 * a + 1, reach);
        link_nodes(tree, 2 * a, 2 * a + 1, reach);
        tree->is_one_group[a] = are_one_group(tree, 2 * a, 2 * a + 1);
    } else {
        for (uint32_t i = 0; i < 4; i++)
            link_nodes(tree, 2 * a + i / 2, 2 * b + i % 2, reach);
    }
}

void kdtree_measure(struct kdtree *tree, const struct agent *agents, struct distance_result *result)
{
    const struct distance_query *query = &tree->query;
    kdtree_fill(tree, agents);
    kdtree_find_nearest(tree);
    for (uint32_t i = 0; i < query->count; i++) {
        tree->sets.parent[i] = i;
        tree->sets.size[i] = 1;
    }
    for (uint32_t node = ROOT; node >> (tree->depth + 1) == 0; node++)
        tree->is_one_group[node] = false;
    link_nodes(tree, ROOT, ROOT, query->group_radius * query->group_radius);
    *result = (struct distance_result){
        .nearest = tree->nearest,
        .nearest_count = query->count,
        .pairs = pairs_in(tree, ROOT, ROOT, query->pair_radius * query->pair_radius),
        .groups = union_find_count(&tree->sets, query->count),
    };
}
