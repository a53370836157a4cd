/* Rows of cells run along the longer axis. Points are sorted by cell, row by row, in clusters of two points, so that
 * the four distances between two clusters are computed at once. Each cluster is compared with the later clusters in
 * its row and with the clusters in the next row, up to the cell after its own. So each pair of points in neighbouring cells is compared
 * once.
 *
 *     row y      . . | P P | q q . q |            P is compared with each q
 *     row y + 1  . q | q q | . q q . |
 *
 * Points a little farther along a row may be compared as well. This does not change the result, because no pair is
 * compared twice, and points outside the neighbouring cells are too far apart. Each row begins with a new cluster. On
 * a torus, the second cell and the last cell of each row also begin with a new cluster. Unused elements of a cluster
 * are points at infinity.
 *
 * If the nearest neighbour found so far is nearer than the side of a cell, no other cell can have a nearer one.
 * Otherwise, the search is extended to the distance of that neighbour. If this distance is large, the radius of the
 * search is doubled until it is at least this distance.
 */
#include "cell_list_layout.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* MAX_CELL_MATES limits the average number of points in the cell of a point, and MAX_EFFORT the average number of
 * points that are compared outside the neighbouring cells. Above these limits, the tree is faster. If each axis of a
 * torus has at least MIN_TORUS_CELLS cells, no two cells are neighbours in both directions around the torus. */
enum { MAX_CELL_MATES = 250, MAX_EFFORT = 64, MIN_TORUS_CELLS = 4 };

/* Safety margin of the size of a cell, as a fraction of the size. It is much larger than rounding errors. */
static const double margin = 1.0 / (1 << 20);

/* Memory. */

static size_t max_cells(uint32_t count)
{
    const double max = 2.5 * count + 64;
    return max < UINT32_MAX ? (size_t)max : UINT32_MAX;
}

struct cell_list *cell_list_allocate(const struct distance_query *query, struct arena *arena)
{
    const size_t count = query->count, cells = max_cells(query->count);
    /* Up to three elements of each row are unused. The number of rows is at most the number of cells in a row. */
    const size_t clusters = count / 2 + 2 * ((size_t)sqrt((double)cells) + 1) + 1;
    struct cell_list *list = arena_alloc(arena, 1, sizeof *list);
    const struct cell_list made = {
        .query = *query,
        .cell_capacity = cells,
        .cluster_capacity = clusters,
        .is_torus = !isinf(query->period[0]),
        .keys = arena_alloc(arena, count, sizeof *list->keys),
        .ends = arena_alloc(arena, cells, sizeof *list->ends),
        .clusters = arena_alloc(arena, clusters, sizeof *list->clusters),
        .nearest = arena_alloc(arena, clusters, sizeof *list->nearest),
        /* Members are blocks of cells, or points. */
        .sets = union_find_allocate(cells > 2 * clusters ? cells : 2 * clusters, arena),
    };
    if (list)
        *list = made;
    return list;
}

void *cell_list_scratch(const struct cell_list *list, size_t *size)
{
    *size = (size_t)((unsigned char *)list->sets.size - (unsigned char *)list->clusters);
    return list->clusters;
}

/* Layout. */

static bool has_room(const struct cell_list *list, const double extent[2], double side)
{
    return (extent[0] / side + 2) * (extent[1] / side + 2) + 2 <= (double)list->cell_capacity;
}

/* The side of a cell: about one cell per point, but at least the pair radius. */
static double min_side(const struct cell_list *list, const double extent[2])
{
    const double cells = list->query.count;
    double side = fmax(sqrt(extent[0] * extent[1] / cells), extent[0] / cells);
    while (!has_room(list, extent, side))
        side *= 1.25;
    return fmax(side, list->query.pair_radius * (1 + margin));
}

/* Divide both axes into cells. Any two points of a block are within the group radius of each other. Two points whose blocks
 * are more than two blocks apart are not. A block has at least one cell. If the memory is too small for these cells, or if a
 * block is at most twice as wide as the pair radius, there may be no blocks. The side of a cell is then at least the group radius. */
