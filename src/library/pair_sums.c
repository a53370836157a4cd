/* The pairs of agents by their distance. For the sums of rings, the distances of one agent to a block of others and the products with
 * them are computed first, in a loop that the compiler vectorises. Then each product is added to the sum of its ring. The pairs nearer than
 * a radius come from a grid of cells that are at least as wide: each place looks in its cell and the 8 around it. */
#include "boids/boids.h"

#include <math.h>
#include <stdlib.h>

enum {
    BLOCK = 256,
    COPIES = 4, /* copies of each ring, so that an addition does not wait for the one before it */
};

/* The shortest of the equal ways on an axis; INFINITY is the size of a plane. */
static inline double nearest(double way, double size)
{
    return way > size / 2 ? way - size : way < -size / 2 ? way + size : way;
}

/* On a torus, all lengths are less than `size`; on a plane, `size` is INFINITY. */
static inline double shortest(double length, double size)
{
    return size - length < length ? size - length : length;
}

enum boids_status boids_pairs(const struct boids_agent *agents, size_t count, size_t begin, size_t end,
                              double width, double height, struct boids_ring *rings, uint32_t ring_count)
{
    const double beyond = ring_count;
    struct boids_ring *copies = calloc(((size_t)ring_count + 1) * COPIES, sizeof *copies);
    if (!copies)
        return BOIDS_FAILED;
    for (size_t i = begin; i < end; i++) {
        const struct boids_agent one = agents[i];
        for (size_t j = i + 1; j < count; j += BLOCK) {
            const struct boids_agent *other = agents + j;
            const size_t size = count - j < BLOCK ? count - j : BLOCK;
            int32_t ring[BLOCK];
            double product[BLOCK];
            for (size_t k = 0; k < size; k++) {
                const double dx = shortest(fabs(other[k].x - one.x), width);
                const double dy = shortest(fabs(other[k].y - one.y), height);
                const double distance = sqrt(dx * dx + dy * dy);
                ring[k] = (int32_t)(distance < beyond ? distance : beyond);
                product[k] = other[k].vx * one.vx + other[k].vy * one.vy;
            }
            for (size_t k = 0; k < size; k++) {
                struct boids_ring *sums = &copies[(size_t)ring[k] * COPIES + k % COPIES];
                sums->pairs++;
                sums->products += product[k];
            }
        }
    }
    for (size_t k = 0; k < (size_t)ring_count * COPIES; k++) {
        rings[k / COPIES].pairs += copies[k].pairs;
        rings[k / COPIES].products += copies[k].products;
    }
    free(copies);
    return BOIDS_OK;
}

/* One axis of the grid: `cells` cells of the width 1 / scale, again and again. So a plane needs no borders, and places far away share the
 * cells of others. Cells are a little wider than the radius, so that rounding separates no neighbours. */
struct axis {
    double scale, cells;
};

static struct axis axis_of(double size, double radius, double most)
{
    const double wide = radius * (1 + 1e-9);
    const double cells = isinf(size) ? most : fmax(1, fmin(floor(size / wide), most));
    return (struct axis){isinf(size) ? 1 / wide : cells / size, cells};
}

static uint32_t cell_at(struct axis axis, double coordinate)
{
    const double cell = coordinate * axis.scale, own = cell - floor(cell / axis.cells) * axis.cells;
    return own > 0 && own < axis.cells ? (uint32_t)own : 0; /* also of NAN */
}

static size_t after(size_t cell, size_t cells)
{
    return cell + 1 < cells ? cell + 1 : 0;
}

struct place {
    double x, y;
    int64_t number;
};

/* Where the neighbours of a place are written. */
struct neighbours {
    size_t found, room;
    int64_t *near;
    double (*ways)[2];
};

/* Sort places by their cells, of which `own` receives the number; `ends`, at first all 0, receives the end of each cell. */
static void sort_places(const double (*places)[2], size_t count, struct axis x, struct axis y,
                        struct place *sorted, uint32_t *own, uint32_t *ends)
{
    const size_t cells = (size_t)x.cells * (size_t)y.cells;
    for (size_t i = 0; i < count; i++) {
        own[i] = cell_at(y, places[i][1]) * (uint32_t)x.cells + cell_at(x, places[i][0]);
        ends[own[i]]++;
    }
    for (size_t cell = 0, sum = 0; cell < cells; cell++) {
        sum += ends[cell];
        ends[cell] = (uint32_t)sum - ends[cell];
    }
    for (size_t i = 0; i < count; i++)
        sorted[ends[own[i]]++] = (struct place){places[i][0], places[i][1], (int64_t)i};
}

/* Add the places of a range that are nearer to one place than a radius; without a branch, which would be predicted wrongly. */
static void add_near(struct neighbours *list, const struct place *places, size_t count, struct place one,
                     double square, double width, double height)
{
    size_t found = list->found;
    for (size_t k = 0; k < count; k++) {
        const double dx = nearest(places[k].x - one.x, width), dy = nearest(places[k].y - one.y, height);
        const size_t at = found < list->room ? found : list->room - 1;
        list->near[at] = places[k].number;
        list->ways[at][0] = dx;
        list->ways[at][1] = dy;
        found += (dx * dx + dy * dy < square) & (places[k].number != one.number);
    }
    list->found = found;
}

enum boids_status boids_near(const double (*places)[2], size_t count, double radius, double width,
                             double height, size_t room, int64_t *ends, int64_t *near, double (*ways)[2])
{
    const double most = floor(3 + sqrt((double)count));
    const struct axis x = axis_of(width, radius, most), y = axis_of(height, radius, most);
    const size_t columns = (size_t)x.cells, rows = (size_t)y.cells;
    struct neighbours list = {0, room, near, ways};
    struct place *sorted =
        calloc(1, count * (sizeof *sorted + sizeof(uint32_t)) + columns * rows * sizeof(uint32_t));
    if (!sorted)
        return BOIDS_FAILED;
    uint32_t *own = (uint32_t *)(sorted + count), *cell_ends = own + count;
    sort_places(places, count, x, y, sorted, own, cell_ends);
    for (size_t i = 0; i < count; i++) { /* with the places in its cell and the eight around */
        const struct place one = {places[i][0], places[i][1], (int64_t)i};
        const size_t column = own[i] % columns, row = own[i] / columns;
        const size_t left = column ? column - 1 : columns - 1, low = row ? row - 1 : rows - 1;
        const size_t together = left + 2 < columns ? 3 : 1; /* cells of a row that follow each other */
        for (size_t r = 0, at_row = low; r < 3 && r < rows; r++, at_row = after(at_row, rows))
            for (size_t c = 0, at = left; c < 3 && c < columns; c += together, at = after(at, columns)) {
                const size_t cell = at_row * columns + at, begin = cell ? cell_ends[cell - 1] : 0;
                add_near(&list, sorted + begin, cell_ends[cell + together - 1] - begin, one, radius * radius,
                         width, height);
            }
        ends[i] = (int64_t)list.found;
    }
    free(sorted);
    return BOIDS_OK;
}

void boids_sums(const int64_t *ends, size_t count, const double *rows, size_t width, double *sums)
{
    for (size_t i = 0; i < count * width; i++) {
        const size_t place = i / width, end = (size_t)ends[place];
        double sum = 0;
        for (size_t row = place ? (size_t)ends[place - 1] : 0; row < end; row++)
            sum += rows[row * width + i % width];
        sums[i] = sum;
    }
}
