/* Rows run along the longer axis. Points are sorted by cell, row by row, and stand two by two: a duo is compared with
 * another in four distances at once. Each duo meets those ahead of it in its row and those of the next row, as far as the
 * cell after its own, so that all points of neighbouring cells meet once.
 *
 *     row y      . . | P P | q q . q |            P meets the q's
 *     row y + 1  . q | q q | . q q . |
 *
 * What stands a little farther in a row may be met as well: no pair is met twice, and one that is not of neighbouring
 * cells is too far apart to count. Rows begin with a duo of their own, and so do, on a torus, the second cell and the
 * last; a place left over is filled with a point at infinity.
 *
 * Whose nearest is nearer than a cell is wide, has no nearer one beyond the neighbouring cells. The others look as far
 * as that one is, or, where it is far, ring by ring.
 *
 * Groups are found among blocks of cells so small that a block is one group. Blocks up to two apart may be linked.
 */
#include "grid.h"

#include "around.h"
#include "pair.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double cells_per_point = 2;

/* On average over the points: how many may be in a point's own cell, and how many may be looked at for it beyond the
 * neighbouring cells. The tree is faster with more. On a torus no two cells may be neighbours both ways round. */
enum { MOST_CROWD = 48, MOST_EFFORT = 64, LEAST_AROUND = 4 };

/* Cells are this much larger or smaller than they need be: far more than roundings do. */
static const double margin = 1.0 / (1 << 20);

struct duo {
    pair x, y; /* along a row, across rows */
};

struct grid {
    uint32_t count, capacity;
    struct grid_question question;
    size_t cell_capacity, duo_capacity;
    bool is_torus;
    bool is_turned; /* rows run along y */
    /* By axis: along a row, across rows. */
    double period[2], low[2], side[2], cells_per_unit[2];
    uint32_t cells[2], blocks[2];
    uint32_t block_side; /* in cells; 0 where points are linked one by one */
    size_t duo_count;
    double effort; /* left: points that may yet be looked at */
    /* The cell of each agent. By cell, where its points end: a 0 stands before the first row, an empty cell ends each. */
    uint32_t *keys, *ends;
    struct duo *duos;
    pair *nearest;          /* by duo, squared */
    struct union_find sets; /* of blocks or of points */
};

/* Memory. */

static size_t most_cells(uint32_t count)
{
    const double most = (cells_per_point + 0.5) * count + 64;
    return most < UINT32_MAX ? (size_t)most : UINT32_MAX;
}

/* Up to three places of a row are left empty, and there are no more rows than cells in a row. */
static size_t most_duos(uint32_t count)
{
    return count / 2 + 2 * ((size_t)sqrt((double)most_cells(count)) + 1) + 1;
}

static size_t most_members(uint32_t count)
{
    const size_t cells = most_cells(count), points = 2 * most_duos(count);
    return cells > points ? cells : points;
}

size_t grid_memory(uint32_t count)
{
    return sizeof(struct grid) + (count + most_cells(count) + 2 * most_members(count)) * sizeof(uint32_t) +
           most_duos(count) * (sizeof(struct duo) + sizeof(pair));
}

struct grid *grid_create(uint32_t count, const struct grid_question *question)
{
    struct grid *grid = malloc(sizeof *grid);
    if (!grid)
        return NULL;
    *grid = (struct grid){
        .capacity = count,
        .question = *question,
        .cell_capacity = most_cells(count),
        .duo_capacity = most_duos(count),
        .is_torus = !isinf(question->period[0]),
        .keys = malloc(count * sizeof *grid->keys),
        .ends = malloc(most_cells(count) * sizeof *grid->ends),
        .duos = aligned_alloc(sizeof *grid->duos, most_duos(count) * sizeof *grid->duos),
        .nearest = malloc(most_duos(count) * sizeof *grid->nearest),
        .sets = {malloc(most_members(count) * sizeof *grid->sets.parent),
                 malloc(most_members(count) * sizeof *grid->sets.size)},
    };
    if (grid->keys && grid->ends && grid->duos && grid->nearest && grid->sets.parent && grid->sets.size)
        return grid;
    grid_free(grid);
    return NULL;
}

void grid_free(struct grid *grid)
{
    if (!grid)
        return;
    free(grid->keys);
    free(grid->ends);
    free(grid->duos);
    free(grid->nearest);
    free(grid->sets.parent);
    free(grid->sets.size);
    free(grid);
}

