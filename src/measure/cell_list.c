/* Rows of cells run along the longer axis. Points are sorted by cell, row by row, in clusters of two: the four
 * distances between two clusters are computed at once. Each cluster is compared with those after it in its row and with
 * those of the next row, up to the cell after its own, so all points of neighbouring cells are compared once.
 *
 *     row y      . . | P P | q q . q |            P is compared with each q
 *     row y + 1  . q | q q | . q q . |
 *
 * Points a little farther along a row may be compared as well: no pair is compared twice, and points that are not in
 * neighbouring cells are too far apart to count. Rows begin with a cluster of their own, and so do, on a torus, the
 * second cell and the last; an unused element is a point at infinity.
 *
 * If the nearest neighbour found so far is nearer than the side of a cell, no other cell can have a nearer one.
 * Otherwise the search goes on as far as that neighbour, or, if it is far, ring by ring.
 *
 * Groups are found among blocks of cells so small that a block is one group. Blocks up to two apart may be linked.
 */
#include "cell_list.h"

#include "double2.h"
#include "periodic.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double cells_per_point = 2;

/* Limits, on average per point: points in its own cell, and points compared beyond the neighbouring cells. Beyond
 * these the tree is faster. On a torus no two cells may be neighbours on both sides. */
enum { MAX_CROWD = 48, MAX_EFFORT = 64, MIN_TORUS_CELLS = 4 };

/* Cells are larger or smaller by this share than they need to be: far more than rounding errors. */
static const double margin = 1.0 / (1 << 20);

struct cluster {
    double2 x, y; /* along a row, across rows */
};

struct cell_list {
    uint32_t count, capacity;
    struct cell_list_query query;
    size_t cell_capacity, cluster_capacity;
    bool is_torus;
    bool is_turned; /* rows run along y */
    /* By axis: along a row, across rows. */
    double period[2], low[2], side[2], cells_per_unit[2];
    uint32_t cells[2], blocks[2];
    uint32_t block_side; /* in cells; 0 if points are linked one by one */
    size_t cluster_count;
    double effort; /* points that may still be compared */
    /* The cell of each agent. The end of the points of each cell: a 0 comes before the first row, and an empty cell
     * ends each row. */
    uint32_t *keys, *ends;
    struct cluster *clusters;
    double2 *nearest;       /* by cluster, squared */
    struct union_find sets; /* of blocks or of points */
};

/* Memory. */

static size_t max_cells(uint32_t count)
{
    const double most = (cells_per_point + 0.5) * count + 64;
    return most < UINT32_MAX ? (size_t)most : UINT32_MAX;
}

/* Up to three elements of a row are unused, and there are no more rows than cells in a row. */
static size_t max_clusters(uint32_t count)
{
    return count / 2 + 2 * ((size_t)sqrt((double)max_cells(count)) + 1) + 1;
}

static size_t max_members(uint32_t count)
{
    const size_t cells = max_cells(count), points = 2 * max_clusters(count);
    return cells > points ? cells : points;
}

size_t cell_list_memory(uint32_t count)
{
    return sizeof(struct cell_list) + (count + max_cells(count) + 2 * max_members(count)) * sizeof(uint32_t) +
           max_clusters(count) * (sizeof(struct cluster) + sizeof(double2));
}

struct cell_list *cell_list_create(uint32_t count, const struct cell_list_query *query)
{
    struct cell_list *list = malloc(sizeof *list);
    if (!list)
        return NULL;
    *list = (struct cell_list){
        .capacity = count,
        .query = *query,
        .cell_capacity = max_cells(count),
        .cluster_capacity = max_clusters(count),
        .is_torus = !isinf(query->period[0]),
        .keys = malloc(count * sizeof *list->keys),
        .ends = malloc(max_cells(count) * sizeof *list->ends),
        .clusters = aligned_alloc(sizeof *list->clusters, max_clusters(count) * sizeof *list->clusters),
        .nearest = malloc(max_clusters(count) * sizeof *list->nearest),
        .sets = {malloc(max_members(count) * sizeof *list->sets.parent),
                 malloc(max_members(count) * sizeof *list->sets.size)},
    };
    if (list->keys && list->ends && list->clusters && list->nearest && list->sets.parent && list->sets.size)
        return list;
    cell_list_free(list);
    return NULL;
}

