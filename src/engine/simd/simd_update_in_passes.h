/* The first and the last of the `passes`, for a flock of floats (simd_first_pass, simd_last_pass). */
#pragma once

#include "grid.h"
#include "simd_neighbours.h"

#define OFFSETS (enum rule_set)(RULE_SEPARATION | RULE_COHESION)

SUM(offsets, OFFSETS, ZONES_ANY, FLOCK_OFFSET)
SUM(offsets_unit, OFFSETS, ZONES_ANY, FLOCK_UNIT)
SUM(offsets_inverse, OFFSETS, ZONES_ANY, FLOCK_INVERSE)

static sum_function *choose_offsets(const struct flock_params *params)
{
    switch (params->separation_form) {
    case FLOCK_OFFSET: return offsets;
    case FLOCK_UNIT: return offsets_unit;
    case FLOCK_INVERSE:
    case FLOCK_QUARTIC:
    case FLOCK_HEADINGS: break; /* these two need other code */
    }
    return offsets_inverse;
}

static void pass_block(const struct simd_flock *flock, const struct flock_params *params,
                       struct flock_agent *boids, const struct rule_sums *cohesion, const struct block *block,
                       sum_function *sum_offsets)
{
    struct neighbour_sums sums;
    struct lane_agent me = load(flock->boids + block->begin);
    struct spans spans;
    find_spans(&spans, flock, params, block, true);
    sum_offsets(&sums, &(struct neighbour_loop){params, &me, flock->boids, &spans, NULL, false});
    if (params->separation.is_on)
        me.velocity = steer_by_rule(params, RULE_SEPARATION, &sums, me.velocity);
    store_records(&me, boids + block->begin, block->end - block->begin);
    /* Numbers written after the end of this block are overwritten by the next block. */
    simd_store(cohesion->x + block->begin, sums.cohesion.x);
    simd_store(cohesion->y + block->begin, sums.cohesion.y);
    simd_store(cohesion->count + block->begin, sums.cohesion.count);
}

static bool first_pass(const struct simd_flock *flock, const struct flock_params *params,
                       struct flock_agent *boids, const struct rule_sums *cohesion,
                       struct step_cancellation_count *count)
{
    sum_function *const sum_offsets = choose_offsets(params);
    for (uint32_t row = 0; row < (uint32_t)params->y.table_cells; row++) {
        struct block block = before_row(flock, params, row);
        while (next_block(&block, flock, params)) {
            pass_block(flock, params, boids, cohesion, &block, sum_offsets);
            if (!step_cancellation_continues(count, 2 * (block.end - block.begin)))
                return false;
        }
    }
    return true;
}

LANE_OP enum flock_status finish(struct lane_agent *me, const struct flock_step_context *context,
                                 const struct flock_agent *before, const struct simd_output *next,
                                 uint32_t slot, uint32_t n, bool is_simple_motion)
{
    if (!is_simple_motion)
        me->velocity = steer_seek(context, me->id, me->position, me->velocity, me->velocity);
    update_finish(me, load(before + slot).velocity, context, is_simple_motion);
    return store_block(me, context->params, next->boids + slot, next->cell + slot, n, is_simple_motion);
}

STEP_NOINLINE enum flock_status finish_general(struct lane_agent *me,
                                               const struct flock_step_context *context,
                                               const struct flock_agent *before,
                                               const struct simd_output *next, uint32_t slot, uint32_t n)
{
    return finish(me, context, before, next, slot, n, false);
}

static enum flock_status last_pass(const struct simd_flock *flock, const struct flock_step_context *context,
                                   const struct rule_sums *cohesion, const struct flock_agent *before,
                                   const uint32_t *ids, const struct simd_output *next)
{
    const struct flock_params *params = context->params;
    const uint32_t count = flock->start[flock_grid_cells(params)];
    enum flock_status status = FLOCK_OK;
    for (uint32_t slot = 0; slot < count; slot += SIMD_LANES) {
        const uint32_t n = count - slot < SIMD_LANES ? count - slot : SIMD_LANES;
        struct lane_agent me = load(flock->boids + slot);
        uint64_t keys[SIMD_LANES];
        for (int k = 0; k < SIMD_LANES; k++)
            keys[k] = ids[slot + (uint32_t)k];
        me.id = keys;
        if (params->cohesion.is_on) {
            const struct neighbour_sums sums = {.cohesion = {simd_load(cohesion->x + slot),
                                                             simd_load(cohesion->y + slot),
                                                             simd_load(cohesion->count + slot)}};
            me.velocity = steer_by_rule(params, RULE_COHESION, &sums, me.velocity);
        }
        const enum flock_status found = context->is_simple_motion
                                            ? finish(&me, context, before, next, slot, n, true)
                                            : finish_general(&me, context, before, next, slot, n);
        status = found != FLOCK_OK ? found : status;
    }
    return status;
}
