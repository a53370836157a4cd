/* This file chooses the size of the cells and sorts boids into them; grid.h has a drawing. */
#include "grid.h"

#include "lane_ops_scalar.h"
#include "neighbour_selection.h"

/* The maximum number of cells along one axis of the table. */
enum { MAX_CELLS = 1 << 15 };

static void plan_axis(struct flock_axis *axis, num side)
{
    axis->cells = num_quotient(axis->length, side, MAX_CELLS);
    if (axis->cells < 1)
        axis->cells = 1;
    /* The last cell of a plane is a partial one. */
    axis->table_cells = axis->cells + (axis->is_torus ? 0 : 1);
    if (!axis->is_torus && axis->table_cells < 3)
        axis->table_cells = 3;
}

static void halve_table(struct flock_axis *axis)
{
    axis->table_cells = (axis->table_cells + 1) / 2;
    if (axis->table_cells < 3)
        axis->table_cells = 3;
}

static void set_cells_per_length(struct flock_axis *axis, num side)
{
    if (!axis->is_torus) {
        axis->ratio = num_ratio_make(1, side);
        return;
    }
    axis->cells -= axis->cells % axis->table_cells;
    axis->ratio = num_ratio_make(axis->cells, axis->length);
}

/* The width of the cells. If no rule compares all boids in the cells around a boid, any width is correct; then a cell
 * has one to four boids, for searches of the nearest neighbours (nearest.c). */
static num planned_side(const struct flock_params *params, uint32_t count)
{
    const num width = params->x.length, height = params->y.length;
    num side = num_less(width, height) ? height : width;
    if (flock_needs_cells(params, RULES_ALL))
        return num_widen(params->widest);
    while (flock_rules_on(params, RULES_ALL, true) && !num_is_zero(num_half(side)) &&
           4 * (uint64_t)num_quotient(width, side, MAX_CELLS) *
                   (uint64_t)num_quotient(height, side, MAX_CELLS) <
               count)
        side = num_half(side);
    return side;
}

void flock_plan_grid(struct flock_params *params, uint32_t count)
{
    struct flock_axis *x = &params->x;
    struct flock_axis *y = &params->y;
    const num side = planned_side(params, count);
    plan_axis(x, side);
    plan_axis(y, side);

    uint64_t limit = 2 * (uint64_t)count + 16;
    while ((uint64_t)x->table_cells * (uint64_t)y->table_cells > limit &&
           (x->table_cells > 3 || y->table_cells > 3))
        halve_table(x->table_cells > y->table_cells ? x : y);
    set_cells_per_length(x, side);
    set_cells_per_length(y, side);
}

/* A counting sort. start[c + 1] is first the number of boids in cell c. After the summation, it is the first slot of c;
 * at last, it is the end of c, which is the first slot of c + 1. Boids are added in order of id, so each cell has them
 * in this order. */
void flock_sort(struct flock *flock, const struct flock_params *params)
{
    struct flock_grid *grid = &flock->grid;
    uint32_t *start = grid->start;
    const uint32_t cells = flock_grid_cells(params);
    for (uint32_t c = 0; c <= cells; c++)
        start[c] = 0;
    for (uint32_t i = 0; i < flock->count; i++)
        start[flock_grid_cell(params, flock->boids[i].position) + 1]++;

    uint32_t slot = 0;
    for (uint32_t c = 1; c <= cells; c++) {
        uint32_t size = start[c];
        start[c] = slot;
        slot += size;
    }
    for (uint32_t i = 0; i < flock->count; i++) {
        uint32_t s = start[flock_grid_cell(params, flock->boids[i].position) + 1]++;
        grid->slots[s] = flock->boids[i];
        grid->boid_of[s] = i;
        if (grid->slot_of)
            grid->slot_of[i] = s;
    }
}

/* Boids are added in descending order of id, each at the head of its list, so that each list ascends. */
void flock_grid_link(struct flock *flock, const struct flock_params *params)
{
    struct flock_grid *grid = &flock->grid;
    const uint32_t cells = flock_grid_cells(params);
    for (uint32_t c = 0; c < cells; c++)
        grid->start[c] = FLOCK_NONE;
    for (uint32_t i = flock->count; i-- > 0;) {
        uint32_t *head = &grid->start[flock_grid_cell(params, flock->boids[i].position)];
        grid->next[i] = *head;
        *head = i;
    }
}

/* In the list of `cell`, the link to the first boid with an id of at least `boid`. */
static uint32_t *find_link(struct flock_grid *grid, uint32_t cell, uint32_t boid)
{
    uint32_t *link = &grid->start[cell];
    while (*link != FLOCK_NONE && *link < boid)
        link = &grid->next[*link];
    return link;
}

void flock_grid_move(struct flock_grid *grid, uint32_t boid, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    *find_link(grid, from, boid) = grid->next[boid];
    uint32_t *link = find_link(grid, to, boid);
    grid->next[boid] = *link;
    *link = boid;
}
