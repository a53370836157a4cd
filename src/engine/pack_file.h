/* The cells of a pack that has moved. */
#ifndef PACK_FILE_H
#define PACK_FILE_H

#include "grid.h"
#include "turn.h"

#include <string.h>

static void file_one(const struct flock_params *params, const struct flock_agent *boid, uint32_t *cell)
{
    *cell = flock_grid_cell(params, boid->position);
}

#if defined FLOCK_FIXED_CORE

/* The cells along one axis. */
struct column_half {
    pack_half cells;
    pack_wide is_doubtful; /* off the table, or so near a border that a double cannot tell */
};

LANE_WORD struct column_half find_half(const struct flock_axis *axis, pack_half a)
{
    const double ratio = (double)axis->ratio.multiplier / (double)(UINT64_C(1) << axis->ratio.point);
    const pack_doubles exact = pack_double(a) * ratio;
    const pack_half cells = pack_whole(exact);
    const pack_doubles part = exact - pack_double(cells);
    return (struct column_half){cells, (pack_wide)(exact < 0) | (pack_wide)(exact >= axis->table_cells) |
                                           (pack_wide)(part < 0x1p-30) | (pack_wide)(part > 1 - 0x1p-30)};
}

/* The cells of flock_grid_cell(), as long as nobody is in doubt; else one by one. */
LANE_WORD void file(const struct turn_boid *me, const struct flock_params *params,
                    const struct flock_agent *next, uint32_t *cell, uint32_t n)
{
    const struct column_half column_low = find_half(&params->x, pack_low(me->position.x));
    const struct column_half column_high = find_half(&params->x, pack_high(me->position.x));
    const struct column_half row_low = find_half(&params->y, pack_low(me->position.y));
    const struct column_half row_high = find_half(&params->y, pack_high(me->position.y));
    const pack columns = lane_all(num_raw(params->x.table_cells));
    const pack cells =
        pack_join(column_low.cells, column_high.cells) + pack_join(row_low.cells, row_high.cells) * columns;
    memcpy(cell, &cells, n * sizeof *cell);
    const bool is_doubtful = pack_wide_any(column_low.is_doubtful | column_high.is_doubtful |
                                           row_low.is_doubtful | row_high.is_doubtful);
    for (uint32_t k = 0; is_doubtful && k < n; k++)
        file_one(params, &next[k], &cell[k]);
}

#else

/* The cells of flock_grid_cell(), as long as nobody is off the table; else one by one. */
LANE_WORD void file(const struct turn_boid *me, const struct flock_params *params,
                    const struct flock_agent *next, uint32_t *cell, uint32_t n)
{
    const double columns = params->x.table_cells, rows = params->y.table_cells;
    int strays = 0;
    uint32_t cells[PACK_LANES];
    for (int k = 0; k < PACK_LANES; k++) {
        double column = (double)me->position.x[k] * params->x.ratio;
        double row = (double)me->position.y[k] * params->y.ratio;
        strays |= !(column >= 0) | !(column < columns) | !(row >= 0) | !(row < rows);
        column = column >= 0 ? column : 0;
        column = column < columns ? column : 0;
        row = row >= 0 ? row : 0;
        row = row < rows ? row : 0;
        cells[k] = (uint32_t)((int32_t)column + (int32_t)row * params->x.table_cells);
    }
    memcpy(cell, cells, n * sizeof *cell);
    for (uint32_t k = 0; strays && k < n; k++)
        file_one(params, &next[k], &cell[k]);
}

#endif

#endif