static bool lay_out_cells(struct cell_list *list, const double extent[2], double min)
{
    const double radius = list->query.group_radius, widest = radius * sqrt(0.5) * (1 - margin);
    uint32_t length = (uint32_t)fmin(widest / min, 1 << 15);
    if (length == 0 && widest > 2 * list->query.pair_radius && has_room(list, extent, widest))
        length = 1;
    const double side = length > 0 ? widest / length : fmax(min, radius * (1 + margin));
    list->block_side = length;
    for (int axis = 0; axis < 2; axis++) {
        if (list->is_torus) {
            const double cells =
                length > 0 ? ceil(extent[axis] / widest) * length : floor(extent[axis] / side);
            list->cells[axis] = (uint32_t)cells;
            list->side[axis] = extent[axis] / cells;
        } else {
            list->cells[axis] = (uint32_t)(extent[axis] / side) + 1;
            list->side[axis] = side;
        }
        list->cells_per_unit[axis] = 1 / list->side[axis];
        if (length > 0) {
            list->blocks[axis] = (list->cells[axis] - 1) / length + 1;
            if (list->side[axis] * length * 2 < radius * (1 + margin))
                return false;
        }
    }
    return true;
}

/* @return false if there is no room for the cells, or if they cannot be divided in this way. */
static bool divide_area(struct cell_list *list, const double low[2], const double high[2])
{
    double extent[2];
    list->has_rows_along_y = high[1] - low[1] > high[0] - low[0];
    for (int k = 0; k < 2; k++) {
        const int axis = k ^ list->has_rows_along_y;
        extent[k] = high[axis] - low[axis];
        list->low[k] = low[axis];
        list->period[k] = list->query.period[axis];
    }
    /* Squares of numbers in this range neither overflow nor underflow. */
    const double widest = fmax(list->query.pair_radius, list->query.group_radius);
    if (!(extent[0] > 1e-100 && fmax(extent[0], widest) < 1e100) ||
        !lay_out_cells(list, extent, min_side(list, extent)))
        return false;
    const size_t along = list->cells[0], across = list->cells[1];
    const size_t min = list->is_torus ? MIN_TORUS_CELLS : 1;
    return along >= min && across >= min && (along + 1) * (across + 1) + 2 <= list->cell_capacity &&
           list->query.count / 2 + 2 * across + 1 <= list->cluster_capacity &&
           fmin(list->side[0], list->side[1]) >= list->query.pair_radius * (1 + margin / 2);
}

/* Sorting into cells. */

/* Along a row, across rows. */
struct position {
    double at[2];
};

static inline struct position wrapped_point(const struct cell_list *list, const struct agent *agent)
{
    const double along = list->has_rows_along_y ? agent->y : agent->x,
                 across = list->has_rows_along_y ? agent->x : agent->y;
    if (!list->is_torus)
        return (struct position){{along, across}};
    return (struct position){{periodic_wrap(along, list->period[0]), periodic_wrap(across, list->period[1])}};
}

/* The index along an axis of the cell that contains a point. A point on the upper border belongs to the last cell. */
static inline uint32_t cell_index(const struct cell_list *list, double at, int axis)
{
    assert(!isnan(at));
    const uint32_t cell = (uint32_t)((at - list->low[axis]) * list->cells_per_unit[axis]);
    return cell < list->cells[axis] ? cell : list->cells[axis] - 1;
}

/* Compute the beginnings of the cells from the numbers of points in them; sort_points() then turns beginnings into
 * ends. Where a cell must begin with a new cluster, an unused element is added if necessary.
 *
 * @return a sum over all points: for each, the number of points in its cell. */
static uint64_t begin_cells(struct cell_list *list)
{
    const uint32_t cells = list->cells[0], first = list->is_torus ? 1 : 0;
    const uint32_t parts[] = {0, first, cells - first, cells, cells + 1};
    uint64_t cell_mates = 0;
    uint32_t at = 0;
    for (uint32_t row = 0; row < list->cells[1]; row++) {
        uint32_t *ends = cell_list_row(list, row);
        for (int part = 0; part < 4; part++) {
            if (at % 2 == 1) {
                list->clusters[at / 2].x[1] = list->clusters[at / 2].y[1] = INFINITY;
                at++;
            }
            for (uint32_t cell = parts[part]; cell < parts[part + 1]; cell++) {
                const uint32_t count = ends[cell];
                ends[cell] = at;
                at += count;
                cell_mates += (uint64_t)count * count;
            }
        }
    }
    uint32_t *beyond = cell_list_row(list, list->cells[1]);
    for (uint32_t cell = 0; cell <= cells; cell++)
        beyond[cell] = at;
    list->cluster_count = at / 2;
    return cell_mates;
}

