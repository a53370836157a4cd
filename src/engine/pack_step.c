/* The steps of packs: all of a synchronous step, and the first and last of the `passes`. Compiled for each instruction set;
 * the rules are those of core/sight.h and core/turn.h. */
#include "pack_lane.h"

#include "border.h"
#include "grid.h"
#include "pack_gather.h"
#include "pack_look.h"

#define OFFSETS (enum sight_wanted)(SIGHT_SEPARATION | SIGHT_COHESION)

GATHER(gather_split, .wanted = SIGHT_ALL, .form = FLOCK_OFFSET, .rings = SIGHT_RINGS_SPLIT)
GATHER(gather_inner, .wanted = SIGHT_ALL, .form = FLOCK_OFFSET, .rings = SIGHT_RINGS_INNER)
GATHER(gather_same, .wanted = SIGHT_ALL, .form = FLOCK_OFFSET, .rings = SIGHT_RINGS_SAME)
GATHER(gather_any, .wanted = SIGHT_ALL, .form = FLOCK_OFFSET, .rings = SIGHT_RINGS_ANY)
GATHER(gather_unit, .wanted = SIGHT_ALL, .form = FLOCK_UNIT, .rings = SIGHT_RINGS_ANY)
GATHER(gather_inverse, .wanted = SIGHT_ALL, .form = FLOCK_INVERSE, .rings = SIGHT_RINGS_ANY)

GATHER(offsets, .wanted = OFFSETS, .form = FLOCK_OFFSET)
GATHER(offsets_unit, .wanted = OFFSETS, .form = FLOCK_UNIT)
GATHER(offsets_inverse, .wanted = OFFSETS, .form = FLOCK_INVERSE)

static gather_spans *choose_rings(const struct flock_params *params)
{
    switch (sight_rings_of(params)) {
    case SIGHT_RINGS_SPLIT: return gather_split;
    case SIGHT_RINGS_INNER: return gather_inner;
    case SIGHT_RINGS_SAME: return gather_same;
    case SIGHT_RINGS_ANY: break;
    }
    return gather_any;
}

static gather_spans *choose_gather(const struct flock_params *params)
{
    switch (params->separation_form) {
    case FLOCK_OFFSET: return choose_rings(params);
    case FLOCK_UNIT: return gather_unit;
    case FLOCK_INVERSE: break;
    }
    return gather_inverse;
}

static gather_spans *choose_offsets(const struct flock_params *params)
{
    switch (params->separation_form) {
    case FLOCK_OFFSET: return offsets;
    case FLOCK_UNIT: return offsets_unit;
    case FLOCK_INVERSE: break;
    }
    return offsets_inverse;
}

/* Out of the lanes. */

static lane_mask is_outside(const struct flock_axis *axis, lane a)
{
    return lane_or(lane_less(a, lane_all(0)), lane_less(lane_all(axis->length), a));
}

static void file_one(const struct flock_params *params, const struct flock_agent *boid, uint32_t *cell)
{
    *cell = flock_grid_cell(params, boid->position);
}

