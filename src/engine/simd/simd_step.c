/* The synchronous step, computed with SIMD vectors. Compiled for each number type and instruction set; the rules are those of
 * core/neighbour_selection.h, neighbour_terms.h, steering.h and update_after_steering.h. */
#include "simd_ops.h"

#include "base/array.h"
#include "grid.h"
#include "keep_in_world.h"
#include "simd_nearest.h"
#include "simd_neighbours.h"

/* The loops for the most common rules: name, rules, zones, form of separation. Where several fit, the first is the fastest. */
#define LOOPS(X)                                                         \
    X(sum_separation, RULE_SEPARATION, ZONES_ANY, FLOCK_OFFSET)          \
    X(sum_alignment_disc, RULE_ALIGNMENT, ZONES_SAME_DISC, FLOCK_OFFSET) \
    X(sum_alignment, RULE_ALIGNMENT, ZONES_ANY, FLOCK_OFFSET)            \
    X(sum_adjacent, RULES_ALL, ZONES_ADJACENT, FLOCK_OFFSET)             \
    X(sum_same_disc, RULES_ALL, ZONES_SAME_DISC, FLOCK_OFFSET)           \
    X(sum_same_radii, RULES_ALL, ZONES_SAME_RADII, FLOCK_OFFSET)         \
    X(sum_any, RULES_ALL, ZONES_ANY, FLOCK_OFFSET)                       \
    X(sum_unit, RULES_ALL, ZONES_ANY, FLOCK_UNIT)                        \
    X(sum_inverse, RULES_ALL, ZONES_ANY, FLOCK_INVERSE)                  \
    X(sum_quartic, RULES_ALL, ZONES_ANY, FLOCK_QUARTIC)
#define LOOPS_IN_VIEW(X)                                                 \
    X(sum_in_view_adjacent, RULES_ALL, ZONES_ADJACENT, FLOCK_OFFSET)     \
    X(sum_in_view_same_radii, RULES_ALL, ZONES_SAME_RADII, FLOCK_OFFSET) \
    X(sum_in_view_any, RULES_ALL, ZONES_ANY, FLOCK_OFFSET)

LOOPS(SUM)
LOOPS_IN_VIEW(SUM_IN_VIEW)

struct loop {
    enum rule_set rules;
    enum zone_layout zones;
    enum flock_separation_form form;
    bool is_in_view;
    sum_function *sum;
};

#define LOOP(name, rules, zones, form)         {rules, zones, form, false, name},
#define LOOP_IN_VIEW(name, rules, zones, form) {rules, zones, form, true, name},
static const struct loop loops[] = {LOOPS(LOOP) LOOPS_IN_VIEW(LOOP_IN_VIEW)};

/* The loop for all other rules. */
static void sum_general(struct neighbour_sums *sums, const struct neighbour_loop *block)
{
    const struct flock_params *params = block->params;
    const struct view_cones views = view_cones_of(params, block->me->velocity);
    struct perception perception = perception_of(params, flock_rules_on(params, RULES_ALL, false));
    perception.views = &views;
    perception.counts_seen = true;
    if (!(perception.wanted & RULE_SEPARATION))
        perception.form = FLOCK_OFFSET; /* sum_in_two_loops() always adds separation */
    sum_over_spans(
        sums, &(struct neighbour_loop){params, block->me, block->boids, block->spans, &perception, true});
}

static const struct loop general_loop = {RULES_ALL, ZONES_GENERAL, FLOCK_OFFSET, true, sum_general};

/* No candidate in the cells counts, because all rules have `nearest` (nearest_sums.h) or are off. */
static void sum_nothing(struct neighbour_sums *sums, const struct neighbour_loop *block)
{
    (void)block;
    *sums = neighbour_sums_zero();
}

static const struct loop no_loop = {RULES_ALL, ZONES_ANY, FLOCK_OFFSET, false, sum_nothing};

/* The layout of the zones of some rules. */
static enum zone_layout zones_of(const struct flock_params *params, enum rule_set rules)
{
    if (rules == RULE_ALIGNMENT)
        return num_square_is_zero(params->alignment.inner_squared) ? ZONES_SAME_DISC : ZONES_ANY;
    return params->alignment.has_view == params->cohesion.has_view ? zone_layout_of_radii(params) : ZONES_ANY;
}

/* ZONES_ADJACENT and ZONES_SAME_DISC are kinds of ZONES_SAME_RADII, and all are kinds of ZONES_ANY. */
static bool suits(const struct loop *loop, enum zone_layout zones)
{
    return loop->zones == zones || loop->zones == ZONES_ANY ||
           (loop->zones == ZONES_SAME_RADII && zones != ZONES_ANY);
}