/* Layout. */

/* As wide as there are to be cells, and no narrower than the pair radius. */
static double least_side(const struct grid *grid, const double extent[2])
{
    double side = sqrt(extent[0] * extent[1] / (cells_per_point * grid->count));
    side = fmax(side, extent[0] / (cells_per_point * grid->count));
    while ((extent[0] / side + 2) * (extent[1] / side + 2) + 2 > (double)grid->cell_capacity)
        side *= 1.25;
    return fmax(side, grid->question.pair_radius * (1 + margin));
}

/* Any two points of a block are within the group radius, those of blocks more than two apart are not. */
static bool lay_out_blocks(struct grid *grid, const double extent[2], double least)
{
    const double radius = grid->question.group_radius, widest = radius * sqrt(0.5) * (1 - margin);
    const uint32_t length = (uint32_t)fmin(widest / least, 1 << 15);
    const double side = widest / length;
    grid->block_side = length;
    for (int axis = 0; axis < 2; axis++) {
        const double blocks = ceil(extent[axis] / widest);
        grid->side[axis] = grid->is_torus ? extent[axis] / (blocks * length) : side;
        grid->cells[axis] = grid->is_torus ? (uint32_t)blocks * length : (uint32_t)(extent[axis] / side) + 1;
        grid->blocks[axis] = (grid->cells[axis] - 1) / length + 1;
        if (grid->side[axis] * length * 2 < radius * (1 + margin))
            return false;
    }
    return true;
}

static void lay_out_cells(struct grid *grid, const double extent[2], double least)
{
    const double side = fmax(least, grid->question.group_radius * (1 + margin));
    grid->block_side = 0;
    for (int axis = 0; axis < 2; axis++) {
        const double cells = floor(extent[axis] / side);
        grid->side[axis] = grid->is_torus ? extent[axis] / cells : side;
        grid->cells[axis] = grid->is_torus ? (uint32_t)cells : (uint32_t)(extent[axis] / side) + 1;
    }
}

static bool has_room(const struct grid *grid)
{
    const size_t along = grid->cells[0], across = grid->cells[1];
    const size_t least = grid->is_torus ? LEAST_AROUND : 1;
    return along >= least && across >= least && (along + 1) * (across + 1) + 2 <= grid->cell_capacity &&
           grid->count / 2 + 2 * across + 1 <= grid->duo_capacity &&
           fmin(grid->side[0], grid->side[1]) >= grid->question.pair_radius * (1 + margin / 2);
}

static bool lay_out(struct grid *grid, const double low[2], const double high[2])
{
    double extent[2];
    grid->is_turned = high[1] - low[1] > high[0] - low[0];
    for (int k = 0; k < 2; k++) {
        const int axis = k ^ grid->is_turned;
        extent[k] = high[axis] - low[axis];
        grid->low[k] = low[axis];
        grid->period[k] = grid->question.period[axis];
    }
    /* Squares of anything in between neither overflow nor vanish. */
    const double widest = fmax(grid->question.pair_radius, grid->question.group_radius);
    if (!(extent[0] > 1e-100 && fmax(extent[0], widest) < 1e100))
        return false;
    const double least = least_side(grid, extent);
    if (sqrt(0.5) * (1 - margin) * grid->question.group_radius < least)
        lay_out_cells(grid, extent, least);
    else if (!lay_out_blocks(grid, extent, least))
        return false;
    return has_room(grid);
}

/* Filing. */

