/* The pairs of agents by their distance. For the sums of rings, the distances of one agent to a block of others and the products with
 * them are computed first, in a loop that the compiler vectorises. Then each product is added to the sum of its ring. The pairs nearer than
 * a radius come from a grid of cells that are at least as wide: each place looks for those before it in its cell and the 8 around it. */
#include "boids/boids.h"

#include <math.h>
#include <stdlib.h>

enum {
    BLOCK = 256,
    COPIES = 4, /* copies of each ring, so that an addition does not wait for the one before it */
};

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
 * cells of others. */
struct axis {
    double scale, cells;
};

static struct axis axis_of(double size, double radius, double most)
{
    const double cells = isinf(size) ? most : fmax(1, fmin(floor(size / radius), most));
    return (struct axis){isinf(size) ? 1 / radius : cells / size, cells};
}

static size_t cell_at(struct axis axis, double coordinate)
{
    const double cell = floor(coordinate * axis.scale), own = cell - floor(cell / axis.cells) * axis.cells;
    return own > 0 && own < axis.cells ? (size_t)own : 0; /* also of NAN */
}

static size_t after(size_t cell, size_t cells)
{
    return cell + 1 < cells ? cell + 1 : 0;
}

struct place {
    double x, y;
    int64_t number;
};

/* Sort places by their cells; `ends`, at first all 0, receives the end of each cell. */
static void sort_places(const double (*places)[2], size_t count, struct axis x, struct axis y,
                        struct place *sorted, uint32_t *ends)
{
    const size_t columns = (size_t)x.cells, cells = columns * (size_t)y.cells;
    for (size_t i = 0; i < count; i++)
        ends[cell_at(y, places[i][1]) * columns + cell_at(x, places[i][0])]++;
    for (size_t cell = 0, sum = 0; cell < cells; cell++) {
        sum += ends[cell];
        ends[cell] = (uint32_t)sum - ends[cell];
    }
    for (size_t i = 0; i < count; i++)
        sorted[ends[cell_at(y, places[i][1]) * columns + cell_at(x, places[i][0])]++] =
            (struct place){places[i][0], places[i][1], (int64_t)i};
}

/* Find the places of a range that are nearer to one place than a radius; without a branch, which would be predicted wrongly.
 * Returns their number. */
static size_t find_near(const struct place *places, size_t count, struct place one, double square,
                        double width, double height, int64_t *near)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        const double dx = shortest(fabs(one.x - places[k].x), width),
                     dy = shortest(fabs(one.y - places[k].y), height);
        near[found] = places[k].number;
        found += dx * dx + dy * dy < square;
    }
    return found;
}

enum boids_status boids_near(const double (*places)[2], size_t count, double radius, double width,
                             double height, int64_t (*pairs)[2], size_t room, size_t *found)
{
    const double most = 3 + sqrt((double)count);
    const struct axis x = axis_of(width, radius, floor(most)), y = axis_of(height, radius, floor(most));
    const size_t columns = (size_t)x.cells, rows = (size_t)y.cells;
    struct place *sorted =
        calloc(1, count * (sizeof *sorted + sizeof(int64_t)) + columns * rows * sizeof(uint32_t));
    *found = 0;
    if (!sorted)
        return BOIDS_FAILED;
    int64_t *near = (int64_t *)(sorted + count);
    uint32_t *ends = (uint32_t *)(near + count);
    sort_places(places, count, x, y, sorted, ends);
    for (size_t i = 0; i < count; i++) { /* with the places before it, in its cell and the eight around */
        const size_t column = cell_at(x, sorted[i].x), row = cell_at(y, sorted[i].y);
        const size_t left = column ? column - 1 : columns - 1, low = row ? row - 1 : rows - 1;
        const size_t together = left + 2 < columns ? 3 : 1; /* cells of a row that follow each other */
        size_t near_count = 0;
        for (size_t r = 0, at_row = low; r < 3 && r < rows; r++, at_row = after(at_row, rows))
            for (size_t c = 0, at = left; c < 3 && c < columns; c += together, at = after(at, columns)) {
                const size_t cell = at_row * columns + at, begin = cell ? ends[cell - 1] : 0;
                const size_t end = ends[cell + together - 1] < i ? ends[cell + together - 1] : i;
                if (begin < end)
                    near_count += find_near(sorted + begin, end - begin, sorted[i], radius * radius, width,
                                            height, near + near_count);
            }
        for (size_t k = 0; k < near_count; k++)
            if ((*found)++ < room) {
                const int64_t one = sorted[i].number, other = near[k];
                pairs[*found - 1][0] = one < other ? one : other;
                pairs[*found - 1][1] = one < other ? other : one;
            }
    }
    free(sorted);
    return BOIDS_OK;
}