void cell_list_free(struct cell_list *list)
{
    if (!list)
        return;
    free(list->keys);
    free(list->ends);
    free(list->clusters);
    free(list->nearest);
    free(list->sets.parent);
    free(list->sets.size);
    free(list);
}

/* Layout. */

/* The side of a cell for the intended number of cells, and not below the pair radius. */
static double least_side(const struct cell_list *list, const double extent[2])
{
    double side = sqrt(extent[0] * extent[1] / (cells_per_point * list->count));
    side = fmax(side, extent[0] / (cells_per_point * list->count));
    while ((extent[0] / side + 2) * (extent[1] / side + 2) + 2 > (double)list->cell_capacity)
        side *= 1.25;
    return fmax(side, list->query.pair_radius * (1 + margin));
}

/* Any two points of one block are within the group radius; points of blocks more than two apart are not. */
static bool lay_out_blocks(struct cell_list *list, const double extent[2], double least)
{
    const double radius = list->query.group_radius, widest = radius * sqrt(0.5) * (1 - margin);
    const uint32_t length = (uint32_t)fmin(widest / least, 1 << 15);
    const double side = widest / length;
    list->block_side = length;
    for (int axis = 0; axis < 2; axis++) {
        const double blocks = ceil(extent[axis] / widest);
        list->side[axis] = list->is_torus ? extent[axis] / (blocks * length) : side;
        list->cells[axis] = list->is_torus ? (uint32_t)blocks * length : (uint32_t)(extent[axis] / side) + 1;
        list->blocks[axis] = (list->cells[axis] - 1) / length + 1;
        if (list->side[axis] * length * 2 < radius * (1 + margin))
            return false;
    }
    return true;
}

static void lay_out_cells(struct cell_list *list, const double extent[2], double least)
{
    const double side = fmax(least, list->query.group_radius * (1 + margin));
    list->block_side = 0;
    for (int axis = 0; axis < 2; axis++) {
        const double cells = floor(extent[axis] / side);
        list->side[axis] = list->is_torus ? extent[axis] / cells : side;
        list->cells[axis] = list->is_torus ? (uint32_t)cells : (uint32_t)(extent[axis] / side) + 1;
    }
}

static bool has_room(const struct cell_list *list)
{
    const size_t along = list->cells[0], across = list->cells[1];
    const size_t least = list->is_torus ? MIN_TORUS_CELLS : 1;
    return along >= least && across >= least && (along + 1) * (across + 1) + 2 <= list->cell_capacity &&
           list->count / 2 + 2 * across + 1 <= list->cluster_capacity &&
           fmin(list->side[0], list->side[1]) >= list->query.pair_radius * (1 + margin / 2);
}

static bool lay_out(struct cell_list *list, const double low[2], const double high[2])
{
    double extent[2];
    list->is_turned = high[1] - low[1] > high[0] - low[0];
    for (int k = 0; k < 2; k++) {
        const int axis = k ^ list->is_turned;
        extent[k] = high[axis] - low[axis];
        list->low[k] = low[axis];
        list->period[k] = list->query.period[axis];
    }
    /* Squares of numbers in this range neither overflow nor underflow. */
    const double widest = fmax(list->query.pair_radius, list->query.group_radius);
    if (!(extent[0] > 1e-100 && fmax(extent[0], widest) < 1e100))
        return false;
    const double least = least_side(list, extent);
    if (sqrt(0.5) * (1 - margin) * list->query.group_radius < least)
        lay_out_cells(list, extent, least);
    else if (!lay_out_blocks(list, extent, least))
        return false;
    return has_room(list);
}

/* Sorting into cells. */

static void find_bounds(const struct cell_list *list, const struct agent *agents, double low[2],
                        double high[2])
{
    double2 least = double2_set1(INFINITY),
            most = double2_set1(INFINITY); /* the latter with the other sign */
    for (uint32_t i = 0; i < list->count; i++) {
        const double2 at = {agents[i].x, agents[i].y};
        least = double2_min(at, least);
        most = double2_min(-at, most);
    }
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = least[axis];
        high[axis] = -most[axis];
    }
}

/* Along a row, across rows. */
struct place {
    double at[2];
};

static inline struct place place_of(const struct cell_list *list, const struct agent *agent)
{
    const double along = list->is_turned ? agent->y : agent->x,
                 across = list->is_turned ? agent->x : agent->y;
    if (!list->is_torus)
        return (struct place){{along, across}};
    return (struct place){{periodic_wrap(along, list->period[0]), periodic_wrap(across, list->period[1])}};
}