/* Sort the points into cells. @return false if most points are in a few cells. */
static bool sort_points(struct cell_list *list, const struct agent *agents)
{
    const uint32_t count = list->query.count;
    double low[2] = {0, 0}, high[2] = {list->query.period[0], list->query.period[1]};
    if (!list->is_torus) {
        /* `max` holds the negated maximum, so that both `min` and `max` are computed as minima. */
        double2 min = double2_set1(INFINITY), max = double2_set1(INFINITY);
        for (uint32_t i = 0; i < count; i++) {
            const double2 at = {agents[i].x, agents[i].y};
            min = double2_min(at, min);
            max = double2_min(-at, max);
        }
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = min[axis];
            high[axis] = -max[axis];
        }
    }
    if (!divide_area(list, low, high))
        return false;
    const uint32_t pitch = list->cells[0] + 1;
    memset(list->ends, 0, ((size_t)pitch * (list->cells[1] + 1) + 1) * sizeof *list->ends);
    for (uint32_t i = 0; i < count; i++) {
        const struct position position = wrapped_point(list, &agents[i]);
        const uint32_t key =
            cell_index(list, position.at[1], 1) * pitch + cell_index(list, position.at[0], 0);
        list->keys[i] = key;
        list->ends[1 + key]++;
    }
    const uint64_t cell_mates = begin_cells(list);
    if (cell_mates > MAX_CELL_MATES * (uint64_t)count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct position position = wrapped_point(list, &agents[i]);
        const uint32_t at = list->ends[1 + list->keys[i]]++;
        list->clusters[at / 2].x[at % 2] = position.at[0];
        list->clusters[at / 2].y[at % 2] = position.at[1];
    }
    return true;
}

/* Comparison of neighbouring cells. */

/* True if points are linked one by one, when pairs of them are compared; otherwise whole blocks are linked. */
static bool links_points(const struct cell_list *list)
{
    return list->block_side == 0 && list->query.group_radius > 0;
}

/* True if distances go around the torus, along a row and across rows. */
struct wrap {
    bool is_wrapped[2];
};

static const struct wrap straight = {{false, false}};

/* The comparison of one cluster with others. */
struct comparison {
    struct cell_list *list;
    size_t number;
    struct cluster here;
    double2 nearest, pair_reach, group_reach; /* squared distances */
    double2_mask pairs;                       /* negative number of pairs */
};

static inline double2 squared(const struct cell_list *list, struct wrap wrap, double2 x, double2 y)
{
    x = wrap.is_wrapped[0] ? list->period[0] - double2_abs(x) : x;
    y = wrap.is_wrapped[1] ? list->period[1] - double2_abs(y) : y;
    return x * x + y * y;
}

static inline void begin_comparison(struct comparison *comparison, size_t cluster)
{
    comparison->number = cluster;
    comparison->here = comparison->list->clusters[cluster];
    comparison->nearest = comparison->list->nearest[cluster];
}

/* True if the four points of two clusters are known to be in one set. */
static inline bool is_one_set(const struct union_find *sets, size_t a, size_t b)
{
    const uint32_t *parent = sets->parent, set = parent[2 * a];
    return parent[2 * a + 1] == set && parent[2 * b] == set && parent[2 * b + 1] == set;
}

static void link_points(struct comparison *comparison, size_t other, double2 level, double2 crosswise)
{
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t point = (uint32_t)(2 * comparison->number) + k;
        if (level[k] < comparison->group_reach[k])
            union_find_unite(&comparison->list->sets, point, (uint32_t)(2 * other) + k);
        if (crosswise[k] < comparison->group_reach[k])
            union_find_unite(&comparison->list->sets, point, (uint32_t)(2 * other) + 1 - k);
    }
}

