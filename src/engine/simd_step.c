/* The steps of SIMD vectors. Compiled for each number and instruction set; the rules are those of core/sight.h and core/turn.h. */
#include "simd_ops.h"

#include "border.h"
#include "grid.h"
#include "simd_neighbours.h"

GATHER(gather_split, .wanted = SIGHT_ALL, .form = FLOCK_OFFSET, .rings = SIGHT_RINGS_SPLIT)
GATHER(gather_inner, .wanted = SIGHT_ALL, .form = FLOCK_OFFSET, .rings = SIGHT_RINGS_INNER)
GATHER(gather_same, .wanted = SIGHT_ALL, .form = FLOCK_OFFSET, .rings = SIGHT_RINGS_SAME)
GATHER(gather_any, .wanted = SIGHT_ALL, .form = FLOCK_OFFSET, .rings = SIGHT_RINGS_ANY)
GATHER(gather_unit, .wanted = SIGHT_ALL, .form = FLOCK_UNIT, .rings = SIGHT_RINGS_ANY)
GATHER(gather_inverse, .wanted = SIGHT_ALL, .form = FLOCK_INVERSE, .rings = SIGHT_RINGS_ANY)
GATHER(gather_ring, .wanted = SIGHT_ALIGNMENT, .rings = SIGHT_RINGS_ANY)
GATHER(gather_disc, .wanted = SIGHT_ALIGNMENT, .rings = SIGHT_RINGS_SAME)

/* What asks for more than rings is told candidate by candidate. */
static void gather_more(struct sight_view *view, const struct flock_params *params,
                        const struct turn_boid *me, const struct flock_agent *boids,
                        const struct spans *spans)
{
    const struct sight_gaze gaze = sight_gaze_of(params, me->velocity);
    const struct sight sight = {.wanted = SIGHT_ALL,
                                .form = params->separation_form,
                                .cohesion_form = params->cohesion_form,
                                .gaze = &gaze,
                                .counts_seen = true,
                                .is_relative = params->aligns_differences};
    gather(view, params, &sight, me, boids, spans, true);
}

static gather_spans *choose_rings(const struct flock_params *params)
{
    switch (sight_rings_of(params)) {
    case SIGHT_RINGS_SPLIT: return gather_split;
    case SIGHT_RINGS_INNER: return gather_inner;
    case SIGHT_RINGS_SAME: return gather_same;
    case SIGHT_RINGS_ANY:
    case SIGHT_RINGS_MORE: break;
    }
    return gather_any;
}

static gather_spans *choose_gather(const struct flock_params *params)
{
    if (sight_rings_of(params) == SIGHT_RINGS_MORE || params->aligns_differences)
        return gather_more;
    if (params->alignment.is_on && !params->separation.is_on && !params->cohesion.is_on)
        return num_square_is_zero(params->alignment.inner_squared) ? gather_disc : gather_ring;
    switch (params->separation_form) {
    case FLOCK_OFFSET: return choose_rings(params);
    case FLOCK_UNIT: return gather_unit;
    case FLOCK_INVERSE:
    case FLOCK_QUARTIC: break; /* asks for more */
    }
    return gather_inverse;
}

/* Out of the lanes. */

static lane_mask is_outside(const struct flock_axis *axis, lane a)
{
    return lane_or(lane_less(a, lane_set1(num_zero())), lane_less(lane_set1(axis->length), a));
}

static unsigned find_outside(const struct turn_boid *me, const struct flock_params *params)
{
    return simd_mask_bits(
        lane_or(is_outside(&params->x, me->position.x), is_outside(&params->y, me->position.y)));
}

static void cell_index_one(const struct flock_params *params, const struct flock_agent *boid, uint32_t *cell)
{
    *cell = flock_grid_cell(params, boid->position);
}