/* The cell of a point along an axis. A point on the last border belongs to the cell before it. */
static inline uint32_t cell_at(const struct cell_list *list, double at, int axis)
{
    const uint32_t cell = (uint32_t)((at - list->low[axis]) * list->cells_per_unit[axis]);
    return cell < list->cells[axis] ? cell : list->cells[axis] - 1;
}

/* The ends of the cells of a row; element -1 is where the row begins. */
static inline uint32_t *row_of(const struct cell_list *list, uint32_t row)
{
    return list->ends + 1 + (size_t)row * (list->cells[0] + 1);
}

static void count_cells(struct cell_list *list, const struct agent *agents)
{
    const uint32_t pitch = list->cells[0] + 1;
    memset(list->ends, 0, (size_t)pitch * (list->cells[1] + 1) * sizeof *list->ends);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct place place = place_of(list, &agents[i]);
        const uint32_t key = cell_at(list, place.at[1], 1) * pitch + cell_at(list, place.at[0], 0);
        list->keys[i] = key;
        list->ends[1 + key]++;
    }
}

/* Add an unused element if necessary, so that the next cell begins with a cluster of its own. */
static uint32_t round_up(struct cell_list *list, uint32_t at)
{
    if (at % 2 == 1)
        list->clusters[at / 2].x[1] = list->clusters[at / 2].y[1] = INFINITY;
    return at + at % 2;
}

struct filling {
    uint32_t at;    /* the next element */
    uint64_t crowd; /* sum over points of the points in their own cells */
};

/* From counts to beginnings of cells; sorting the points in turns these into ends. */
static inline void begin_cells(struct filling *filling, uint32_t *cells, uint32_t first, uint32_t end)
{
    for (uint32_t cell = first; cell < end; cell++) {
        const uint32_t count = cells[cell];
        cells[cell] = filling->at;
        filling->at += count;
        filling->crowd += (uint64_t)count * count;
    }
}

static void begin_row(struct cell_list *list, struct filling *filling, uint32_t *cells)
{
    const uint32_t first = list->is_torus ? 1 : 0, last = list->cells[0] - first;
    begin_cells(filling, cells, 0, first);
    filling->at = round_up(list, filling->at);
    begin_cells(filling, cells, first, last);
    filling->at = round_up(list, filling->at);
    begin_cells(filling, cells, last, list->cells[0]);
    cells[list->cells[0]] = filling->at = round_up(list, filling->at);
}

/* @return the crowd. */
static uint64_t begin_rows(struct cell_list *list)
{
    struct filling filling = {0, 0};
    for (uint32_t row = 0; row < list->cells[1]; row++)
        begin_row(list, &filling, row_of(list, row));
    uint32_t *beyond = row_of(list, list->cells[1]);
    for (uint32_t cell = 0; cell <= list->cells[0]; cell++)
        beyond[cell] = filling.at;
    list->cluster_count = filling.at / 2;
    return filling.crowd;
}

static void file(struct cell_list *list, const struct agent *agents)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct place place = place_of(list, &agents[i]);
        const uint32_t at = list->ends[1 + list->keys[i]]++;
        list->clusters[at / 2].x[at % 2] = place.at[0];
        list->clusters[at / 2].y[at % 2] = place.at[1];
    }
}

static bool fill(struct cell_list *list, const struct agent *agents)
{
    const double *period = list->query.period;
    double low[2] = {0, 0}, high[2] = {period[0], period[1]};
    if (!list->is_torus)
        find_bounds(list, agents, low, high);
    if (!lay_out(list, low, high))
        return false;
    for (int axis = 0; axis < 2; axis++)
        list->cells_per_unit[axis] = 1 / list->side[axis];
    list->ends[0] = 0;
    count_cells(list, agents);
    if (begin_rows(list) > MAX_CROWD * (uint64_t)list->count)
        return false;
    file(list, agents);
    return true;
}

/* Comparisons of neighbouring cells. */

/* Whether distances go around the torus, along a row and across rows. */
struct way {
    bool is_around[2];
};

struct meeting {
    struct cell_list *list;
    struct cluster here;
    double2 nearest, reach;
    double2_mask close;
};

static inline double2 squared(const struct cell_list *list, struct way way, double2 x, double2 y)
{
    x = way.is_around[0] ? list->period[0] - double2_abs(x) : x;
    y = way.is_around[1] ? list->period[1] - double2_abs(y) : y;
    return x * x + y * y;
}