static const struct loop *choose_loop(const struct flock_params *params)
{
    const enum rule_set rules = flock_rules_on(params, RULES_ALL, false);
    const bool has_nearest = flock_rules_on(params, RULES_ALL, true) != 0;
    const bool is_in_view = flock_has_views(params);
    const enum flock_separation_form form = params->separation.is_on ? params->separation_form : FLOCK_OFFSET;
    if (rules == 0 && params->separation.normalise != FLOCK_BY_SEEN)
        return &no_loop;
    if (params->aligns_differences || params->separation.normalise == FLOCK_BY_SEEN ||
        params->cohesion_form != FLOCK_COHESION_OFFSET || flock_has_falloff(params) ||
        (is_in_view && !shared_view_of(params)))
        return &general_loop;
    FOR_EACH (loop, loops) {
        /* A loop over all rules also serves some of them, because a rule that is off has a radius of 0. A rule with
         * `nearest` has a radius but must not be part of the loop. */
        const bool has_rules = loop->rules == rules || (loop->rules == RULES_ALL && !has_nearest);
        if (has_rules && loop->form == form && loop->is_in_view == is_in_view &&
            suits(loop, zones_of(params, loop->rules)))
            return loop;
    }
    return &general_loop;
}

/* Positions and cells after the step. */

static lane_mask is_outside(const struct flock_axis *axis, lane a)
{
    return lane_or(lane_less(a, lane_zero()), lane_less(lane_set1(axis->length), a));
}

static unsigned find_outside(const struct lane_agent *me, const struct flock_params *params)
{
    if (params->is_disc)
        return simd_mask_bits(lane_square_more(
            lane_vec_norm_squared(offset_from_centre(params, me->position)), params->disc_squared));
    return simd_mask_bits(
        lane_or(is_outside(&params->x, me->position.x), is_outside(&params->y, me->position.y)));
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
        cell[k] = flock_grid_cell(params, next[k].position);
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
        cell[k] = flock_grid_cell(params, next[k].position);
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

LANE_OP enum flock_status store_block(const struct lane_agent *me, const struct flock_params *params,
                                      struct flock_agent *next, uint32_t *cell, uint32_t n,
                                      bool is_simple_motion)
{
    const unsigned wanted = (1U << n) - 1;
    store_records(me, next, n);
    if ((simd_mask_bits(update_is_finite(me)) & wanted) != wanted)
        return FLOCK_E_RANGE;
    cell_index(me, params, next, cell, n);
    correct_positions(me, params, next, cell, n, is_simple_motion);
    return FLOCK_OK;
}

LANE_OP enum flock_status update_block(struct lane_agent *me, const struct flock_step_context *context,
                                       const struct neighbour_sums *sums, const struct simd_output *next,
                                       const struct block *block, bool is_simple_motion)
{
    update_agent(me, context, sums, is_simple_motion);
    return store_block(me, context->params, next->boids + block->begin, next->cell + block->begin,
                       block->end - block->begin, is_simple_motion);
}

STEP_NOINLINE enum flock_status update_block_general(struct lane_agent *me,
                                                     const struct flock_step_context *context,
                                                     const struct neighbour_sums *sums,
                                                     const struct simd_output *next,
                                                     const struct block *block)
{
    return update_block(me, context, sums, next, block, false);
}

static enum flock_status step_block(const struct simd_flock *flock, const struct flock_step_context *context,
                                    const struct simd_output *next, const struct block *block,
                                    const struct loop *loop)
{
    const struct flock_params *params = context->params;
    struct spans spans;
    struct neighbour_sums sums;
    find_spans(&spans, flock, params, block, loop->zones != ZONES_ADJACENT);
    struct lane_agent me = load(flock->boids + block->begin);
    me.id = flock->keys + block->begin;
    loop->sum(&sums, &(struct neighbour_loop){params, &me, flock->boids, &spans, NULL, false});
    if (flock->nearest)
        sum_nearest(&sums, flock, params, &me, block->begin, block->end - block->begin);
    return context->is_simple_motion ? update_block(&me, context, &sums, next, block, true)
                                     : update_block_general(&me, context, &sums, next, block);
}

static enum flock_status step_rows(const struct simd_flock *flock, const struct flock_step_context *context,
                                   const struct simd_output *next, struct step_cancellation_count *count,
                                   uint32_t begin, uint32_t end)
{
    const struct flock_params *params = context->params;
    const struct loop *const loop = choose_loop(params);
    enum flock_status status = FLOCK_OK;
    for (uint32_t row = begin; row < end; row++) {
        struct block block = before_row(flock, params, row);
        while (next_block(&block, flock, params)) {
            if (step_block(flock, context, next, &block, loop) != FLOCK_OK)
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
#else
#define simd_kernels_here simd_kernels_plain
#endif

#include "simd_neighbour_list.h"
#include "simd_update_in_passes.h"
const struct simd_kernels simd_kernels_here = {
    step_rows,
    {list_alignment, list_all, list_shared, list_general, list_general_shared},
    first_pass,
    last_pass};