/* The cells of flock_grid_cell(), as long as nobody is off the table; else one by one. */
LANE_OP void cell_index(const struct turn_boid *me, const struct flock_params *params,
                        const struct flock_agent *next, uint32_t *cell, uint32_t n)
{
    const double columns = params->x.table_cells, rows = params->y.table_cells;
    int strays = 0;
    uint32_t cells[SIMD_LANES];
    for (int k = 0; k < SIMD_LANES; k++) {
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
        cell_index_one(params, &next[k], &cell[k]);
}

/* The lanes that have left the world, or flown into an obstacle, are few: they are put right one by one. */
LANE_OP void put_right(const struct turn_boid *me, const struct flock_params *params,
                       struct flock_agent *next, uint32_t *cell, uint32_t n, bool is_plain)
{
    unsigned wrong = flock_border_moves(params->border) ? find_outside(me, params) : 0;
    if (!is_plain && params->circle_count > 0)
        wrong |= simd_mask_bits(turn_is_inside(params, me->position));
    for (uint32_t k = 0; k < n && wrong != 0; k++, wrong >>= 1) {
        if (!(wrong & 1))
            continue;
        flock_keep_in_world(&next[k], params);
        cell_index_one(params, &next[k], &cell[k]);
    }
}

LANE_OP void store_records(const struct turn_boid *me, struct flock_agent *next, uint32_t n)
{
    const simd_vec fields[4] = {me->position.x, me->position.y, me->velocity.x, me->velocity.y};
    if (n == SIMD_LANES) {
        simd_store_interleaved(&next->position.x, fields);
    } else {
        num part[4 * SIMD_LANES];
        simd_store_interleaved(part, fields);
        memcpy(next, part, n * sizeof *next);
    }
}

LANE_OP enum flock_status store(const struct turn_boid *me, const struct flock_params *params,
                                struct flock_agent *next, uint32_t *cell, uint32_t n, bool is_plain)
{
    const unsigned wanted = (1U << n) - 1;
    store_records(me, next, n);
    if ((simd_mask_bits(turn_is_finite(me)) & wanted) != wanted)
        return FLOCK_E_RANGE;
    cell_index(me, params, next, cell, n);
    put_right(me, params, next, cell, n, is_plain);
    return FLOCK_OK;
}

LANE_OP enum flock_status take_turn(struct turn_boid *me, const struct flock_scene *scene,
                                    const struct sight_view *view, const struct simd_output *next,
                                    const struct block *block, bool is_plain)
{
    turn_take(me, scene, view, is_plain);
    return store(me, scene->params, next->boids + block->begin, next->cell + block->begin,
                 block->end - block->begin, is_plain);
}

TURN_APART enum flock_status take_any_turn(struct turn_boid *me, const struct flock_scene *scene,
                                           const struct sight_view *view, const struct simd_output *next,
                                           const struct block *block)
{
    return take_turn(me, scene, view, next, block, false);
}

static enum flock_status step_block(const struct simd_flock *page, const struct flock_scene *scene,
                                    const struct simd_output *next, const struct block *block,
                                    gather_spans *look)
{
    const struct flock_params *params = scene->params;
    struct spans spans;
    struct sight_view view;
    look_around(&spans, page, params, block, look != gather_split);
    struct turn_boid me = load(page->boids + block->begin);
    me.id = page->keys + block->begin;
    look(&view, params, &me, page->boids, &spans);
    return params->is_plain ? take_turn(&me, scene, &view, next, block, true)
                            : take_any_turn(&me, scene, &view, next, block);
}

static enum flock_status step_rows(const struct simd_flock *page, const struct flock_scene *scene,
                                   const struct simd_output *next, struct watch_count *count, uint32_t begin,
                                   uint32_t end)
{
    const struct flock_params *params = scene->params;
    gather_spans *const look = choose_gather(params);
    enum flock_status status = FLOCK_OK;
    for (uint32_t row = begin; row < end; row++) {
        struct block block = before_row(page, params, row);
        while (next_block(&block, page, params)) {
            if (step_block(page, scene, next, &block, look) != FLOCK_OK)
                status = FLOCK_E_RANGE;
            if (!watch_goes_on(count, block.end - block.begin))
                return FLOCK_E_DROPPED;
        }
    }
    return status;
}

#if defined SIMD_X86_V4
#define simd_kernels_here simd_kernels_v4
#elif defined SIMD_X86_V3
#define simd_kernels_here simd_kernels_v3
#elif defined SIMD_X86_V2
#define simd_kernels_here simd_kernels_v2
#else
#define simd_kernels_here simd_kernels_plain
#endif

#include "simd_passes.h"
#include "simd_scan.h"
const struct simd_kernels simd_kernels_here = {
    step_rows, {look_for_alignment, look_for_all, look_for_shared}, first_pass, last_pass};