/* Each of one cluster with each of another. */
static inline void meet(struct meeting *meeting, struct way way, size_t other)
{
    const struct cluster here = meeting->here, there = meeting->list->clusters[other];
    const double2 level = squared(meeting->list, way, there.x - here.x, there.y - here.y);
    const double2 crosswise =
        squared(meeting->list, way, double2_swap(there.x) - here.x, double2_swap(there.y) - here.y);
    double2 *nearest = &meeting->list->nearest[other];
    *nearest = double2_min(double2_min(level, double2_swap(crosswise)), *nearest);
    meeting->nearest = double2_min(double2_min(level, crosswise), meeting->nearest);
    meeting->close += (level < meeting->reach) + (crosswise < meeting->reach);
}

/* The two of a cluster. */
static inline void meet_within(struct meeting *meeting)
{
    const struct cluster here = meeting->here;
    const double *period = meeting->list->period;
    const double x = fabs(here.x[1] - here.x[0]), y = fabs(here.y[1] - here.y[0]);
    const double dx = periodic_shorter(x, period[0] - x), dy = periodic_shorter(y, period[1] - y);
    const double2 both = double2_set1(dx * dx + dy * dy);
    meeting->nearest = double2_min(both, meeting->nearest);
    meeting->close += (both < meeting->reach) & (double2_mask){-1, 0};
}

static inline void begin_meeting(struct meeting *meeting, size_t cluster)
{
    meeting->here = meeting->list->clusters[cluster];
    meeting->nearest = meeting->list->nearest[cluster];
}

static inline void meet_all(struct meeting *meeting, struct way way, uint32_t begin, uint32_t end)
{
    for (size_t other = begin / 2; 2 * other < end; other++)
        meet(meeting, way, other);
}

static const struct way straight = {{false, false}};

struct span {
    uint32_t begin, end; /* of points */
};

/* The first cell of a row and the last, on a torus: no point of another cell is in their clusters. */
static struct span head_of(const struct cell_list *list, uint32_t row)
{
    const uint32_t *cells = row_of(list, row);
    return (struct span){cells[-1], cells[0]};
}

static struct span tail_of(const struct cell_list *list, uint32_t row)
{
    const uint32_t *cells = row_of(list, row) + list->cells[0] - 1;
    return (struct span){cells[-1] + cells[-1] % 2, cells[0]};
}

static void meet_spans(struct meeting *meeting, struct way way, struct span some, struct span others)
{
    for (size_t cluster = some.begin / 2; 2 * cluster < some.end; cluster++) {
        begin_meeting(meeting, cluster);
        meet_all(meeting, way, others.begin, others.end);
        meeting->list->nearest[cluster] = meeting->nearest;
    }
}

/* Across the seam along a row. */
static void meet_around(struct meeting *meeting, uint32_t row, uint32_t next, bool is_last)
{
    const struct cell_list *list = meeting->list;
    const struct way level = {{true, false}}, aslant = {{true, is_last}};
    meet_spans(meeting, level, tail_of(list, row), head_of(list, row));
    meet_spans(meeting, aslant, tail_of(list, row), head_of(list, next));
    meet_spans(meeting, aslant, head_of(list, row), tail_of(list, next));
}

/* Compare with a minimum number of points: the processor predicts a loop of constant length. */
static inline uint32_t no_less(uint32_t end, uint32_t least, uint32_t most)
{
    least = least < most ? least : most;
    return end < least ? least : end;
}

/* A row with itself and with the next, without the seam along a row. */
static inline void meet_rows(struct meeting *meeting, uint32_t row, uint32_t next, struct way way)
{
    struct cell_list *list = meeting->list;
    const uint32_t *cells = row_of(list, row), *next_cells = row_of(list, next);
    for (size_t cluster = cells[-1] / 2; cluster < cells[list->cells[0]] / 2; cluster++) {
        begin_meeting(meeting, cluster);
        const double x = meeting->here.x[0], last = meeting->here.x[1];
        const uint32_t from = cell_at(list, x, 0), to = cell_at(list, last < INFINITY ? last : x, 0);
        meet_within(meeting);
        const uint32_t ahead = (uint32_t)(2 * cluster + 2),
                       begin = next_cells[(int64_t)(from > 1 ? from : 1) - 2];
        meet_all(meeting, straight, ahead, no_less(cells[to + 1], ahead + 2, cells[list->cells[0]]));
        meet_all(meeting, way, begin, no_less(next_cells[to + 1], begin + 4, next_cells[list->cells[0]]));
        list->nearest[cluster] = meeting->nearest;
    }
}

