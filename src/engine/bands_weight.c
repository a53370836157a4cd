/* Cells are folded, so that every row is a ring. */
#include "bands_weight.h"

/* Boids of a row in a column and the two beside it; of three columns or fewer, in all. */
static uint32_t count_around(const uint32_t *start, uint32_t columns, uint32_t column)
{
    if (columns <= 3)
        return start[columns] - start[0];
    if (column == 0)
        return start[2] - start[0] + start[columns] - start[columns - 1];
    if (column == columns - 1)
        return start[columns] - start[columns - 2] + start[1] - start[0];
    return start[column + 2] - start[column - 1];
}

uint64_t bands_weight_of_row(const struct page *page, uint32_t row)
{
    const uint32_t columns = (uint32_t)page->params.x.table_cells;
    const uint32_t *own = page->start + (size_t)row * columns;
    uint64_t sum = (uint64_t)BANDS_CELL_WEIGHT * columns;
    for (uint32_t c = 0; c < columns; c++) {
        const uint64_t boids = own[c + 1] - own[c];
        if (boids > 0)
            sum += boids * ((uint64_t)BANDS_BOID_WEIGHT + count_around(own - columns, columns, c) +
                            count_around(own, columns, c) + count_around(own + columns, columns, c));
    }
    return sum;
}
