/* The tree is complete: all leaves are at one depth, the children of node k are 2k and 2k + 1, and the i-th of the 2^d
 * nodes at depth d holds the points from count * i / 2^d up to count * (i + 1) / 2^d. So a node is a number, and only
 * its box is stored.
 *
 *                 1                    depth 0
 *          2             3             depth 1
 *       4     5       6     7          depth 2
 *     |...| |...|   |...| |...|        points
 *
 * Two boxes bound the distances between their points from below and from above. The bounds are computed as the
 * distances are, by monotonic rounding, so they hold to the last bit. Many pairs of nodes are decided without a
 * comparison of points: too far apart, all points near enough, or in one group already. For the same reason points
 * that coincide cost no more than others.
 */
#include "kdtree.h"

#include "periodic.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LANES = 8, ROOT = 1 };

struct point {
    double at[2];
    uint32_t id; /* index of the agent */
};

struct box {
    double low[2], high[2];
};

/* A copy of the points of a leaf, by coordinate: a point of another leaf is compared with all of them at once. Unused
 * elements are at infinity. */
struct lanes {
    double x[LANES], y[LANES];
};

struct kdtree {
    uint32_t count, capacity;
    int depth; /* of the leaves */
    double period[2];
    struct point *points;
    struct box *boxes;      /* by node */
    struct lanes *lanes;    /* by leaf, the first at 0 */
    double *nearest;        /* by id */
    struct union_find sets; /* of points */
    bool *is_whole;         /* by node: all of its points are known to be in one group */
};

/* Nodes. */

static int depth_for(uint32_t count)
{
    int depth = 0;
    while (count > (uint64_t)LANES << depth)
        depth++;
    return depth;
}

static bool is_leaf(const struct kdtree *tree, uint32_t node)
{
    return node >> tree->depth != 0;
}

static int depth_of(uint32_t node)
{
    return 31 - __builtin_clz(node);
}

struct range {
    uint32_t begin, end;
};

static struct range range_of(const struct kdtree *tree, uint32_t node)
{
    const int depth = depth_of(node);
    const uint64_t i = node - (UINT64_C(1) << depth);
    return (struct range){(uint32_t)(tree->count * i >> depth), (uint32_t)(tree->count * (i + 1) >> depth)};
}

/* Distances. The distance around is infinite on a plane. */

static inline double larger(double a, double b)
{
    return a < b ? b : a;
}

/* Squared distances from the points of a leaf to one point. */
static inline void measure_lanes(const struct kdtree *tree, const struct lanes *lanes,
                                 const struct point *point, double squared[LANES])
{
    const double x_period = tree->period[0], y_period = tree->period[1];
    for (int i = 0; i < LANES; i++) {
        const double x = fabs(lanes->x[i] - point->at[0]), y = fabs(lanes->y[i] - point->at[1]);
        const double dx = periodic_shorter(x, x_period - x), dy = periodic_shorter(y, y_period - y);
        squared[i] = dx * dx + dy * dy;
    }
}

static const struct lanes *lanes_of(const struct kdtree *tree, uint32_t leaf)
{
    return &tree->lanes[leaf - (UINT32_C(1) << tree->depth)];
}

/* The gap between two intervals, 0 if they overlap. */
static inline double gap(const struct box *a, const struct box *b, int k)
{
    return larger(0, larger(b->low[k] - a->high[k], a->low[k] - b->high[k]));
}

/* From the lower end of one interval to the higher end of the other. */
static inline double least_on(const struct kdtree *tree, const struct box *a, const struct box *b, int k)
{
    const double high = larger(a->high[k], b->high[k]);
    const double low = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
    return periodic_shorter(gap(a, b, k), tree->period[k] - (high - low));
}

static inline double most_on(const struct kdtree *tree, const struct box *a, const struct box *b, int k)
{
    const double straight = larger(a->high[k] - b->low[k], b->high[k] - a->low[k]);
    return periodic_shorter(straight, tree->period[k] - gap(a, b, k));
}

static inline double least_squared(const struct kdtree *tree, const struct box *a, const struct box *b)
{
    const double dx = least_on(tree, a, b, 0), dy = least_on(tree, a, b, 1);
    return dx * dx + dy * dy;
}

static double most_squared(const struct kdtree *tree, const struct box *a, const struct box *b)
{
    const double dx = most_on(tree, a, b, 0), dy = most_on(tree, a, b, 1);
    return dx * dx + dy * dy;
}

/* Memory. */