static bool is_before_seam(const struct cell_list *list, uint32_t row)
{
    return list->is_torus && row + 1 == list->cells[1];
}

/* On a plane, an empty row follows the last one. */
static uint32_t next_of(const struct cell_list *list, uint32_t row)
{
    return is_before_seam(list, row) ? 0 : row + 1;
}

/* @return the pairs within the pair radius. */
static uint64_t meet_all_rows(struct cell_list *list)
{
    const uint32_t rows = list->cells[1];
    const double radius = list->query.pair_radius;
    struct meeting meeting = {.list = list, .reach = double2_set1(radius * radius)};
    for (size_t cluster = 0; cluster < list->cluster_count; cluster++)
        list->nearest[cluster] = double2_set1(INFINITY);
    for (uint32_t row = 0; row < rows; row++)
        if (is_before_seam(list, row))
            meet_rows(&meeting, row, next_of(list, row), (struct way){{false, true}});
        else
            meet_rows(&meeting, row, row + 1, straight);
    for (uint32_t row = 0; row < rows && list->is_torus; row++)
        meet_around(&meeting, row, next_of(list, row), is_before_seam(list, row));
    return (uint64_t)(-meeting.close[0] - meeting.close[1]);
}

/* Beyond the neighbouring cells. */

struct search {
    struct cell_list *list;
    struct place from; /* where it is */
    double2_mask zero; /* replaces a distance of 0: a point is not its own neighbour */
    double best;       /* squared */
};

static void search_span(struct search *search, struct span span)
{
    struct cell_list *list = search->list;
    double2 best = double2_set1(search->best);
    const double2 x = double2_set1(search->from.at[0]), y = double2_set1(search->from.at[1]);
    const double2 x_period = double2_set1(list->period[0]), y_period = double2_set1(list->period[1]);
    for (size_t cluster = span.begin / 2; 2 * cluster < span.end; cluster++) {
        const double2 dx = double2_abs(list->clusters[cluster].x - x),
                      dy = double2_abs(list->clusters[cluster].y - y);
        const double2 a = double2_min(x_period - dx, dx), b = double2_min(y_period - dy, dy);
        const double2 squares = a * a + b * b;
        best = double2_min((double2)((double2_mask)squares | ((squares == 0) & search->zero)), best);
    }
    search->best = best[0] < best[1] ? best[0] : best[1];
    list->effort -= 2 + (double)(span.end - span.begin);
}

/* Cells `first` to `last` of a row or of all rows; on a torus they may extend beyond its ends. */
struct cell_range {
    int64_t first, last;
};

static struct cell_range cells_around(const struct cell_list *list, int64_t centre, int64_t reach, int axis)
{
    const int64_t cells = list->cells[axis];
    struct cell_range range = {centre - reach, centre + reach};
    if (2 * reach + 1 >= cells)
        return (struct cell_range){0, cells - 1};
    if (!list->is_torus) {
        range.first = range.first < 0 ? 0 : range.first;
        range.last = range.last >= cells ? cells - 1 : range.last;
    }
    return range;
}

static void search_row(struct search *search, uint32_t row, struct cell_range range)
{
    const int64_t cells = search->list->cells[0];
    const uint32_t *ends = row_of(search->list, row);
    const int64_t first = range.first < 0 ? 0 : range.first;
    const int64_t last = range.last < cells ? range.last : cells - 1;
    search_span(search, (struct span){ends[first - 1], ends[last]});
    if (range.first < 0)
        search_span(search, (struct span){ends[cells + range.first - 1], ends[cells - 1]});
    if (range.last >= cells)
        search_span(search, (struct span){ends[-1], ends[range.last - cells]});
}

/* The nearest cell, for positions outside the grid. */
static int64_t cell_near(const struct cell_list *list, double at, int axis)
{
    const double end = list->low[axis] + list->side[axis] * (list->cells[axis] - 0.5);
    return cell_at(list, at < list->low[axis] ? list->low[axis] : at < end ? at : end, axis);
}