/* Compare each point of one cluster with each point of another. */
static inline void compare_clusters(struct comparison *comparison, struct wrap wrap, bool links, size_t other)
{
    const struct cluster here = comparison->here, there = comparison->list->clusters[other];
    const double2 level = squared(comparison->list, wrap, there.x - here.x, there.y - here.y);
    const double2 crosswise =
        squared(comparison->list, wrap, double2_swap(there.x) - here.x, double2_swap(there.y) - here.y);
    double2 *nearest = &comparison->list->nearest[other];
    *nearest = double2_min(double2_min(level, double2_swap(crosswise)), *nearest);
    comparison->nearest = double2_min(double2_min(level, crosswise), comparison->nearest);
    comparison->pairs += (level < comparison->pair_reach) + (crosswise < comparison->pair_reach);
    if (links) {
        const double2_mask linked = (level < comparison->group_reach) | (crosswise < comparison->group_reach);
        if ((linked[0] | linked[1]) != 0 && !is_one_set(&comparison->list->sets, comparison->number, other))
            link_points(comparison, other, level, crosswise);
    }
}

/* Compare the two points of a cluster. */
static inline void compare_within(struct comparison *comparison, bool links)
{
    const struct cluster here = comparison->here;
    const double *period = comparison->list->period;
    const double x = fabs(here.x[1] - here.x[0]), y = fabs(here.y[1] - here.y[0]);
    const double dx = periodic_shorter(x, period[0] - x), dy = periodic_shorter(y, period[1] - y);
    const double2 both = double2_set1(dx * dx + dy * dy);
    comparison->nearest = double2_min(both, comparison->nearest);
    comparison->pairs += (both < comparison->pair_reach) & (double2_mask){-1, 0};
    if (links && both[0] < comparison->group_reach[0])
        union_find_unite(&comparison->list->sets, (uint32_t)(2 * comparison->number),
                         (uint32_t)(2 * comparison->number) + 1);
}

static inline void compare_range(struct comparison *comparison, struct wrap wrap, bool links, uint32_t begin,
                                 uint32_t end)
{
    for (size_t other = begin / 2; 2 * other < end; other++)
        compare_clusters(comparison, wrap, links, other);
}

/* The clusters of the first cell of a row; last_cell() has those of the last cell. On a torus, the two are compared. They contain no
 * point of another cell. */
static struct point_range first_cell(const struct cell_list *list, uint32_t row)
{
    const uint32_t *ends = cell_list_row(list, row);
    return (struct point_range){ends[-1], ends[0]};
}

static struct point_range last_cell(const struct cell_list *list, uint32_t row)
{
    const uint32_t *ends = cell_list_row(list, row) + list->cells[0] - 1;
    return (struct point_range){ends[-1] + ends[-1] % 2, ends[0]};
}

static void compare_cells(struct comparison *comparison, struct wrap wrap, struct point_range some,
                          struct point_range others)
{
    const bool links = links_points(comparison->list);
    for (size_t cluster = some.begin / 2; 2 * cluster < some.end; cluster++) {
        begin_comparison(comparison, cluster);
        compare_range(comparison, wrap, links, others.begin, others.end);
        comparison->list->nearest[cluster] = comparison->nearest;
    }
}

/* Extend a range to a minimum number of points, because the processor can predict a loop of constant length. */
static inline uint32_t no_less(uint32_t end, uint32_t min, uint32_t max)
{
    min = min < max ? min : max;
    return end < min ? min : end;
}

/* Compare a row with itself and with the next row, except across the seam of the torus at the ends of the row. This
 * is compiled once for each combination of the constants `wrap` and `links`. */