size_t kdtree_memory(uint32_t count)
{
    const size_t nodes = (size_t)2 << depth_for(count);
    return sizeof(struct kdtree) + nodes * (sizeof(struct box) + sizeof(bool)) +
           nodes / 2 * sizeof(struct lanes) +
           count * (sizeof(struct point) + sizeof(double) + 2 * sizeof(uint32_t));
}

struct kdtree *kdtree_create(uint32_t count, double x_period, double y_period)
{
    struct kdtree *tree = malloc(sizeof *tree);
    if (!tree)
        return NULL;
    const size_t nodes = (size_t)2 << depth_for(count);
    *tree = (struct kdtree){
        .capacity = count,
        .period = {x_period, y_period},
        .points = malloc(count * sizeof *tree->points),
        .boxes = malloc(nodes * sizeof *tree->boxes),
        .lanes = malloc(nodes / 2 * sizeof *tree->lanes),
        .nearest = malloc(count * sizeof *tree->nearest),
        .sets = {malloc(count * sizeof *tree->sets.parent), malloc(count * sizeof *tree->sets.size)},
        .is_whole = malloc(nodes * sizeof *tree->is_whole),
    };
    if (tree->points && tree->boxes && tree->lanes && tree->nearest && tree->sets.parent && tree->sets.size &&
        tree->is_whole)
        return tree;
    kdtree_free(tree);
    return NULL;
}

void kdtree_free(struct kdtree *tree)
{
    if (!tree)
        return;
    free(tree->points);
    free(tree->boxes);
    free(tree->lanes);
    free(tree->nearest);
    free(tree->sets.parent);
    free(tree->sets.size);
    free(tree->is_whole);
    free(tree);
}

/* Filling. */

static struct box box_around(const struct point *points, struct range range)
{
    struct box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (uint32_t i = range.begin; i < range.end; i++)
        for (int k = 0; k < 2; k++) {
            const double a = points[i].at[k];
            box.low[k] = a < box.low[k] ? a : box.low[k];
            box.high[k] = a > box.high[k] ? a : box.high[k];
        }
    return box;
}

/* Move the points before the pivot (or equal to it, with `takes_equal`) to the front, and return their end. There is no
 * branch, because the processor could not predict it. */
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

enum { WORTH_A_SAMPLE = 100 };

/* Hoare's selection: afterwards nothing before `middle` is higher than anything from there on. The pivot comes from a
 * sixteenth of the points, taken around the middle in proportion and halved first. A round in which nothing lies before
 * it sets aside all that lie on it, so each is shorter than the last, however many are equal. */