/* Double the distance until nothing beyond it can be nearer than the best, or nothing is left. */
static void search_on(struct search *search)
{
    struct cell_list *list = search->list;
    const int64_t rows = list->cells[1], along = list->cells[0];
    const int64_t centre[2] = {cell_near(list, search->from.at[0], 0),
                               cell_near(list, search->from.at[1], 1)};
    const double side = fmin(list->side[0], list->side[1]) * (1 - margin);
    for (int64_t reach = 2; list->effort > 0; reach *= 2) {
        const struct cell_range cells = cells_around(list, centre[0], reach, 0);
        const struct cell_range lines = cells_around(list, centre[1], reach, 1);
        for (int64_t row = lines.first; row <= lines.last; row++)
            search_row(search, (uint32_t)((row + rows) % rows), cells);
        const double sure = side * (double)reach;
        if (search->best <= sure * sure || (2 * reach + 1 >= rows && 2 * reach + 1 >= along))
            return;
    }
}

/* The distance to which the neighbouring cells surround a point. */
static double reach_of(const struct cell_list *list, struct place place)
{
    double least = INFINITY;
    for (int axis = 0; axis < 2; axis++) {
        const double cell = (place.at[axis] - list->low[axis]) * list->cells_per_unit[axis];
        const double rest = cell - (double)cell_at(list, place.at[axis], axis);
        const double reach = list->side[axis] * (1 - margin + (rest < 0.5 ? rest : 1 - rest));
        least = reach < least ? reach : least;
    }
    return least;
}

/* The cells no farther from a point than `distance`, which is two cells at most; on a torus they may lie beyond its
 * ends. MIN_TORUS_CELLS cells more, and what is rounded towards 0 is not negative. */
static struct cell_range cells_within(const struct cell_list *list, double at, double distance, int axis)
{
    const double centre = (at - list->low[axis]) * list->cells_per_unit[axis];
    const double reach = distance * list->cells_per_unit[axis] * (1 + margin) + margin;
    const int64_t cells = list->cells[axis];
    struct cell_range range = {(int64_t)(centre - reach + MIN_TORUS_CELLS) - MIN_TORUS_CELLS,
                               (int64_t)(centre + reach)};
    if (!list->is_torus) {
        range.first = range.first < 0 ? 0 : range.first;
        range.last = range.last >= cells ? cells - 1 : range.last;
    }
    return range;
}

/* As far as the best point so far. */
static void search_near(struct search *search)
{
    const struct cell_list *list = search->list;
    const int64_t rows = list->cells[1];
    const double distance = sqrt(search->best);
    const struct cell_range cells = cells_within(list, search->from.at[0], distance, 0);
    const struct cell_range lines = cells_within(list, search->from.at[1], distance, 1);
    for (int64_t row = lines.first; row <= lines.last; row++)
        search_row(search, (uint32_t)(row < 0 ? row + rows : row < rows ? row : row - rows), cells);
}

/* Search on for each point whose nearest neighbour may be beyond the neighbouring cells; unused elements become 0. */
static void find_nearest(struct cell_list *list)
{
    const double side = fmin(list->side[0], list->side[1]) * (1 - margin);
    const double2_mask never = (double2_mask)double2_set1(INFINITY);
    double *nearest = (double *)list->nearest;
    for (size_t i = 0; i < 2 * list->cluster_count; i++) {
        if (nearest[i] <= side * side)
            continue;
        const struct place place = {{list->clusters[i / 2].x[i % 2], list->clusters[i / 2].y[i % 2]}};
        if (place.at[0] == INFINITY) {
            nearest[i] = 0;
            continue;
        }
        const double reach = reach_of(list, place);
        struct search search = {list, place, never, nearest[i]};
        if (nearest[i] > 4 * side * side)
            search_on(&search);
        else if (nearest[i] > reach * reach)
            search_near(&search);
        nearest[i] = search.best;
    }
}

static double nearest_to(struct cell_list *list, const struct agent *others, size_t count)
{
    struct search search = {.list = list, .best = INFINITY};
    for (size_t i = 0; i < count; i++) {
        search.from = place_of(list, &others[i]);
        search_on(&search);
    }
    return search.best;
}

/* Groups. */

static double apart(const struct cell_list *list, uint32_t i, uint32_t j)
{
    const struct cluster *a = &list->clusters[i / 2], *b = &list->clusters[j / 2];
    const double x = fabs(a->x[i % 2] - b->x[j % 2]), y = fabs(a->y[i % 2] - b->y[j % 2]);
    const double dx = periodic_shorter(x, list->period[0] - x), dy = periodic_shorter(y, list->period[1] - y);
    return dx * dx + dy * dy;
}

