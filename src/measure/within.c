/* Points are taken a block at a time, and two of them are compared with another at once. Distances are those of the grid
 * and the tree, by the same formulas. */
#include "within.h"

#include "around.h"
#include "pair.h"

enum { BLOCK = 512 };

struct block {
    size_t count;
    double x[BLOCK], y[BLOCK];
    pair_bits is_near[BLOCK / 2];
};

/* Few leave a torus, and then each of a block is asked. */
static void fold(double *places, size_t count, double period)
{
    pair least = pair_of(0), most = pair_of(-period); /* the latter with the other sign */
    for (size_t i = 0; i < count; i += 2) {
        least = pair_smaller(pair_at(places + i), least);
        most = pair_smaller(-pair_at(places + i), most);
    }
    if (least[0] == 0 && least[1] == 0 && most[0] == -period && most[1] == -period)
        return;
    for (size_t i = 0; i < count; i++)
        places[i] = around_within(places[i], period);
}

/* A place that is left over lies infinitely far. */
static void take_block(struct block *block, const struct agent *points, size_t count, const double period[2])
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
    const pair x = pair_of(around_within(other->x, period[0])),
               y = pair_of(around_within(other->y, period[1]));
    const pair x_period = pair_of(period[0]), y_period = pair_of(period[1]);
    const pair reach = pair_of(radius * radius);
    for (size_t i = 0; i < block->count; i += 2) {
        const pair dx = pair_size(pair_at(block->x + i) - x), dy = pair_size(pair_at(block->y + i) - y);
        const pair a = pair_smaller(x_period - dx, dx), b = pair_smaller(y_period - dy, dy);
        block->is_near[i / 2] |= a * a + b * b < reach;
    }
}

size_t within_count(const struct agent *points, size_t count, const struct agent *others, size_t other_count,
                    const double period[2], double radius)
{
    struct block block;
    pair_bits near = {0, 0};
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        take_block(&block, points + begin, count - begin, period);
        for (size_t k = 0; k < other_count; k++)
            look_around(&block, &others[k], period, radius);
        for (size_t i = 0; i < block.count; i += 2)
            near -= block.is_near[i / 2];
    }
    return (size_t)(near[0] + near[1]);
}