__attribute__((always_inline)) static inline void compare_rows(struct comparison *comparison, uint32_t row,
                                                               uint32_t next, struct wrap wrap, bool links)
{
    struct cell_list *list = comparison->list;
    const uint32_t *ends = cell_list_row(list, row), *next_ends = cell_list_row(list, next);
    for (size_t cluster = ends[-1] / 2; cluster < ends[list->cells[0]] / 2; cluster++) {
        begin_comparison(comparison, cluster);
        const double x = comparison->here.x[0], last = comparison->here.x[1];
        const uint32_t from = cell_index(list, x, 0), to = cell_index(list, last < INFINITY ? last : x, 0);
        compare_within(comparison, links);
        const uint32_t ahead = (uint32_t)(2 * cluster + 2),
                       begin = next_ends[(int64_t)(from > 1 ? from : 1) - 2];
        compare_range(comparison, straight, links, ahead,
                      no_less(ends[to + 1], ahead + 4, ends[list->cells[0]]));
        compare_range(comparison, wrap, links, begin,
                      no_less(next_ends[to + 1], begin + 6, next_ends[list->cells[0]]));
        list->nearest[cluster] = comparison->nearest;
    }
}

/* Compare all points of neighbouring cells. @return the number of pairs within the pair radius. */
static uint64_t compare_neighbours(struct cell_list *list)
{
    const double pair_radius = list->query.pair_radius, group_radius = list->query.group_radius;
    const bool links = links_points(list);
    struct comparison comparison = {.list = list,
                                    .pair_reach = double2_set1(pair_radius * pair_radius),
                                    .group_reach = double2_set1(group_radius * group_radius)};
    for (size_t cluster = 0; cluster < list->cluster_count; cluster++)
        list->nearest[cluster] = double2_set1(INFINITY);
    for (uint32_t row = 0; row < list->cells[1]; row++) {
        const bool is_before_seam = list->is_torus && row + 1 == list->cells[1];
        /* On a plane, an empty row follows the last one. */
        const uint32_t next = is_before_seam ? 0 : row + 1;
        const struct wrap level = {{true, false}}, across = {{false, true}},
                          aslant = {{true, is_before_seam}};
        if (links)
            compare_rows(&comparison, row, next, is_before_seam ? across : straight, true);
        else if (is_before_seam)
            compare_rows(&comparison, row, next, across, false);
        else
            compare_rows(&comparison, row, next, straight, false);
        if (list->is_torus) {
            compare_cells(&comparison, level, last_cell(list, row), first_cell(list, row));
            compare_cells(&comparison, aslant, last_cell(list, row), first_cell(list, next));
            compare_cells(&comparison, aslant, first_cell(list, row), last_cell(list, next));
        }
    }
    return (uint64_t)(-comparison.pairs[0] - comparison.pairs[1]);
}

/* Beyond the neighbouring cells. */

/* Compare a point with points [begin, end). @return the squared distance to the nearest of them, or `best` if none
 * is nearer. */
static double search_range(struct cell_list *list, struct position from, double best, uint32_t begin,
                           uint32_t end)
{
    const double2_mask infinite = (double2_mask)double2_set1(INFINITY);
    const double2 x = double2_set1(from.at[0]), y = double2_set1(from.at[1]);
    const double2 x_period = double2_set1(list->period[0]), y_period = double2_set1(list->period[1]);
    double2 min = double2_set1(best);
    for (size_t cluster = begin / 2; 2 * cluster < end; cluster++) {
        const double2 dx = double2_abs(list->clusters[cluster].x - x),
                      dy = double2_abs(list->clusters[cluster].y - y);
        const double2 a = double2_min(x_period - dx, dx), b = double2_min(y_period - dy, dy);
        const double2 squares = a * a + b * b;
        /* A point is not its own neighbour. */
        min = double2_min((double2)((double2_mask)squares | ((squares == 0) & infinite)), min);
    }
    list->effort -= 2 + (double)(end - begin);
    return periodic_shorter(min[0], min[1]);
}

/* A range of cells along an axis, `first` to `last`. On a torus, it may extend beyond the ends of the row. */
struct cell_range {
    int64_t first, last;
};

/* The range of cells within `distance` of a point. The conversion to an integer rounds towards 0, so the number must
 * not be negative. */
