/* Sorts boids into cells with empty slots between them, and moves single boids to other cells. */
#include "gapped_cells.h"

#include <math.h>
#include <string.h>

/* Every fifth slot is empty after a distribution. */
enum { EMPTY_SHARE = 4 };

/* Memory for SIMD vectors that begin at any slot, filled with zeros. */
static void *alloc_readable(struct arena *arena, uint32_t slots, size_t size)
{
    const size_t count = (size_t)slots + SIMD_LANES_MAX;
    void *memory = arena_alloc(arena, count, size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

struct gapped_cells gapped_cells_make(const struct flock_params *params, uint32_t count, bool has_gaps,
                                      struct arena *arena)
{
    const uint32_t cells = flock_grid_cells(params);
    const uint32_t slots = has_gaps ? count + count / EMPTY_SHARE + SIMD_LANES_MAX : count;
    return (struct gapped_cells){
        .params = params,
        .count = count,
        .cell_count = cells,
        .slot_count = slots,
        .boids = alloc_readable(arena, slots, sizeof(struct flock_agent)),
        .ids = alloc_readable(arena, slots, sizeof(uint32_t)),
        .x = alloc_readable(arena, slots, sizeof(num)),
        .y = alloc_readable(arena, slots, sizeof(num)),
        .start = arena_alloc(arena, (size_t)cells + 1, sizeof(uint32_t)),
        .end = arena_alloc(arena, cells, sizeof(uint32_t)),
        .slot_of = arena_alloc(arena, count, sizeof(uint32_t)),
        .coordinates = arena_alloc(arena, count, sizeof(struct cell_coordinates)),
    };
}

static void store_boid(struct gapped_cells *cells, uint32_t slot, const struct flock_agent *boid, uint32_t id)
{
    gapped_cells_store(cells, slot, boid);
    cells->ids[slot] = id;
    cells->slot_of[id] = slot;
}

static void clear_slot(struct gapped_cells *cells, uint32_t slot)
{
    cells->boids[slot].position = (struct flock_vec){NAN, NAN};
    cells->x[slot] = NAN;
}

static void copy_slot(struct gapped_cells *cells, uint32_t to, uint32_t from)
{
    store_boid(cells, to, &cells->boids[from], cells->ids[from]);
}

/* A counting sort. */
void gapped_cells_sort(struct gapped_cells *cells, const struct flock_agent *from, const uint32_t *cell_of)
{
    const uint32_t columns = (uint32_t)cells->params->x.table_cells;
    memset(cells->end, 0, cells->cell_count * sizeof *cells->end);
    for (uint32_t s = 0; s < cells->count; s++)
        cells->end[cell_of[s]]++;
    uint32_t slot = 0;
    for (uint32_t c = 0; c < cells->cell_count; c++) {
        const uint32_t size = cells->end[c];
        cells->start[c] = cells->end[c] = slot;
        slot += size;
    }
    cells->start[cells->cell_count] = cells->slot_count;
    for (uint32_t i = 0; i < cells->count; i++) {
        const uint32_t old = cells->slot_of[i], cell = cell_of[old];
        cells->coordinates[i] = (struct cell_coordinates){cell % columns, cell / columns};
        store_boid(cells, cells->end[cell]++, &from[old], i);
    }
}

/* The boids occupy the slots from 0 on. */
void gapped_cells_distribute(struct gapped_cells *cells)
{
    const uint64_t room = cells->slot_count - cells->count;
    for (uint32_t c = cells->cell_count; c-- > 0;) {
        const uint32_t begin = cells->start[c];
        const uint32_t move = (uint32_t)(room * c / cells->cell_count);
        const uint32_t end = cells->end[c];
        for (uint32_t s = end; s-- > begin;)
            copy_slot(cells, s + move, s);
        cells->start[c] = begin + move;
        cells->end[c] = end + move;
        for (uint32_t s = end + move; s < cells->start[c + 1]; s++)
            clear_slot(cells, s);
    }
    cells->shifted = 0;
}

static void remove_empty_slots(struct gapped_cells *cells)
{
    uint32_t to = 0;
    for (uint32_t c = 0; c < cells->cell_count; c++) {
        const uint32_t begin = to;
        for (uint32_t s = cells->start[c]; s < cells->end[c]; s++)
            copy_slot(cells, to++, s);
        cells->start[c] = begin;
        cells->end[c] = to;
    }
}

void gapped_cells_tidy(struct gapped_cells *cells)
{
    if (cells->shifted <= cells->count)
        return;
    remove_empty_slots(cells);
    gapped_cells_distribute(cells);
}

static uint32_t cell_at(const struct gapped_cells *cells, struct cell_coordinates coordinates)
{
    return coordinates.column + coordinates.row * (uint32_t)cells->params->x.table_cells;
}

/* Move the boids in slots [begin, end) by one slot, up or down. */
static void shift_right(struct gapped_cells *cells, uint32_t begin, uint32_t end)
{
    for (uint32_t s = end; s-- > begin;)
        copy_slot(cells, s + 1, s);
    cells->shifted += end - begin;
}

static void shift_left(struct gapped_cells *cells, uint32_t begin, uint32_t end)
{
    for (uint32_t s = begin; s < end; s++)
        copy_slot(cells, s - 1, s);
    cells->shifted += end - begin;
}

/* Make an empty slot at the end of a full cell by taking one from a later cell. */
static bool take_slot_of_later_cell(struct gapped_cells *cells, uint32_t cell)
{
    uint32_t donor = cell + 1;
    while (donor < cells->cell_count && cells->end[donor] == cells->start[donor + 1])
        donor++;
    if (donor >= cells->cell_count)
        return false;
    shift_right(cells, cells->start[cell + 1], cells->end[donor]);
    for (uint32_t c = cell + 1; c <= donor; c++) {
        cells->start[c]++;
        cells->end[c]++;
    }
    return true;
}

static void take_slot_of_earlier_cell(struct gapped_cells *cells, uint32_t cell)
{
    uint32_t donor = cell - 1;
    while (cells->end[donor] == cells->start[donor + 1])
        donor--;
    shift_left(cells, cells->start[donor + 1], cells->end[cell]);
    for (uint32_t c = donor + 1; c <= cell; c++) {
        cells->start[c]--;
        cells->end[c]--;
    }
}

static void remove_from_cell(struct gapped_cells *cells, uint32_t cell, uint32_t slot)
{
    const uint32_t last = --cells->end[cell];
    for (uint32_t s = slot; s < last; s++)
        copy_slot(cells, s, s + 1);
    clear_slot(cells, last);
}

static void insert_into_cell(struct gapped_cells *cells, uint32_t cell, const struct flock_agent *boid,
                             uint32_t id)
{
    if (cells->end[cell] == cells->start[cell + 1] && !take_slot_of_later_cell(cells, cell))
        take_slot_of_earlier_cell(cells, cell);
    uint32_t slot = cells->end[cell]++;
    for (; slot > cells->start[cell] && cells->ids[slot - 1] > id; slot--)
        copy_slot(cells, slot, slot - 1);
    store_boid(cells, slot, boid, id);
}

void gapped_cells_transfer(struct gapped_cells *cells, uint32_t id, struct cell_coordinates to,
                           const struct flock_agent *boid)
{
    remove_from_cell(cells, cell_at(cells, cells->coordinates[id]), cells->slot_of[id]);
    insert_into_cell(cells, cell_at(cells, to), boid, id);
    cells->coordinates[id] = to;
}