static void halve(struct point *points, struct range range, uint32_t middle, int axis)
{
    while (range.end - range.begin > 1) {
        if (range.end - range.begin > WORTH_A_SAMPLE)
            halve(points,
                  (struct range){middle - (middle - range.begin) / 16,
                                 middle + 1 + (range.end - middle - 1) / 16},
                  middle, axis);
        const double pivot = points[middle].at[axis];
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

static struct lanes make_lanes(const struct point *points, uint32_t count)
{
    struct lanes lanes;
    for (uint32_t i = 0; i < LANES; i++) {
        lanes.x[i] = i < count ? points[i].at[0] : INFINITY;
        lanes.y[i] = i < count ? points[i].at[1] : INFINITY;
    }
    return lanes;
}

void kdtree_fill(struct kdtree *tree, const struct agent *agents, uint32_t count)
{
    assert(count > 0 && count <= tree->capacity);
    tree->count = count;
    tree->depth = depth_for(count);
    for (uint32_t i = 0; i < tree->count; i++)
        tree->points[i] = (struct point){
            {periodic_wrap(agents[i].x, tree->period[0]), periodic_wrap(agents[i].y, tree->period[1])}, i};
    const uint32_t first_leaf = UINT32_C(1) << tree->depth;
    for (uint32_t node = ROOT; node < 2 * first_leaf; node++) {
        const struct range range = range_of(tree, node);
        const struct box box = box_around(tree->points, range);
        tree->boxes[node] = box;
        if (node < first_leaf)
            halve(tree->points, range, range_of(tree, 2 * node).end,
                  box.high[0] - box.low[0] < box.high[1] - box.low[1]);
        else
            tree->lanes[node - first_leaf] = make_lanes(tree->points + range.begin, range.end - range.begin);
    }
}

/* Nearest neighbours: the points of a leaf search together. */

struct search {
    const struct kdtree *tree;
    const struct lanes *lanes;
    uint32_t count; /* lanes in use */
    struct box box;
    double best[LANES]; /* squared */
    double bound;       /* the largest of them: nothing farther away matters */
};

static void compare(struct search *search, uint32_t leaf)
{
    const struct kdtree *tree = search->tree;
    const struct range range = range_of(tree, leaf);
    const bool is_own = search->lanes == lanes_of(tree, leaf);
    double squared[LANES];
    for (uint32_t j = range.begin; j < range.end; j++) {
        measure_lanes(tree, search->lanes, &tree->points[j], squared);
        if (is_own)
            squared[j - range.begin] = INFINITY;
        for (int i = 0; i < LANES; i++)
            search->best[i] = periodic_shorter(search->best[i], squared[i]);
    }
    search->bound = 0;
    for (uint32_t i = 0; i < search->count; i++)
        search->bound = larger(search->bound, search->best[i]);
}

static void look_into(struct search *search, uint32_t node)
{
    const struct kdtree *tree = search->tree;
    if (is_leaf(tree, node)) {
        compare(search, node);
        return;
    }
    uint32_t near = 2 * node, far = 2 * node + 1;
    double nearer = least_squared(tree, &search->box, &tree->boxes[near]);
    double farther = least_squared(tree, &search->box, &tree->boxes[far]);
    if (farther < nearer) {
        const double swap = nearer;
        nearer = farther;
        farther = swap;
        near = far;
        far = 2 * node;
    }
    if (nearer < search->bound)
        look_into(search, near);
    if (farther < search->bound)
        look_into(search, far);
}

/* From a leaf upwards: the rest of the tree consists of the siblings of the nodes on the way. */
static void look_around(struct search *search, uint32_t leaf)
{
    const struct kdtree *tree = search->tree;
    compare(search, leaf);
    for (uint32_t node = leaf; node > ROOT; node /= 2)
        if (least_squared(tree, &search->box, &tree->boxes[node ^ 1]) < search->bound)
            look_into(search, node ^ 1);
}

static void search_from_leaf(struct kdtree *tree, uint32_t leaf)
{
    const struct range range = range_of(tree, leaf);
    struct search search = {
        .tree = tree,
        .lanes = lanes_of(tree, leaf),
        .count = range.end - range.begin,
        .box = tree->boxes[leaf],
    };
    for (int i = 0; i < LANES; i++)
        search.best[i] = INFINITY;
    look_around(&search, leaf);
    for (uint32_t i = 0; i < search.count; i++)
        tree->nearest[tree->points[range.begin + i].id] = search.best[i];
}

const double *kdtree_nearest(struct kdtree *tree)
{
    const uint32_t leaves = UINT32_C(1) << tree->depth;
    for (uint32_t i = 0; i < leaves; i++)
        search_from_leaf(tree, leaves + i);
    return tree->nearest;
}

static double search_for(const struct kdtree *tree, const struct agent *agent, double best)
{
    const struct point point = {
        {periodic_wrap(agent->x, tree->period[0]), periodic_wrap(agent->y, tree->period[1])}, 0};
    const struct lanes lanes = make_lanes(&point, 1);
    struct search search = {.tree = tree, .lanes = &lanes, .count = 1, .best = {best}, .bound = best};
    search.box = box_around(&point, (struct range){0, 1});
    if (least_squared(tree, &search.box, &tree->boxes[ROOT]) < best)
        look_into(&search, ROOT);
    return search.best[0];
}

double kdtree_nearest_to(const struct kdtree *tree, const struct agent *agents, size_t count)
{
    double best = INFINITY;
    for (size_t i = 0; i < count; i++)
        best = search_for(tree, &agents[i], best);
    return best;
}

/* Pairs: of two nodes at the same depth, or of one with itself. */

static uint64_t pairs_in_leaves(const struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    const struct range range = range_of(tree, b);
    const struct lanes *lanes = lanes_of(tree, a);
    double squared[LANES];
    uint64_t pairs = 0;
    for (uint32_t j = range.begin; j < range.end; j++) {
        measure_lanes(tree, lanes, &tree->points[j], squared);
        for (int i = 0; i < LANES; i++)
            pairs += squared[i] < reach;
    }
    /* Within one leaf each pair was counted twice, and every point with itself. */
    return a == b ? (pairs - (range.end - range.begin)) / 2 : pairs;
}

static uint64_t all_pairs(const struct kdtree *tree, uint32_t a, uint32_t b)
{
    const struct range some = range_of(tree, a), others = range_of(tree, b);
    const uint64_t n = some.end - some.begin;
    return a == b ? n * (n - 1) / 2 : n * (others.end - others.begin);
}

static uint64_t pairs_in(const struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    if (!(least_squared(tree, &tree->boxes[a], &tree->boxes[b]) < reach))
        return 0;
    if (most_squared(tree, &tree->boxes[a], &tree->boxes[b]) < reach)
        return all_pairs(tree, a, b);
    if (is_leaf(tree, a))
        return pairs_in_leaves(tree, a, b, reach);
    return pairs_in(tree, 2 * a, 2 * b, reach) + pairs_in(tree, 2 * a + 1, 2 * b + 1, reach) +
           pairs_in(tree, 2 * a, 2 * b + 1, reach) + (a == b ? 0 : pairs_in(tree, 2 * a + 1, 2 * b, reach));
}

uint64_t kdtree_pairs(const struct kdtree *tree, double radius)
{
    return pairs_in(tree, ROOT, ROOT, radius * radius);
}

/* Groups. */

static uint32_t group_of(struct kdtree *tree, uint32_t node)
{
    return union_find_root(&tree->sets, range_of(tree, node).begin);
}

/* All points of a node are in one group: mark it and the nodes below it. */
static void make_whole(struct kdtree *tree, uint32_t node)
{
    if (tree->is_whole[node])
        return;
    const struct range range = range_of(tree, node);
    tree->is_whole[node] = true;
    if (!is_leaf(tree, node)) {
        make_whole(tree, 2 * node);
        make_whole(tree, 2 * node + 1);
        union_find_unite(&tree->sets, range.begin, range.end - 1);
        return;
    }
    for (uint32_t i = range.begin + 1; i < range.end; i++)
        union_find_unite(&tree->sets, range.begin, i);
}

static bool are_one(struct kdtree *tree, uint32_t a, uint32_t b)
{
    return tree->is_whole[a] && tree->is_whole[b] && group_of(tree, a) == group_of(tree, b);
}

/* If both leaves are whole, one link is enough. */
static void join_leaves(struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    const struct range others = range_of(tree, b);
    const uint32_t begin = range_of(tree, a).begin;
    const struct lanes *lanes = lanes_of(tree, a);
    double squared[LANES];
    for (uint32_t j = others.begin; j < others.end && !are_one(tree, a, b); j++) {
        measure_lanes(tree, lanes, &tree->points[j], squared);
        for (uint32_t i = 0; i < LANES; i++)
            if (squared[i] < reach)
                union_find_unite(&tree->sets, begin + i, j);
    }
}

static bool leaf_is_whole(struct kdtree *tree, uint32_t leaf)
{
    const struct range range = range_of(tree, leaf);
    uint32_t i = range.begin + 1;
    while (i < range.end && union_find_root(&tree->sets, i) == union_find_root(&tree->sets, range.begin))
        i++;
    return i >= range.end;
}

static void join(struct kdtree *tree, uint32_t a, uint32_t b, double reach);

/* Each half within itself first: later comparisons can then skip most pairs. */
static void join_halves(struct kdtree *tree, uint32_t node, double reach)
{
    const uint32_t a = 2 * node, b = 2 * node + 1;
    join(tree, a, a, reach);
    join(tree, b, b, reach);
    join(tree, a, b, reach);
    tree->is_whole[node] = are_one(tree, a, b);
}

static void join_quarters(struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t j = 0; j < 2; j++)
            join(tree, 2 * a + i, 2 * b + j, reach);
}

static void join_near(struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    if (!is_leaf(tree, a)) {
        if (a == b)
            join_halves(tree, a, reach);
        else
            join_quarters(tree, a, b, reach);
        return;
    }
    join_leaves(tree, a, b, reach);
    if (a == b)
        tree->is_whole[a] = leaf_is_whole(tree, a);
}

static void join(struct kdtree *tree, uint32_t a, uint32_t b, double reach)
{
    if (are_one(tree, a, b) || !(least_squared(tree, &tree->boxes[a], &tree->boxes[b]) < reach))
        return;
    if (!(most_squared(tree, &tree->boxes[a], &tree->boxes[b]) < reach)) {
        join_near(tree, a, b, reach);
        return;
    }
    make_whole(tree, a);
    make_whole(tree, b);
    union_find_unite(&tree->sets, range_of(tree, a).begin, range_of(tree, b).begin);
}

struct groups kdtree_groups(struct kdtree *tree, double radius)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        tree->sets.parent[i] = i;
        tree->sets.size[i] = 1;
    }
    for (uint32_t node = ROOT; node >> (tree->depth + 1) == 0; node++)
        tree->is_whole[node] = false;
    join(tree, ROOT, ROOT, radius * radius);
    return union_find_count(&tree->sets, tree->count);
}
