/* Cell lists: a boid is compared only with the boids in its own cell and the eight adjacent ones.
 *
 * The side of a cell is slightly longer than the widest radius. The cells of the unlimited plane share a table of
 * limited size: cell (c, r) is stored in column c mod columns, row r mod rows.
 *
 *          ... 2 | 0 1 2 | 0 1 2 | 0 ...       columns = 3
 *
 * Adjacent cells of the plane are adjacent in the table. Distant boids may share a cell; when they are compared,
 * their distance is too large for them to be neighbours. So boids may be far outside of the world, and even a tiny
 * radius in a huge world needs at most two cells per boid. A table has at least three columns and rows, so that the
 * left and the right neighbour of a cell differ.
 *
 * On a torus, the size of the world is a multiple of the size of a cell, and of the size of the table. If the world has
 * only one or two cells along an axis, the table has as many, and each cell is visited once.
 *
 * The update orders use two forms:
 *
 *     sorted   the boids by cell, then id, from a counting sort; candidates are contiguous in memory. Used by the
 *              orders in which no boid moves before all sums are complete: synchronous and passes.
 *     linked   a linked list of boids per cell, by id; a boid that moves changes its list at once. Used by
 *              sequential and shuffled.
 */
#pragma once

#include "num.h"

#include "flock/flock.h"

#define flock_grid_link FLOCK_TYPED(flock_grid_link)
#define flock_grid_move FLOCK_TYPED(flock_grid_move)

/** Not a boid: it marks the end of a linked list. */
#define FLOCK_NONE UINT32_MAX

/** The number of cells in the table. */
static inline uint32_t flock_grid_cells(const struct flock_params *params)
{
    return (uint32_t)params->x.table_cells * (uint32_t)params->y.table_cells;
}

/** The column of an x coordinate, or the row of a y coordinate. */
static inline int32_t flock_axis_cell(const struct flock_axis *axis, num a)
{
    if (axis->is_torus && (num_less(a, num_zero()) || num_less(axis->length, a))) {
        bool is_odd;
        a = num_modulo(a, axis->length, &is_odd);
    }
    int32_t cell = num_ratio_floor(a, axis->ratio);
    /* The right or lower edge of the world belongs to the last cell. */
    if (axis->is_torus && cell >= axis->cells)
        cell = axis->cells - 1;
    if (cell >= 0 && cell < axis->table_cells)
        return cell;
    cell %= axis->table_cells;
    return cell < 0 ? cell + axis->table_cells : cell;
}

/** The index of the cell of any finite position: column + row * columns. */
static inline uint32_t flock_grid_cell(const struct flock_params *params, struct flock_vec position)
{
    return (uint32_t)flock_axis_cell(&params->x, position.x) +
           (uint32_t)flock_axis_cell(&params->y, position.y) * (uint32_t)params->x.table_cells;
}

/** List a cell of the table and its adjacent cells, each once, row by row from the top and from left to right.
 *
 * @return their number: nine, or fewer on a torus of one or two cells.
 */
static inline int flock_grid_around(const struct flock_params *params, uint32_t cell, uint32_t around[9])
{
    const uint32_t columns = (uint32_t)params->x.table_cells;
    const uint32_t rows = (uint32_t)params->y.table_cells;
    const uint32_t column = cell % columns;
    const uint32_t row = cell / columns;
    const uint32_t wide = columns < 3 ? columns : 3;
    const uint32_t high = rows < 3 ? rows : 3;
    int n = 0;
    for (uint32_t r = 0; r < high; r++)
        for (uint32_t c = 0; c < wide; c++)
            around[n++] = (row + rows - 1 + r) % rows * columns + (column + columns - 1 + c) % columns;
    return n;
}

/** Put each boid into the list of its cell. */
void flock_grid_link(struct flock *flock, const struct flock_params *params);

/** Move a boid from the list of cell `from` to that of cell `to`. */
void flock_grid_move(struct flock_grid *grid, uint32_t boid, uint32_t from, uint32_t to);