/* Point by point, if the group radius is at most the side of a cell; each with the points after it. */

static void link_to_span(struct cell_list *list, uint32_t point, struct span span)
{
    const double reach = list->query.group_radius * list->query.group_radius;
    for (uint32_t other = span.begin > point ? span.begin : point + 1; other < span.end; other++)
        if (apart(list, point, other) < reach)
            union_find_unite(&list->sets, point, other);
}

static void link_around(struct cell_list *list, uint32_t point)
{
    const struct cluster *cluster = &list->clusters[point / 2];
    const int64_t rows = list->cells[1], cells = list->cells[0];
    const struct cell_range along = cells_around(list, cell_at(list, cluster->x[point % 2], 0), 1, 0);
    const struct cell_range across = cells_around(list, cell_at(list, cluster->y[point % 2], 1), 1, 1);
    for (int64_t row = across.first; row <= across.last; row++) {
        const uint32_t *ends = row_of(list, (uint32_t)((row + rows) % rows));
        for (int64_t cell = along.first; cell <= along.last; cell++) {
            const int64_t image = (cell + cells) % cells;
            link_to_span(list, point, (struct span){ends[image - 1], ends[image]});
        }
    }
}

static struct groups group_points(struct cell_list *list)
{
    const uint32_t members = (uint32_t)(2 * list->cluster_count);
    for (uint32_t i = 0; i < members; i++) {
        list->sets.parent[i] = i;
        list->sets.size[i] = list->clusters[i / 2].x[i % 2] < INFINITY;
    }
    for (uint32_t i = 0; i < members; i++)
        if (list->sets.size[i] > 0)
            link_around(list, i);
    return union_find_count(&list->sets, members);
}

/* Block by block. */

struct block {
    uint32_t along, across;
};

static inline uint32_t number_of(const struct cell_list *list, struct block block)
{
    return block.across * list->blocks[0] + block.along;
}

/* The last block of a plane may be short of cells. */
static inline uint32_t end_of(const struct cell_list *list, uint32_t block, int axis)
{
    const uint32_t end = (block + 1) * list->block_side;
    return end < list->cells[axis] ? end : list->cells[axis];
}

/* The points of a block in one of its rows; unused elements may be among them. */
static inline struct span block_row(const struct cell_list *list, struct block block, uint32_t row)
{
    const uint32_t *cells = row_of(list, row);
    return (struct span){cells[(int64_t)(block.along * list->block_side) - 1],
                         cells[end_of(list, block.along, 0) - 1]};
}

static inline bool is_linked(struct cell_list *list, uint32_t point, struct block block)
{
    const double reach = list->query.group_radius * list->query.group_radius;
    const uint32_t end = end_of(list, block.across, 1);
    for (uint32_t row = block.across * list->block_side; row < end; row++) {
        const struct span span = block_row(list, block, row);
        for (uint32_t other = span.begin; other < span.end; other++)
            if (apart(list, point, other) < reach)
                return true;
        list->effort -= 1 + (double)(span.end - span.begin);
    }
    return false;
}

/* From the last point of one block and the first of the other: in this order these are near each other. */
static bool are_linked(struct cell_list *list, struct block a, struct block b)
{
    const uint32_t first = a.across * list->block_side;
    for (uint32_t row = end_of(list, a.across, 1); row-- > first && list->effort > 0;) {
        const struct span span = block_row(list, a, row);
        for (uint32_t point = span.end; point-- > span.begin;)
            if (is_linked(list, point, b))
                return true;
    }
    return false;
}

struct step {
    int along, across;
};

/* @return false beyond the end of the plane. */
static inline bool take_step(const struct cell_list *list, struct step step, struct block *block)
{
    const int64_t width = list->blocks[0], height = list->blocks[1];
    int64_t along = (int64_t)block->along + step.along, across = (int64_t)block->across + step.across;
    if (list->is_torus) {
        along += along < 0 ? width : along >= width ? -width : 0;
        across += across < 0 ? height : across >= height ? -height : 0;
    }
    *block = (struct block){(uint32_t)along, (uint32_t)across};
    return along >= 0 && along < width && across >= 0 && across < height;
}

