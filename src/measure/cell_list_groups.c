/* Finds groups of linked points. Cells are combined into blocks, which are so small that all points of a block are linked.
 * Points of two blocks can be linked only if the blocks are at most two blocks apart. If the group radius is below the side
 * of a cell, points are linked one by one as they are compared (cell_list.c). If it is 0, no points are linked.
 */
#include "cell_list_layout.h"

#include <math.h>

struct block {
    uint32_t along, across;
};

static inline uint32_t block_number(const struct cell_list *list, struct block block)
{
    return block.across * list->blocks[0] + block.along;
}

/* The end of the cells of a block along an axis. The last block of a plane may have fewer cells. */
static inline uint32_t end_of_block(const struct cell_list *list, uint32_t block, int axis)
{
    const uint32_t end = (block + 1) * list->block_side;
    return end < list->cells[axis] ? end : list->cells[axis];
}

/* The points of a block that are in this row of cells; the range may contain unused elements. */
static inline struct point_range block_row(const struct cell_list *list, struct block block, uint32_t row)
{
    const uint32_t *ends = cell_list_row(list, row);
    return (struct point_range){ends[(int64_t)(block.along * list->block_side) - 1],
                                ends[end_of_block(list, block.along, 0) - 1]};
}

/* True if points are nearer to each other than the group radius. */
static inline bool is_pair_linked(const struct cell_list *list, uint32_t a, uint32_t b)
{
    const struct cluster *here = &list->clusters[a / 2], *there = &list->clusters[b / 2];
    const double x = fabs(here->x[a % 2] - there->x[b % 2]), y = fabs(here->y[a % 2] - there->y[b % 2]);
    const double dx = periodic_shorter(x, list->period[0] - x), dy = periodic_shorter(y, list->period[1] - y);
    return dx * dx + dy * dy < list->query.group_radius * list->query.group_radius;
}

/* True if two points of the two blocks are linked. The search begins with the last point of one block and the first
 * point of the other, because these are close to each other in the sorted order and so are likely to be linked. */
static bool are_linked(struct cell_list *list, struct block a, struct block b)
{
    const uint32_t first = a.across * list->block_side, last = end_of_block(list, b.across, 1) - 1;
    for (uint32_t row = end_of_block(list, a.across, 1); row-- > first && list->effort > 0;) {
        const struct point_range some = block_row(list, a, row);
        for (uint32_t other_row = b.across * list->block_side; other_row <= last; other_row++) {
            const struct point_range others = block_row(list, b, other_row);
            for (uint32_t i = some.end; i-- > some.begin;)
                for (uint32_t j = others.begin; j < others.end; j++)
                    if (is_pair_linked(list, i, j))
                        return true;
            list->effort -= 1 + (double)(some.end - some.begin) * (double)(others.end - others.begin);
        }
    }
    return false;
}

struct block_step {
    int along, across;
};

/* @return false if the block would be beyond the end of the plane. */
static inline bool block_after(const struct cell_list *list, struct block_step step, struct block *block)
{
    const int width = (int)list->blocks[0], height = (int)list->blocks[1];
    int along = (int)block->along + step.along, across = (int)block->across + step.across;
    if (list->is_torus) {
        along += along < 0 ? width : along >= width ? -width : 0;
        across += across < 0 ? height : across >= height ? -height : 0;
    }
    *block = (struct block){(uint32_t)along, (uint32_t)across};
    return block->along < list->blocks[0] && block->across < list->blocks[1];
}

/* Link each block in list->keys to the blocks at the given steps from it. Blocks in the group of block *skipped are skipped;
 * if `skipped` is NULL, no block is skipped. */
static inline void link_blocks(struct cell_list *list, uint32_t count, const struct block_step *steps,
                               size_t step_count, const uint32_t *skipped)
{
    const struct union_find *sets = &list->sets;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = list->keys[i];
        const struct block block = {number % list->blocks[0], number / list->blocks[0]};
        if (skipped && union_find_root(sets, number) == union_find_root(sets, *skipped))
            continue;
        for (size_t k = 0; k < step_count; k++) {
            struct block other = block;
            if (!block_after(list, steps[k], &other))
                continue;
            const uint32_t other_number = block_number(list, other);
            if (sets->size[other_number] > 0 && sets->parent[number] != sets->parent[other_number] &&
                union_find_root(sets, number) != union_find_root(sets, other_number) &&
                are_linked(list, other, block))
                union_find_unite(sets, number, other_number);
        }
    }
}

/* Count the points of each block. Link each block to its neighbours, the most likely ones first. Then link blocks
 * that are two steps apart and not yet linked. This search does not start from blocks of the largest group: a link
 * to one of the few other blocks is found by the search that starts from that block. */
struct groups cell_list_group_blocks(struct cell_list *list)
{
    static const struct block_step near[] = {{0, -1}, {-1, 0}, {-1, -1}, {1, -1}};
    struct block_step far[16];
    size_t far_count = 0;
    for (int k = 0; k < 25; k++)
        if (k % 5 % 4 == 0 || k / 5 % 4 == 0)
            far[far_count++] = (struct block_step){k % 5 - 2, k / 5 - 2};
    const uint32_t members = list->blocks[0] * list->blocks[1], last = list->blocks[0] - 1;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < members; i++) {
        list->sets.parent[i] = i;
        list->sets.size[i] = 0;
    }
    /* Do not count unused elements. On a torus, they are after the first cell and before the last cell of each row. */
    for (uint32_t row = 0; row < list->cells[1]; row++) {
        const uint32_t *ends = cell_list_row(list, row);
        uint32_t *sizes = list->sets.size + (size_t)(row / list->block_side) * list->blocks[0];
        uint32_t begin = ends[-1];
        for (uint32_t along = 0; along <= last; along++) {
            const uint32_t end = ends[end_of_block(list, along, 0) - 1];
            sizes[along] += end - begin;
            begin = end;
        }
        if (list->is_torus) {
            sizes[list->block_side == 1] -= ends[0] % 2;
            sizes[last] -= ends[list->cells[0] - 2] % 2;
        }
    }
    /* The keys of the points are no longer needed. The list of occupied blocks is made without branches. */
    uint32_t occupied = 0;
    for (uint32_t i = 0; i < members && occupied < list->query.count; i++) {
        list->keys[occupied] = i;
        occupied += list->sets.size[i] > 0;
    }
    link_blocks(list, occupied, near, sizeof near / sizeof *near, NULL);
    for (uint32_t i = 0; i < members; i++)
        largest = list->sets.size[i] > list->sets.size[largest] ? i : largest;
    link_blocks(list, occupied, far, far_count, &largest);
    return union_find_count(&list->sets, members);
}
