/* Sums over cells. */
#include "candidate_count.h"

#include "grid.h"
#include "nearest.h"

#include <math.h>

double candidates_mean(const struct flock_params *params, uint32_t count,
                       uint32_t (*size_of)(const void *context, uint32_t cell), const void *context)
{
    const uint32_t cells = flock_grid_cells(params);
    double pairs = 0;
    if (!flock_needs_cells(params, RULES_ALL))
        return 0;
    for (uint32_t c = 0; c < cells; c++) {
        const uint32_t size = size_of(context, c);
        uint32_t around[9];
        uint64_t candidates = 0;
        const int n = size > 0 ? flock_grid_around(params, c, around) : 0;
        for (int k = 0; k < n; k++)
            candidates += size_of(context, around[k]);
        pairs += (double)size * (double)candidates;
    }
    return pairs / count - 1;
}

/* The probability that two boids are in the same column (or row) of the table or in adjacent ones. On a plane, the
 * first and the last column have only one neighbour, and the last column may be narrower. */
static double expected_along(const struct flock_axis *axis, double columns)
{
    const double whole = floor(columns), part = columns - whole;
    if (axis->table_cells <= 3)
        return 1;
    if (axis->is_torus || columns > axis->table_cells)
        return 3.0 / axis->table_cells;
    return (3 * whole - 2 + part * (part + 2)) / (columns * columns);
}

double candidates_expected(const struct flock_params *params, uint32_t count)
{
    const double side = num_to_double(params->widest);
    if (!flock_needs_cells(params, RULES_ALL))
        return 0;
    return (count - 1.0) * expected_along(&params->x, num_to_double(params->x.length) / side) *
           expected_along(&params->y, num_to_double(params->y.length) / side);
}