static inline void link_steps(struct cell_list *list, struct block block, const struct step *steps,
                              size_t count)
{
    const uint32_t number = number_of(list, block);
    for (size_t k = 0; k < count; k++) {
        struct block other = block;
        if (!take_step(list, steps[k], &other))
            continue;
        const uint32_t other_number = number_of(list, other);
        if (list->sets.size[other_number] > 0 &&
            list->sets.parent[number] != list->sets.parent[other_number] &&
            union_find_root(&list->sets, number) != union_find_root(&list->sets, other_number) &&
            are_linked(list, other, block))
            union_find_unite(&list->sets, number, other_number);
    }
}

/* Link each block to those of its neighbours that come before it, the most likely ones first. */
static void link_neighbours(struct cell_list *list)
{
    static const struct step steps[] = {{0, -1}, {-1, 0}, {-1, -1}, {1, -1}};
    struct block block;
    for (block.across = 0; block.across < list->blocks[1]; block.across++)
        for (block.along = 0; block.along < list->blocks[0]; block.along++)
            if (list->sets.size[number_of(list, block)] > 0)
                link_steps(list, block, steps, sizeof steps / sizeof *steps);
}

/* Link blocks two steps apart that are not linked yet. Blocks of the largest group are skipped: the few other blocks
 * that may be linked to it search for it themselves. */
static void link_far(struct cell_list *list)
{
    static const struct step steps[] = {{2, 0},  {-2, 0},  {0, 2},  {0, -2}, {2, 1},  {2, -1},
                                        {-2, 1}, {-2, -1}, {1, 2},  {1, -2}, {-1, 2}, {-1, -2},
                                        {2, 2},  {2, -2},  {-2, 2}, {-2, -2}};
    const uint32_t members = list->blocks[0] * list->blocks[1];
    uint32_t largest = 0;
    struct block block;
    for (uint32_t number = 0; number < members; number++)
        largest = list->sets.size[number] > list->sets.size[largest] ? number : largest;
    for (block.across = 0; block.across < list->blocks[1]; block.across++)
        for (block.along = 0; block.along < list->blocks[0]; block.along++) {
            const uint32_t number = number_of(list, block);
            if (list->sets.size[number] > 0 &&
                union_find_root(&list->sets, number) != union_find_root(&list->sets, largest))
                link_steps(list, block, steps, sizeof steps / sizeof *steps);
        }
}

/* Unused elements, after the first cells of a torus and before its last ones, are not points. */
static void count_row(const struct cell_list *list, const uint32_t *cells, uint32_t *sizes)
{
    const uint32_t last = list->blocks[0] - 1;
    uint32_t begin = cells[-1];
    for (uint32_t along = 0; along <= last; along++) {
        const uint32_t end = cells[end_of(list, along, 0) - 1];
        sizes[along] += end - begin;
        begin = end;
    }
    if (list->is_torus) {
        sizes[list->block_side == 1] -= cells[0] % 2;
        sizes[last] -= cells[list->cells[0] - 2] % 2;
    }
}

static void count_blocks(struct cell_list *list)
{
    memset(list->sets.size, 0, (size_t)list->blocks[0] * list->blocks[1] * sizeof *list->sets.size);
    for (uint32_t row = 0; row < list->cells[1]; row++)
        count_row(list, row_of(list, row),
                  list->sets.size + (size_t)(row / list->block_side) * list->blocks[0]);
}

static struct groups group_blocks(struct cell_list *list)
{
    const uint32_t members = list->blocks[0] * list->blocks[1];
    for (uint32_t i = 0; i < members; i++)
        list->sets.parent[i] = i;
    count_blocks(list);
    link_neighbours(list);
    link_far(list);
    return union_find_count(&list->sets, members);
}

bool cell_list_measure(struct cell_list *list, const struct agent *agents, uint32_t count,
                       const struct agent *others, size_t other_count, struct cell_list_result *result)
{
    assert(count > 0 && count <= list->capacity);
    list->count = count;
    if (!fill(list, agents))
        return false;
    list->effort = MAX_EFFORT * (double)list->count;
    result->pairs = meet_all_rows(list);
    find_nearest(list);
    result->nearest = (const double *)list->nearest;
    result->nearest_count = 2 * list->cluster_count;
    result->nearest_to = nearest_to(list, others, other_count);
    result->groups = list->block_side > 0 ? group_blocks(list) : group_points(list);
    return list->effort > 0;
}
