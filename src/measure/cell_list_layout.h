/* The parts of a cell list that both of its files use: cell_list.c sorts points into cells and finds nearest neighbours and
 * pairs, cell_list_groups.c finds groups. */
#pragma once

#include "neighbour_queries.h"
#include "simd_double2.h"

struct cluster {
    double2 x, y; /* coordinates along a row and across rows */
};

struct cell_list {
    struct distance_query query;
    size_t cell_capacity, cluster_capacity;
    bool is_torus;
    bool has_rows_along_y; /* rows are parallel to the y axis */
    /* Values for the two axes: along a row, and across rows. */
    double period[2], low[2], side[2], cells_per_unit[2];
    uint32_t cells[2], blocks[2];
    uint32_t block_side; /* side of a block in cells; 0 if points are linked one by one */
    size_t cluster_count;
    double effort; /* number of points that may still be compared */
    /* keys: the cell of each agent. ends: the end of the points of each cell. There is a 0 before the first row, and
     * each row ends with an empty cell. */
    uint32_t *keys, *ends;
    struct cluster *clusters;
    double2 *nearest;       /* squared distance to the nearest neighbour, by cluster */
    struct union_find sets; /* sets of blocks, or of points if there are no blocks */
};

/* The ends of the cells of a row; element -1 is the beginning of the first cell. */
static inline uint32_t *cell_list_row(const struct cell_list *list, uint32_t row)
{
    return list->ends + 1 + (size_t)row * (list->cells[0] + 1);
}

struct point_range {
    uint32_t begin, end;
};

/** Find the groups of the sorted points, block by block. */
struct groups cell_list_group_blocks(struct cell_list *list);
