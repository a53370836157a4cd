/* The synchronous step, computed with SIMD vectors. Compiled for each number type and instruction set; the rules are those of
 * core/perception.h and core/agent_update.h. */
#include "simd_ops.h"

#include "border.h"
#include "grid.h"
#include "simd_nearest.h"
#include "simd_neighbours.h"

GATHER(gather_split, .wanted = RULES_ALL, .form = FLOCK_OFFSET, .zones = ZONES_ADJACENT)
GATHER(gather_inner, .wanted = RULES_ALL, .form = FLOCK_OFFSET, .zones = ZONES_SAME_RADII)
GATHER(gather_same, .wanted = RULES_ALL, .form = FLOCK_OFFSET, .zones = ZONES_SAME_DISC)
GATHER(gather_any, .wanted = RULES_ALL, .form = FLOCK_OFFSET, .zones = ZONES_ANY)
GATHER(gather_unit, .wanted = RULES_ALL, .form = FLOCK_UNIT, .zones = ZONES_ANY)
GATHER(gather_inverse, .wanted = RULES_ALL, .form = FLOCK_INVERSE, .zones = ZONES_ANY)
GATHER(gather_quartic, .wanted = RULES_ALL, .form = FLOCK_QUARTIC, .zones = ZONES_ANY)
GATHER(gather_separation, .wanted = RULE_SEPARATION, .form = FLOCK_OFFSET)
GATHER(gather_ring, .wanted = RULE_ALIGNMENT, .zones = ZONES_ANY)
GATHER(gather_disc, .wanted = RULE_ALIGNMENT, .zones = ZONES_SAME_DISC)
GATHER_IN_VIEW(gather_in_view, .wanted = RULES_ALL, .form = FLOCK_OFFSET, .zones = ZONES_ANY)
GATHER_IN_VIEW(gather_in_view_split, .wanted = RULES_ALL, .form = FLOCK_OFFSET, .zones = ZONES_ADJACENT)
GATHER_IN_VIEW(gather_in_view_same, .wanted = RULES_ALL, .form = FLOCK_OFFSET, .zones = ZONES_SAME_RADII)

/* All other rules. */
static void gather_general(struct neighbour_sums *view, const struct flock_params *params,
                           const struct lane_agent *me, const struct flock_agent *boids,
                           const struct spans *spans)
{
    const struct view_cones views = view_cones_of(params, me->velocity);
    const struct perception perception = {.wanted = flock_rules_on(params, RULES_ALL, false),
                                          .form = params->separation_form,
                                          .cohesion_form = params->cohesion_form,
                                          .views = &views,
                                          .counts_seen = true,
                                          .is_relative = params->aligns_differences};
    gather(view, params, &perception, me, boids, spans, true);
}

static gather_spans *choose_rings(const struct flock_params *params)
{
    switch (zone_layout_of(params)) {
    case ZONES_ADJACENT: return gather_split;
    case ZONES_SAME_RADII: return gather_inner;
    case ZONES_SAME_DISC: return gather_same;
    case ZONES_ANY:
    case ZONES_GENERAL: break;
    }
    return gather_any;
}

static bool has_view(const struct flock_params *params)
{
    return params->separation.has_view || params->alignment.has_view || params->cohesion.has_view;
}

/* Loops for rules that depend on more than distances; the most common rules have their own. */
static gather_spans *choose_general(const struct flock_params *params)
{
    if (params->separation.normalise == FLOCK_BY_SEEN || params->cohesion_form != FLOCK_COHESION_OFFSET)
        return gather_general;
    if (flock_rules_on(params, RULES_ALL, true) != 0)
        return flock_rules_on(params, RULES_ALL, false) == RULE_SEPARATION && !has_view(params) &&
                       params->separation_form == FLOCK_OFFSET
                   ? gather_separation
                   : gather_general;
    if (!has_view(params))
        return gather_quartic;
    if (params->separation_form != FLOCK_OFFSET || !shared_view_of(params))
        return gather_general;
    const enum zone_layout zones = zone_layout_of_radii(params);
    if (zones == ZONES_ANY || params->alignment.has_view != params->cohesion.has_view)
        return gather_in_view;
    return zones == ZONES_ADJACENT ? gather_in_view_split : gather_in_view_same;
}