/* The cells of flock_grid_cell(), as long as nobody is off the table; else one by one. */
static void file(const struct turn_boid *me, const struct flock_params *params,
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

/* The lanes that have left the world are few: they cross its border one by one. */
static void cross_border(const struct turn_boid *me, const struct flock_params *params,
                         struct flock_agent *next, uint32_t *cell, uint32_t n)
{
    if (!flock_border_is_crossed(params->border))
        return;
    unsigned out =
        pack_bits(lane_or(is_outside(&params->x, me->position.x), is_outside(&params->y, me->position.y)));
    for (uint32_t k = 0; k < n && out != 0; k++, out >>= 1) {
        if (!(out & 1))
            continue;
        flock_cross_border(&next[k], params);
        file_one(params, &next[k], &cell[k]);
    }
}

static void store_records(const struct turn_boid *me, struct flock_agent *next, uint32_t n)
{
    const pack fields[4] = {me->position.x, me->position.y, me->velocity.x, me->velocity.y};
    if (n == PACK_LANES) {
        pack_store_records(&next->position.x, fields);
    } else {
        num part[4 * PACK_LANES];
        pack_store_records(part, fields);
        memcpy(next, part, n * sizeof *next);
    }
}

static enum flock_status store(const struct turn_boid *me, const struct flock_params *params,
                               struct flock_agent *next, uint32_t *cell, uint32_t n)
{
    const unsigned wanted = (1U << n) - 1;
    if ((pack_bits(turn_is_finite(me)) & wanted) != wanted)
        return FLOCK_E_RANGE;
    store_records(me, next, n);
    file(me, params, next, cell, n);
    cross_border(me, params, next, cell, n);
    return FLOCK_OK;
}

static void see(struct sight_view *view, const struct pack_page *page, const struct flock_params *params,
                const struct block *block, gather_spans *look, const struct turn_boid *me)
{
    struct spans spans;
    look_around(&spans, page, params, block, look != gather_split);
    if (params->widest == 0)
        spans.count = 0;
    look(view, params, me, page->boids, &spans);
}

static enum flock_status step_block(const struct pack_page *page, const struct flock_scene *scene,
                                    const struct pack_next *next, const struct block *block,
                                    gather_spans *look)
{
    const struct flock_params *params = scene->params;
    struct sight_view view;
    struct turn_boid me = load(page->boids + block->begin);
    const lane_vec before = me.velocity;
    see(&view, page, params, block, look, &me);
    me.velocity = turn_steer(params, &view, before);
    me.id = page->keys + block->begin;
    turn_finish(&me, before, scene);
    return store(&me, params, next->boids + block->begin, next->cell + block->begin,
                 block->end - block->begin);
}

static enum flock_status step_rows(const struct pack_page *page, const struct flock_scene *scene,
                                   const struct pack_next *next, uint32_t begin, uint32_t end)
{
    const struct flock_params *params = scene->params;
    gather_spans *const look = choose_gather(params);
    for (uint32_t row = begin; row < end; row++) {
        struct block block = before_row(page, params, row);
        while (next_block(&block, page, params))
            if (step_block(page, scene, next, &block, look) != FLOCK_OK)
                return FLOCK_E_RANGE;
    }
    return FLOCK_OK;
}

/* The first and the last of the `passes`. */

static void pass_block(const struct pack_page *page, const struct flock_params *params,
                       struct flock_agent *boids, const struct pack_cohesion *cohesion,
                       const struct block *block, gather_spans *look)
{
    struct sight_view view;
    struct turn_boid me = load(page->boids + block->begin);
    see(&view, page, params, block, look, &me);
    if (params->separation.is_on)
        me.velocity = lane_vec_add(me.velocity, turn_separation(params, &view.separation, me.velocity));
    store_records(&me, boids + block->begin, block->end - block->begin);
    /* What is written behind the block belongs to the next one, and is overwritten by it. */
    pack_store(cohesion->x + block->begin, view.cohesion.x);
    pack_store(cohesion->y + block->begin, view.cohesion.y);
    pack_store(cohesion->count + block->begin, view.cohesion.count);
}

static void first_pass(const struct pack_page *page, const struct flock_params *params,
                       struct flock_agent *boids, const struct pack_cohesion *cohesion)
{
    gather_spans *const look = choose_offsets(params);
    for (uint32_t row = 0; row < (uint32_t)params->y.table_cells; row++) {
        struct block block = before_row(page, params, row);
        while (next_block(&block, page, params))
            pass_block(page, params, boids, cohesion, &block, look);
    }
}

static enum flock_status last_pass(const struct pack_page *page, const struct flock_scene *scene,
                                   const struct pack_cohesion *cohesion, const struct flock_agent *before,
                                   const uint32_t *ids, const struct pack_next *next)
{
    const struct flock_params *params = scene->params;
    const uint32_t count = page->start[flock_grid_cells(params)];
    for (uint32_t slot = 0; slot < count; slot += PACK_LANES) {
        const uint32_t n = count - slot < PACK_LANES ? count - slot : PACK_LANES;
        struct turn_boid me = load(page->boids + slot);
        uint64_t keys[PACK_LANES];
        for (int k = 0; k < PACK_LANES; k++)
            keys[k] = ids[slot + (uint32_t)k];
        me.id = keys;
        if (params->cohesion.is_on) {
            const struct sight_sum sum = {pack_load(cohesion->x + slot), pack_load(cohesion->y + slot),
                                          pack_load(cohesion->count + slot)};
            me.velocity = lane_vec_add(me.velocity, turn_cohesion(params, &sum, me.velocity));
        }
        turn_finish(&me, load(before + slot).velocity, scene);
        if (store(&me, params, next->boids + slot, next->cell + slot, n) != FLOCK_OK)
            return FLOCK_E_RANGE;
    }
    return FLOCK_OK;
}

#if defined PACK_V4
#define pack_loops_here pack_loops_v4
#elif defined PACK_V3
#define pack_loops_here pack_loops_v3
#elif defined PACK_V2
#define pack_loops_here pack_loops_v2
#else
#define pack_loops_here pack_loops_plain
#endif

const struct pack_loops pack_loops_here = {
    step_rows, {look_for_alignment, look_for_all, look_for_shared}, first_pass, last_pass};