static void find_bounds(const struct grid *grid, const struct agent *agents, double low[2], double high[2])
{
    pair least = pair_of(INFINITY), most = pair_of(INFINITY); /* the latter with the other sign */
    for (uint32_t i = 0; i < grid->count; i++) {
        const pair at = {agents[i].x, agents[i].y};
        least = pair_smaller(at, least);
        most = pair_smaller(-at, most);
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

static inline struct place place_of(const struct grid *grid, const struct agent *agent)
{
    const double along = grid->is_turned ? agent->y : agent->x,
                 across = grid->is_turned ? agent->x : agent->y;
    if (!grid->is_torus)
        return (struct place){{along, across}};
    return (struct place){{around_within(along, grid->period[0]), around_within(across, grid->period[1])}};
}

/* The cell of a point along an axis. What lies on the last border is filed before it. */
static inline uint32_t cell_at(const struct grid *grid, double at, int axis)
{
    const uint32_t cell = (uint32_t)((at - grid->low[axis]) * grid->cells_per_unit[axis]);
    return cell < grid->cells[axis] ? cell : grid->cells[axis] - 1;
}

/* The ends of a row's cells, of which there is one at -1 as well: where the row begins. */
static inline uint32_t *row_of(const struct grid *grid, uint32_t row)
{
    return grid->ends + 1 + (size_t)row * (grid->cells[0] + 1);
}

static void count_cells(struct grid *grid, const struct agent *agents)
{
    const uint32_t pitch = grid->cells[0] + 1;
    memset(grid->ends, 0, (size_t)pitch * (grid->cells[1] + 1) * sizeof *grid->ends);
    for (uint32_t i = 0; i < grid->count; i++) {
        const struct place place = place_of(grid, &agents[i]);
        const uint32_t key = cell_at(grid, place.at[1], 1) * pitch + cell_at(grid, place.at[0], 0);
        grid->keys[i] = key;
        grid->ends[1 + key]++;
    }
}

/* A place that is left over, so that the next cell begins with a duo of its own. */
static uint32_t round_up(struct grid *grid, uint32_t at)
{
    if (at % 2 == 1)
        grid->duos[at / 2].x[1] = grid->duos[at / 2].y[1] = INFINITY;
    return at + at % 2;
}

struct filling {
    uint32_t at;    /* the next place */
    uint64_t crowd; /* how many points all points have in their own cells */
};

/* From counts to where each cell begins; filing the points moves that to where it ends. */
static inline void begin_cells(struct filling *filling, uint32_t *cells, uint32_t first, uint32_t end)
{
    for (uint32_t cell = first; cell < end; cell++) {
        const uint32_t count = cells[cell];
        cells[cell] = filling->at;
        filling->at += count;
        filling->crowd += (uint64_t)count * count;
    }
}

static void begin_row(struct grid *grid, struct filling *filling, uint32_t *cells)
{
    const uint32_t first = grid->is_torus ? 1 : 0, last = grid->cells[0] - first;
    begin_cells(filling, cells, 0, first);
    filling->at = round_up(grid, filling->at);
    begin_cells(filling, cells, first, last);
    filling->at = round_up(grid, filling->at);
    begin_cells(filling, cells, last, grid->cells[0]);
    cells[grid->cells[0]] = filling->at = round_up(grid, filling->at);
}

/* @return the crowd. */
static uint64_t begin_rows(struct grid *grid)
{
    struct filling filling = {0, 0};
    for (uint32_t row = 0; row < grid->cells[1]; row++)
        begin_row(grid, &filling, row_of(grid, row));
    uint32_t *beyond = row_of(grid, grid->cells[1]);
    for (uint32_t cell = 0; cell <= grid->cells[0]; cell++)
        beyond[cell] = filling.at;
    grid->duo_count = filling.at / 2;
    return filling.crowd;
}

static void file(struct grid *grid, const struct agent *agents)
{
    for (uint32_t i = 0; i < grid->count; i++) {
        const struct place place = place_of(grid, &agents[i]);
        const uint32_t at = grid->ends[1 + grid->keys[i]]++;
        grid->duos[at / 2].x[at % 2] = place.at[0];
        grid->duos[at / 2].y[at % 2] = place.at[1];
    }
}

static bool fill(struct grid *grid, const struct agent *agents)
{
    const double *period = grid->question.period;
    double low[2] = {0, 0}, high[2] = {period[0], period[1]};
    if (!grid->is_torus)
        find_bounds(grid, agents, low, high);
    if (!lay_out(grid, low, high))
        return false;
    for (int axis = 0; axis < 2; axis++)
        grid->cells_per_unit[axis] = 1 / grid->side[axis];
    grid->ends[0] = 0;
    count_cells(grid, agents);
    if (begin_rows(grid) > MOST_CROWD * (uint64_t)grid->count)
        return false;
    file(grid, agents);
    return true;
}

/* Meetings. */

/* Which way round distances are taken, along a row and across rows; straight, if not around. */
struct way {
    bool is_around[2];
};

struct meeting {
    struct grid *grid;
    struct duo here;
    pair nearest, reach;
    pair_bits close;
};

static inline pair squared(const struct grid *grid, struct way way, pair x, pair y)
{
    x = way.is_around[0] ? grid->period[0] - pair_size(x) : x;
    y = way.is_around[1] ? grid->period[1] - pair_size(y) : y;
    return x * x + y * y;
}

/* Each of one duo with each of another. */
static inline void meet(struct meeting *meeting, struct way way, size_t other)
{
    const struct duo here = meeting->here, there = meeting->grid->duos[other];
    const pair level = squared(meeting->grid, way, there.x - here.x, there.y - here.y);
    const pair crosswise =
        squared(meeting->grid, way, pair_swap(there.x) - here.x, pair_swap(there.y) - here.y);
    pair *nearest = &meeting->grid->nearest[other];
    *nearest = pair_smaller(pair_smaller(level, pair_swap(crosswise)), *nearest);
    meeting->nearest = pair_smaller(pair_smaller(level, crosswise), meeting->nearest);
    meeting->close += (level < meeting->reach) + (crosswise < meeting->reach);
}

/* The two of a duo. */
static inline void meet_within(struct meeting *meeting)
{
    const struct duo here = meeting->here;
    const double *period = meeting->grid->period;
    const double x = fabs(here.x[1] - here.x[0]), y = fabs(here.y[1] - here.y[0]);
    const double dx = around_shorter(x, period[0] - x), dy = around_shorter(y, period[1] - y);
    const pair both = pair_of(dx * dx + dy * dy);
    meeting->nearest = pair_smaller(both, meeting->nearest);
    meeting->close += (both < meeting->reach) & (pair_bits){-1, 0};
}

static inline void begin_meeting(struct meeting *meeting, size_t duo)
{
    meeting->here = meeting->grid->duos[duo];
    meeting->nearest = meeting->grid->nearest[duo];
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

/* The first cell of a row and the last, on a torus: no point of another cell is in their duos. */
static struct span head_of(const struct grid *grid, uint32_t row)
{
    const uint32_t *cells = row_of(grid, row);
    return (struct span){cells[-1], cells[0]};
}

static struct span tail_of(const struct grid *grid, uint32_t row)
{
    const uint32_t *cells = row_of(grid, row) + grid->cells[0] - 1;
    return (struct span){cells[-1] + cells[-1] % 2, cells[0]};
}

static void meet_spans(struct meeting *meeting, struct way way, struct span some, struct span others)
{
    for (size_t duo = some.begin / 2; 2 * duo < some.end; duo++) {
        begin_meeting(meeting, duo);
        meet_all(meeting, way, others.begin, others.end);
        meeting->grid->nearest[duo] = meeting->nearest;
    }
}

/* Across the seam along a row. */
static void meet_around(struct meeting *meeting, uint32_t row, uint32_t next, bool is_last)
{
    const struct grid *grid = meeting->grid;
    const struct way level = {{true, false}}, aslant = {{true, is_last}};
    meet_spans(meeting, level, tail_of(grid, row), head_of(grid, row));
    meet_spans(meeting, aslant, tail_of(grid, row), head_of(grid, next));
    meet_spans(meeting, aslant, head_of(grid, row), tail_of(grid, next));
}

/* Whoever has fewer to meet than most meets a few more of the row: a loop that always runs as often is predicted. */
static inline uint32_t no_less(uint32_t end, uint32_t least, uint32_t most)
{
    least = least < most ? least : most;
    return end < least ? least : end;
}

/* A row with itself and with the next, without the seam along a row. */
static inline void meet_rows(struct meeting *meeting, uint32_t row, uint32_t next, struct way way)
{
    struct grid *grid = meeting->grid;
    const uint32_t *cells = row_of(grid, row), *next_cells = row_of(grid, next);
    for (size_t duo = cells[-1] / 2; duo < cells[grid->cells[0]] / 2; duo++) {
        begin_meeting(meeting, duo);
        const double x = meeting->here.x[0], last = meeting->here.x[1];
        const uint32_t from = cell_at(grid, x, 0), to = cell_at(grid, last < INFINITY ? last : x, 0);
        meet_within(meeting);
        const uint32_t ahead = (uint32_t)(2 * duo + 2),
                       begin = next_cells[(int64_t)(from > 1 ? from : 1) - 2];
        meet_all(meeting, straight, ahead, no_less(cells[to + 1], ahead + 2, cells[grid->cells[0]]));
        meet_all(meeting, way, begin, no_less(next_cells[to + 1], begin + 4, next_cells[grid->cells[0]]));
        grid->nearest[duo] = meeting->nearest;
    }
}

static bool is_before_seam(const struct grid *grid, uint32_t row)
{
    return grid->is_torus && row + 1 == grid->cells[1];
}

/* Behind the last row of what is no ring there is one without points. */
static uint32_t next_of(const struct grid *grid, uint32_t row)
{
    return is_before_seam(grid, row) ? 0 : row + 1;
}

/* @return the pairs within the pair radius. */
static uint64_t meet_everybody(struct grid *grid)
{
    const uint32_t rows = grid->cells[1];
    const double radius = grid->question.pair_radius;
    struct meeting meeting = {.grid = grid, .reach = pair_of(radius * radius)};
    for (size_t duo = 0; duo < grid->duo_count; duo++)
        grid->nearest[duo] = pair_of(INFINITY);
    for (uint32_t row = 0; row < rows; row++)
        if (is_before_seam(grid, row))
            meet_rows(&meeting, row, next_of(grid, row), (struct way){{false, true}});
        else
            meet_rows(&meeting, row, row + 1, straight);
    for (uint32_t row = 0; row < rows && grid->is_torus; row++)
        meet_around(&meeting, row, next_of(grid, row), is_before_seam(grid, row));
    return (uint64_t)(-meeting.close[0] - meeting.close[1]);
}

/* Further than the neighbouring cells. */

struct search {
    struct grid *grid;
    struct place from; /* where it is */
    pair_bits zero;    /* what a distance of 0 is taken for: a point does not count for itself */
    double best;       /* squared */
};

static void search_span(struct search *search, struct span span)
{
    struct grid *grid = search->grid;
    pair best = pair_of(search->best);
    const pair x = pair_of(search->from.at[0]), y = pair_of(search->from.at[1]);
    const pair x_period = pair_of(grid->period[0]), y_period = pair_of(grid->period[1]);
    for (size_t duo = span.begin / 2; 2 * duo < span.end; duo++) {
        const pair dx = pair_size(grid->duos[duo].x - x), dy = pair_size(grid->duos[duo].y - y);
        const pair a = pair_smaller(x_period - dx, dx), b = pair_smaller(y_period - dy, dy);
        const pair squares = a * a + b * b;
        best = pair_smaller((pair)((pair_bits)squares | ((squares == 0) & search->zero)), best);
    }
    search->best = best[0] < best[1] ? best[0] : best[1];
    grid->effort -= 2 + (double)(span.end - span.begin);
}

/* Cells `first` to `last` of a row or of all rows; on a torus they may lie beyond its ends. */
struct stretch {
    int64_t first, last;
};

static struct stretch stretch_around(const struct grid *grid, int64_t centre, int64_t reach, int axis)
{
    const int64_t cells = grid->cells[axis];
    struct stretch stretch = {centre - reach, centre + reach};
    if (2 * reach + 1 >= cells)
        return (struct stretch){0, cells - 1};
    if (!grid->is_torus) {
        stretch.first = stretch.first < 0 ? 0 : stretch.first;
        stretch.last = stretch.last >= cells ? cells - 1 : stretch.last;
    }
    return stretch;
}

static void search_row(struct search *search, uint32_t row, struct stretch stretch)
{
    const int64_t cells = search->grid->cells[0];
    const uint32_t *ends = row_of(search->grid, row);
    const int64_t first = stretch.first < 0 ? 0 : stretch.first;
    const int64_t last = stretch.last < cells ? stretch.last : cells - 1;
    search_span(search, (struct span){ends[first - 1], ends[last]});
    if (stretch.first < 0)
        search_span(search, (struct span){ends[cells + stretch.first - 1], ends[cells - 1]});
    if (stretch.last >= cells)
        search_span(search, (struct span){ends[-1], ends[stretch.last - cells]});
}

/* Of what lies outside of the grid, the cell at its border. */
static int64_t cell_near(const struct grid *grid, double at, int axis)
{
    const double end = grid->low[axis] + grid->side[axis] * (grid->cells[axis] - 0.5);
    return cell_at(grid, at < grid->low[axis] ? grid->low[axis] : at < end ? at : end, axis);
}

/* Twice as far each time, until nothing beyond can be nearer than the best, or nothing is left. */
static void search_on(struct search *search)
{
    struct grid *grid = search->grid;
    const int64_t rows = grid->cells[1], along = grid->cells[0];
    const int64_t centre[2] = {cell_near(grid, search->from.at[0], 0),
                               cell_near(grid, search->from.at[1], 1)};
    const double side = fmin(grid->side[0], grid->side[1]) * (1 - margin);
    for (int64_t reach = 2; grid->effort > 0; reach *= 2) {
        const struct stretch cells = stretch_around(grid, centre[0], reach, 0);
        const struct stretch lines = stretch_around(grid, centre[1], reach, 1);
        for (int64_t row = lines.first; row <= lines.last; row++)
            search_row(search, (uint32_t)((row + rows) % rows), cells);
        const double sure = side * (double)reach;
        if (search->best <= sure * sure || (2 * reach + 1 >= rows && 2 * reach + 1 >= along))
            return;
    }
}

/* How far the neighbouring cells reach around a point, at least. */
static double reach_of(const struct grid *grid, struct place place)
{
    double least = INFINITY;
    for (int axis = 0; axis < 2; axis++) {
        const double cell = (place.at[axis] - grid->low[axis]) * grid->cells_per_unit[axis];
        const double rest = cell - (double)cell_at(grid, place.at[axis], axis);
        const double reach = grid->side[axis] * (1 - margin + (rest < 0.5 ? rest : 1 - rest));
        least = reach < least ? reach : least;
    }
    return least;
}

/* The cells no farther from a point than `distance`, which is two cells at most; on a torus they may lie beyond its ends.
 * LEAST_AROUND cells more, and what is rounded towards 0 is not negative. */
static struct stretch stretch_within(const struct grid *grid, double at, double distance, int axis)
{
    const double centre = (at - grid->low[axis]) * grid->cells_per_unit[axis];
    const double reach = distance * grid->cells_per_unit[axis] * (1 + margin) + margin;
    const int64_t cells = grid->cells[axis];
    struct stretch stretch = {(int64_t)(centre - reach + LEAST_AROUND) - LEAST_AROUND,
                              (int64_t)(centre + reach)};
    if (!grid->is_torus) {
        stretch.first = stretch.first < 0 ? 0 : stretch.first;
        stretch.last = stretch.last >= cells ? cells - 1 : stretch.last;
    }
    return stretch;
}

/* As far as the best that has been found. */
static void search_near(struct search *search)
{
    const struct grid *grid = search->grid;
    const int64_t rows = grid->cells[1];
    const double distance = sqrt(search->best);
    const struct stretch cells = stretch_within(grid, search->from.at[0], distance, 0);
    const struct stretch lines = stretch_within(grid, search->from.at[1], distance, 1);
    for (int64_t row = lines.first; row <= lines.last; row++)
        search_row(search, (uint32_t)(row < 0 ? row + rows : row < rows ? row : row - rows), cells);
}

/* Whoever's nearest may be beyond the neighbouring cells, looks for it; places left over are 0. */
static void find_nearest(struct grid *grid)
{
    const double side = fmin(grid->side[0], grid->side[1]) * (1 - margin);
    const pair_bits never = (pair_bits)pair_of(INFINITY);
    double *nearest = (double *)grid->nearest;
    for (size_t i = 0; i < 2 * grid->duo_count; i++) {
        if (nearest[i] <= side * side)
            continue;
        const struct place place = {{grid->duos[i / 2].x[i % 2], grid->duos[i / 2].y[i % 2]}};
        if (place.at[0] == INFINITY) {
            nearest[i] = 0;
            continue;
        }
        const double reach = reach_of(grid, place);
        struct search search = {grid, place, never, nearest[i]};
        if (nearest[i] > 4 * side * side)
            search_on(&search);
        else if (nearest[i] > reach * reach)
            search_near(&search);
        nearest[i] = search.best;
    }
}

static double nearest_to(struct grid *grid, const struct agent *others, size_t count)
{
    struct search search = {.grid = grid, .best = INFINITY};
    for (size_t i = 0; i < count; i++) {
        search.from = place_of(grid, &others[i]);
        search_on(&search);
    }
    return search.best;
}

/* Groups. */

static double apart(const struct grid *grid, uint32_t i, uint32_t j)
{
    const struct duo *a = &grid->duos[i / 2], *b = &grid->duos[j / 2];
    const double x = fabs(a->x[i % 2] - b->x[j % 2]), y = fabs(a->y[i % 2] - b->y[j % 2]);
    const double dx = around_shorter(x, grid->period[0] - x), dy = around_shorter(y, grid->period[1] - y);
    return dx * dx + dy * dy;
}

/* Point by point, where the group radius is no wider than a cell; each with those after it. */

static void link_to_span(struct grid *grid, uint32_t point, struct span span)
{
    const double reach = grid->question.group_radius * grid->question.group_radius;
    for (uint32_t other = span.begin > point ? span.begin : point + 1; other < span.end; other++)
        if (apart(grid, point, other) < reach)
            union_find_unite(&grid->sets, point, other);
}

static void link_around(struct grid *grid, uint32_t point)
{
    const struct duo *duo = &grid->duos[point / 2];
    const int64_t rows = grid->cells[1], cells = grid->cells[0];
    const struct stretch along = stretch_around(grid, cell_at(grid, duo->x[point % 2], 0), 1, 0);
    const struct stretch across = stretch_around(grid, cell_at(grid, duo->y[point % 2], 1), 1, 1);
    for (int64_t row = across.first; row <= across.last; row++) {
        const uint32_t *ends = row_of(grid, (uint32_t)((row + rows) % rows));
        for (int64_t cell = along.first; cell <= along.last; cell++) {
            const int64_t image = (cell + cells) % cells;
            link_to_span(grid, point, (struct span){ends[image - 1], ends[image]});
        }
    }
}

static struct groups group_points(struct grid *grid)
{
    const uint32_t members = (uint32_t)(2 * grid->duo_count);
    for (uint32_t i = 0; i < members; i++) {
        grid->sets.parent[i] = i;
        grid->sets.size[i] = grid->duos[i / 2].x[i % 2] < INFINITY;
    }
    for (uint32_t i = 0; i < members; i++)
        if (grid->sets.size[i] > 0)
            link_around(grid, i);
    return union_find_count(&grid->sets, members);
}

/* Block by block. */

struct block {
    uint32_t along, across;
};

static inline uint32_t number_of(const struct grid *grid, struct block block)
{
    return block.across * grid->blocks[0] + block.along;
}

/* The last block of a plane may be short of cells. */
static inline uint32_t end_of(const struct grid *grid, uint32_t block, int axis)
{
    const uint32_t end = (block + 1) * grid->block_side;
    return end < grid->cells[axis] ? end : grid->cells[axis];
}

/* The points of a block in one of its rows; places left over may be among them. */
static inline struct span block_row(const struct grid *grid, struct block block, uint32_t row)
{
    const uint32_t *cells = row_of(grid, row);
    return (struct span){cells[(int64_t)(block.along * grid->block_side) - 1],
                         cells[end_of(grid, block.along, 0) - 1]};
}

static inline bool is_linked(struct grid *grid, uint32_t point, struct block block)
{
    const double reach = grid->question.group_radius * grid->question.group_radius;
    const uint32_t end = end_of(grid, block.across, 1);
    for (uint32_t row = block.across * grid->block_side; row < end; row++) {
        const struct span span = block_row(grid, block, row);
        for (uint32_t other = span.begin; other < span.end; other++)
            if (apart(grid, point, other) < reach)
                return true;
        grid->effort -= 1 + (double)(span.end - span.begin);
    }
    return false;
}

/* From the last point of one to the first of the other: as blocks are met in that order, these are near each other. */
static bool are_linked(struct grid *grid, struct block a, struct block b)
{
    const uint32_t first = a.across * grid->block_side;
    for (uint32_t row = end_of(grid, a.across, 1); row-- > first && grid->effort > 0;) {
        const struct span span = block_row(grid, a, row);
        for (uint32_t point = span.end; point-- > span.begin;)
            if (is_linked(grid, point, b))
                return true;
    }
    return false;
}

struct step {
    int along, across;
};

/* @return false where the plane ends. */
static inline bool take_step(const struct grid *grid, struct step step, struct block *block)
{
    const int64_t width = grid->blocks[0], height = grid->blocks[1];
    int64_t along = (int64_t)block->along + step.along, across = (int64_t)block->across + step.across;
    if (grid->is_torus) {
        along += along < 0 ? width : along >= width ? -width : 0;
        across += across < 0 ? height : across >= height ? -height : 0;
    }
    *block = (struct block){(uint32_t)along, (uint32_t)across};
    return along >= 0 && along < width && across >= 0 && across < height;
}

static inline void link_steps(struct grid *grid, struct block block, const struct step *steps, size_t count)
{
    const uint32_t number = number_of(grid, block);
    for (size_t k = 0; k < count; k++) {
        struct block other = block;
        if (!take_step(grid, steps[k], &other))
            continue;
        const uint32_t other_number = number_of(grid, other);
        if (grid->sets.size[other_number] > 0 &&
            grid->sets.parent[number] != grid->sets.parent[other_number] &&
            union_find_root(&grid->sets, number) != union_find_root(&grid->sets, other_number) &&
            are_linked(grid, other, block))
            union_find_unite(&grid->sets, number, other_number);
    }
}

/* Each block to the half of its neighbours that comes before it, the likeliest first. */
static void link_neighbours(struct grid *grid)
{
    static const struct step steps[] = {{0, -1}, {-1, 0}, {-1, -1}, {1, -1}};
    struct block block;
    for (block.across = 0; block.across < grid->blocks[1]; block.across++)
        for (block.along = 0; block.along < grid->blocks[0]; block.along++)
            if (grid->sets.size[number_of(grid, block)] > 0)
                link_steps(grid, block, steps, sizeof steps / sizeof *steps);
}

/* What the neighbours have left apart: all that lie two steps from a block, unless it is of the largest group. Those that
 * may be linked to that one look for it, and in most flocks they are few. */
static void link_far(struct grid *grid)
{
    static const struct step steps[] = {{2, 0},  {-2, 0},  {0, 2},  {0, -2}, {2, 1},  {2, -1},
                                        {-2, 1}, {-2, -1}, {1, 2},  {1, -2}, {-1, 2}, {-1, -2},
                                        {2, 2},  {2, -2},  {-2, 2}, {-2, -2}};
    const uint32_t members = grid->blocks[0] * grid->blocks[1];
    uint32_t largest = 0;
    struct block block;
    for (uint32_t number = 0; number < members; number++)
        largest = grid->sets.size[number] > grid->sets.size[largest] ? number : largest;
    for (block.across = 0; block.across < grid->blocks[1]; block.across++)
        for (block.along = 0; block.along < grid->blocks[0]; block.along++) {
            const uint32_t number = number_of(grid, block);
            if (grid->sets.size[number] > 0 &&
                union_find_root(&grid->sets, number) != union_find_root(&grid->sets, largest))
                link_steps(grid, block, steps, sizeof steps / sizeof *steps);
        }
}

/* Places left over, behind a torus's first cells and before its last, are no points. */
static void count_row(const struct grid *grid, const uint32_t *cells, uint32_t *sizes)
{
    const uint32_t last = grid->blocks[0] - 1;
    uint32_t begin = cells[-1];
    for (uint32_t along = 0; along <= last; along++) {
        const uint32_t end = cells[end_of(grid, along, 0) - 1];
        sizes[along] += end - begin;
        begin = end;
    }
    if (grid->is_torus) {
        sizes[grid->block_side == 1] -= cells[0] % 2;
        sizes[last] -= cells[grid->cells[0] - 2] % 2;
    }
}

static void count_blocks(struct grid *grid)
{
    memset(grid->sets.size, 0, (size_t)grid->blocks[0] * grid->blocks[1] * sizeof *grid->sets.size);
    for (uint32_t row = 0; row < grid->cells[1]; row++)
        count_row(grid, row_of(grid, row),
                  grid->sets.size + (size_t)(row / grid->block_side) * grid->blocks[0]);
}

static struct groups group_blocks(struct grid *grid)
{
    const uint32_t members = grid->blocks[0] * grid->blocks[1];
    for (uint32_t i = 0; i < members; i++)
        grid->sets.parent[i] = i;
    count_blocks(grid);
    link_neighbours(grid);
    link_far(grid);
    return union_find_count(&grid->sets, members);
}

bool grid_answer(struct grid *grid, const struct agent *agents, uint32_t count, const struct agent *others,
                 size_t other_count, struct grid_answers *answers)
{
    assert(count > 0 && count <= grid->capacity);
    grid->count = count;
    if (!fill(grid, agents))
        return false;
    grid->effort = MOST_EFFORT * (double)grid->count;
    answers->pairs = meet_everybody(grid);
    find_nearest(grid);
    answers->nearest = (const double *)grid->nearest;
    answers->nearest_count = 2 * grid->duo_count;
    answers->nearest_to = nearest_to(grid, others, other_count);
    answers->groups = grid->block_side > 0 ? group_blocks(grid) : group_points(grid);
    return grid->effort > 0;
}
