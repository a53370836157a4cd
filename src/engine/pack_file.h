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