static gather_spans *choose_gather(const struct flock_params *params)
{
    if (params->aligns_differences)
        return gather_general;
    if (zone_layout_of(params) == ZONES_GENERAL)
        return choose_general(params);
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

static unsigned find_outside(const struct lane_agent *me, const struct flock_params *params)
{
    return simd_mask_bits(
        lane_or(is_outside(&params->x, me->position.x), is_outside(&params->y, me->position.y)));
}

static void cell_index_one(const struct flock_params *params, const struct flock_agent *boid, uint32_t *cell)
{
    *cell = flock_grid_cell(params, boid->position);
}

/* Compute the same cells as flock_grid_cell(): all lanes at once if no boid is outside of the table, otherwise one
 * by one. */
LANE_OP void cell_index(const struct lane_agent *me, const struct flock_params *params,
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

/* Lanes that have left the world or entered an obstacle are corrected one by one, because they are few. */
LANE_OP void correct_positions(const struct lane_agent *me, const struct flock_params *params,
                               struct flock_agent *next, uint32_t *cell, uint32_t n, bool is_simple_motion)
{
    unsigned wrong = flock_border_moves(params->border) ? find_outside(me, params) : 0;
    if (!is_simple_motion && params->obstacle_count > 0)
        wrong |= simd_mask_bits(update_is_inside_obstacle(params, me->position));
    for (uint32_t k = 0; k < n && wrong != 0; k++, wrong >>= 1) {
        if (!(wrong & 1))
            continue;
        flock_keep_in_world(&next[k], params);
        cell_index_one(params, &next[k], &cell[k]);
    }
}

LANE_OP void store_records(const struct lane_agent *me, struct flock_agent *next, uint32_t n)
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

LANE_OP enum flock_status store(const struct lane_agent *me, const struct flock_params *params,
                                struct flock_agent *next, uint32_t *cell, uint32_t n, bool is_simple_motion)
{
    const unsigned wanted = (1U << n) - 1;
    store_records(me, next, n);
    if ((simd_mask_bits(update_is_finite(me)) & wanted) != wanted)
        return FLOCK_E_RANGE;
    cell_index(me, params, next, cell, n);
    correct_positions(me, params, next, cell, n, is_simple_motion);
    return FLOCK_OK;
}

LANE_OP enum flock_status update_boid(struct lane_agent *me, const struct flock_step_context *context,
                                      const struct neighbour_sums *view, const struct simd_output *next,
                                      const struct block *block, bool is_simple_motion)
{
    update_agent(me, context, view, is_simple_motion);
    return store(me, context->params, next->boids + block->begin, next->cell + block->begin,
                 block->end - block->begin, is_simple_motion);
}

STEP_NOINLINE enum flock_status update_boid_general(struct lane_agent *me,
                                                    const struct flock_step_context *context,
                                                    const struct neighbour_sums *view,
                                                    const struct simd_output *next, const struct block *block)
{
    return update_boid(me, context, view, next, block, false);
}

static enum flock_status step_block(const struct simd_flock *flock, const struct flock_step_context *context,
                                    const struct simd_output *next, const struct block *block,
                                    gather_spans *gather_sums)
{
    const struct flock_params *params = context->params;
    struct spans spans;
    struct neighbour_sums view;
    find_spans(&spans, flock, params, block,
               gather_sums != gather_split && gather_sums != gather_in_view_split);
    struct lane_agent me = load(flock->boids + block->begin);
    me.id = flock->keys + block->begin;
    gather_sums(&view, params, &me, flock->boids, &spans);
    if (flock->nearest)
        load_nearest_sums(&view, params, flock->nearest, me.id);
    return params->is_simple_motion ? update_boid(&me, context, &view, next, block, true)
                                    : update_boid_general(&me, context, &view, next, block);
}

static enum flock_status step_rows(const struct simd_flock *flock, const struct flock_step_context *context,
                                   const struct simd_output *next, struct step_cancellation_count *count,
                                   uint32_t begin, uint32_t end)
{
    const struct flock_params *params = context->params;
    gather_spans *const gather_sums = choose_gather(params);
    enum flock_status status = FLOCK_OK;
    for (uint32_t row = begin; row < end; row++) {
        struct block block = before_row(flock, params, row);
        while (next_block(&block, flock, params)) {
            if (step_block(flock, context, next, &block, gather_sums) != FLOCK_OK)
                status = FLOCK_E_RANGE;
            if (!step_cancellation_continues(count, block.end - block.begin))
                return FLOCK_E_CANCELLED;
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

#include "simd_neighbour_list.h"
#include "simd_rule_passes.h"
const struct simd_kernels simd_kernels_here = {
    step_rows,
    {list_alignment, list_all, list_shared, list_general, list_general_shared},
    first_pass,
    last_pass,
    search_node};
