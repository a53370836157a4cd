/* Points are processed in blocks, two at a time. Distances are computed by the formulas of the cell list and the tree.
 */
#include "count_within.h"

#include "double2.h"
#include "periodic.h"

enum { BLOCK = 512 };

struct block {
    size_t count;
    double x[BLOCK], y[BLOCK];
    double2_mask is_near[BLOCK / 2];
};

/* Positions outside a torus are rare, so a whole block is checked first. */
static void fold(double *places, size_t count, double period)
{
    double2 least = double2_set1(0), most = double2_set1(-period); /* the latter with the other sign */
    for (size_t i = 0; i < count; i += 2) {
        least = double2_min(double2_load(places + i), least);
        most = double2_min(-double2_load(places + i), most);
    }
    if (least[0] == 0 && least[1] == 0 && most[0] == -period && most[1] == -period)
        return;
    for (size_t i = 0; i < count; i++)
        places[i] = periodic_wrap(places[i], period);
}

/* An unused element is at infinity. */
static void load_block(struct block *block, const struct agent *points, size_t count, const double period[2])
{
    block->count = count < BLOCK ? count : BLOCK;
    for (size_t i = 0; i < block->count; i++) {
        block->x[i] = points[i].x;
        block->y[i] = points[i].y;
    }
    if (block->count % 2 == 1)
        block->x[block->count] = block->y[block->count] = INFINITY;
    fold(block->x, block->count, period[0]);
    fold(block->y, block->count, period[1]);
    memset(block->is_near, 0, (block->count + 1) / 2 * sizeof *block->is_near);
}

static void look_around(struct block *block, const struct agent *other, const double period[2], double radius)
{
    const double2 x = double2_set1(periodic_wrap(other->x, period[0])),
                  y = double2_set1(periodic_wrap(other->y, period[1]));
    const double2 x_period = double2_set1(period[0]), y_period = double2_set1(period[1]);
    const double2 reach = double2_set1(radius * radius);
    for (size_t i = 0; i < block->count; i += 2) {
        const double2 dx = double2_abs(double2_load(block->x + i) - x),
                      dy = double2_abs(double2_load(block->y + i) - y);
        const double2 a = double2_min(x_period - dx, dx), b = double2_min(y_period - dy, dy);
        block->is_near[i / 2] |= a * a + b * b < reach;
    }
}

size_t count_within(const struct agent *points, size_t count, const struct agent *others, size_t other_count,
                    const double period[2], double radius)
{
    struct block block;
    double2_mask near = {0, 0};
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        load_block(&block, points + begin, count - begin, period);
        for (size_t k = 0; k < other_count; k++)
            look_around(&block, &others[k], period, radius);
        for (size_t i = 0; i < block.count; i += 2)
            near -= block.is_near[i / 2];
    }
    return (size_t)(near[0] + near[1]);
}