static struct cell_range cells_within(const struct cell_list *list, double at, double distance, int axis)
{
    const double centre = (at - list->low[axis]) * list->cells_per_unit[axis];
    const double reach = distance * list->cells_per_unit[axis] * (1 + margin) + margin;
    const int64_t cells = list->cells[axis];
    if (2 * reach + 2 >= (double)cells)
        return (struct cell_range){0, cells - 1};
    struct cell_range range = {(int64_t)(centre - reach + (double)cells) - cells, (int64_t)(centre + reach)};
    if (!list->is_torus) {
        range.first = range.first < 0 ? 0 : range.first;
        range.last = range.last >= cells ? cells - 1 : range.last;
    }
    return range;
}

static double search_row(struct cell_list *list, struct position from, double best, uint32_t row,
                         struct cell_range range)
{
    const int64_t cells = list->cells[0];
    const uint32_t *ends = cell_list_row(list, row);
    const int64_t first = range.first < 0 ? 0 : range.first;
    const int64_t last = range.last < cells ? range.last : cells - 1;
    best = search_range(list, from, best, ends[first - 1], ends[last]);
    if (range.first < 0)
        best = search_range(list, from, best, ends[cells + range.first - 1], ends[cells - 1]);
    if (range.last >= cells)
        best = search_range(list, from, best, ends[-1], ends[range.last - cells]);
    return best;
}

/* Search up to the distance of the nearest point so far, but at most two cells at first. Then double the distance,
 * until no point beyond it can be nearer, or until all cells have been searched. */
static double search_on(struct cell_list *list, struct position from, double best)
{
    const int64_t rows = list->cells[1], along = list->cells[0];
    double distance = fmin(sqrt(best), 2 * fmin(list->side[0], list->side[1]));
    for (; list->effort > 0; distance *= 2) {
        const struct cell_range cells = cells_within(list, from.at[0], distance, 0);
        const struct cell_range lines = cells_within(list, from.at[1], distance, 1);
        for (int64_t row = lines.first; row <= lines.last; row++)
            best = search_row(list, from, best,
                              (uint32_t)(row < 0      ? row + rows
                                         : row < rows ? row
                                                      : row - rows),
                              cells);
        if (best <= distance * distance ||
            (cells.last - cells.first + 1 == along && lines.last - lines.first + 1 == rows))
            break;
    }
    return best;
}

/* Continue the search for each point whose nearest neighbour may be outside the neighbouring cells. The distances of
 * unused elements are set to 0. */
static void complete_nearest(struct cell_list *list)
{
    const double side = fmin(list->side[0], list->side[1]) * (1 - margin);
    double *nearest = (double *)list->nearest;
    for (size_t i = 0; i < 2 * list->cluster_count; i++) {
        if (nearest[i] <= side * side)
            continue;
        const struct position position = {{list->clusters[i / 2].x[i % 2], list->clusters[i / 2].y[i % 2]}};
        if (position.at[0] == INFINITY) {
            nearest[i] = 0;
            continue;
        }
        /* All points within this distance are in the neighbouring cells. */
        double reach = INFINITY;
        for (int axis = 0; axis < 2; axis++) {
            const double cell = (position.at[axis] - list->low[axis]) * list->cells_per_unit[axis];
            const double rest = cell - (double)cell_index(list, position.at[axis], axis);
            const double min = list->side[axis] * (1 - margin + (rest < 0.5 ? rest : 1 - rest));
            reach = min < reach ? min : reach;
        }
        if (nearest[i] > reach * reach)
            nearest[i] = search_on(list, position, nearest[i]);
    }
}

bool cell_list_measure(struct cell_list *list, const struct agent *agents, struct distance_result *result)
{
    if (!sort_points(list, agents))
        return false;
    const uint32_t elements = (uint32_t)(2 * list->cluster_count);
    for (uint32_t i = 0; i < elements && list->block_side == 0; i++) {
        list->sets.parent[i] = i;
        list->sets.size[i] = list->clusters[i / 2].x[i % 2] < INFINITY;
    }
    list->effort = MAX_EFFORT * (double)list->query.count;
    result->pairs = compare_neighbours(list);
    complete_nearest(list);
    result->nearest = (const double *)list->nearest;
    result->nearest_count = elements;
    result->groups =
        list->block_side > 0 ? cell_list_group_blocks(list) : union_find_count(&list->sets, elements);
    return list->effort > 0;
}
