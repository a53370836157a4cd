/* The boids of a flock that is updated in place, sorted by cell, then id. Empty slots between the cells let a boid move to another cell at
 * once:
 *
 *     slots    a a a . | b b . . | c c c c | d . . |      . is an empty slot: its x is NaN, which is not near any boid
 *     start    ^         ^         ^         ^
 *     end            ^         ^            ^    ^
 *
 * A boid that leaves a cell leaves an empty slot behind; a boid that enters a cell fills one. A full cell gets the
 * nearest empty slot of a later cell or, if there is none, of an earlier one: all boids between them move by one
 * slot. After many such moves, the empty slots are distributed again. Compiled once per number type.
 */
#pragma once

#include "base/arena.h"
#include "core/grid.h"
#include "engine/simd/simd_step.h"
#include "flock/flock.h"

#include <stdbool.h>
#include <stdint.h>

/** A cell of the table. */
struct cell_coordinates {
    uint32_t column, row;
};

struct gapped_cells {
    const struct flock_params *params;
    /** Numbers of boids, cells and slots. */
    uint32_t count, cell_count, slot_count;
    /** The boids by slot, with room for one SIMD vector after the last slot. */
    struct flock_agent *boids;
    uint32_t *ids;
    /** Copies of the positions in `boids`. */
    num *x, *y;
    /** First slot of each cell, and first slot after its last boid; start[cells] is `slot_count`. */
    uint32_t *start, *end;
    /** The slot of each boid, by id. */
    uint32_t *slot_of;
    struct cell_coordinates *coordinates;
    /** Number of boids that were moved to make room since the last distribution. */
    uint64_t shifted;
};

#define gapped_cells_make       FLOCK_TYPED(gapped_cells_make)
#define gapped_cells_sort       FLOCK_TYPED(gapped_cells_sort)
#define gapped_cells_distribute FLOCK_TYPED(gapped_cells_distribute)
#define gapped_cells_tidy       FLOCK_TYPED(gapped_cells_tidy)
#define gapped_cells_transfer   FLOCK_TYPED(gapped_cells_transfer)

/** Cells for `count` boids, in memory of the arena (which only counts the bytes if its base is NULL). All slots, and the room after them,
 * can be read. `has_gaps`: boids will move one by one. */
struct gapped_cells gapped_cells_make(const struct flock_params *params, uint32_t count, bool has_gaps,
                                      struct arena *arena);

/** Move all boids to their cells, without empty slots. `from` and `cell_of` are the boids and their cells by old slot
 * (cells->slot_of). */
void gapped_cells_sort(struct gapped_cells *cells, const struct flock_agent *from, const uint32_t *cell_of);

/** Distribute the empty slots evenly after a sort. */
void gapped_cells_distribute(struct gapped_cells *cells);

/** Distribute the empty slots again if many boids were moved to make room since the last distribution. */
void gapped_cells_tidy(struct gapped_cells *cells);

/** Replace the state of the boid in a slot; it stays in its cell. */
static inline void gapped_cells_store(struct gapped_cells *cells, uint32_t slot,
                                      const struct flock_agent *boid)
{
    cells->boids[slot] = *boid;
    cells->x[slot] = boid->position.x;
    cells->y[slot] = boid->position.y;
}

/** Give a boid its new state, in a slot of another cell. */
void gapped_cells_transfer(struct gapped_cells *cells, uint32_t id, struct cell_coordinates to,
                           const struct flock_agent *boid);

/** Give a boid its new state, in a slot of its new cell. */
static inline void gapped_cells_move(struct gapped_cells *cells, uint32_t id, const struct flock_agent *boid)
{
    const struct cell_coordinates from = cells->coordinates[id];
    const struct cell_coordinates to = {(uint32_t)flock_axis_cell(&cells->params->x, boid->position.x),
                                        (uint32_t)flock_axis_cell(&cells->params->y, boid->position.y)};
    if (from.column == to.column && from.row == to.row)
        gapped_cells_store(cells, cells->slot_of[id], boid);
    else
        gapped_cells_transfer(cells, id, to, boid);
}
