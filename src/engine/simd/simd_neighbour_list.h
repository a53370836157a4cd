/* Lists of the neighbours of one boid (struct simd_neighbour_lists). All lanes have the same boid, and each has another
 * candidate; core/neighbour_selection.h decides which candidates are neighbours. */
#pragma once

#include "simd_neighbours.h"

#include <math.h>

/* A mask of up to 64 candidates, beginning at a slot. A bit is set if its slot belongs to the span and is not that
 * of the boid itself. @param left number of slots until the end of the span. @param self slot of the boid, relative
 * to the first slot. */
enum { WORD_BITS = 64, ALL_LANES = (1 << SIMD_LANES) - 1 };

LANE_OP uint64_t valid_word(uint32_t left, uint32_t self)
{
    const uint64_t valid = left < WORD_BITS ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    return valid & ~((uint64_t)(self < WORD_BITS) << self % WORD_BITS);
}

/* Where the next neighbour is appended to each list, and the number of neighbours seen so far. */
struct ends {
    uint32_t *separation, *alignment, *cohesion;
    uint32_t seen_count;
};

/* A candidate whose distance is NaN does not count. The bits are converted to a mask once and not for each list, because the conversion is
 * slow with mask registers. */
LANE_OP lane_square exclude_invalid(lane_square squared, unsigned *valid)
{
#if defined SIMD_X86_V4
    squared = lane_select((lane_mask)*valid, squared, lane_set1(NAN));
    *valid = ALL_LANES;
#else
    (void)valid;
#endif
    return squared;
}

LANE_OP void append(uint32_t **end, uint32_t at, lane_mask where, unsigned valid)
{
    *end += simd_append_lanes(*end, at, simd_mask_bits(where) & valid);
}

/* Compare the candidates in slots [at, at + SIMD_LANES). */
LANE_OP void list_vector(struct ends *ends, const struct simd_flock *flock, const struct flock_params *params,
                         const struct perception *perception, lane_vec here, uint32_t at, unsigned valid,
                         bool is_seam, bool shares_alignment_list)
{
    const lane_vec there = {simd_load(flock->x + at), simd_load(flock->y + at)};
    const lane_vec away = is_seam ? offset_between(params, here, there) : lane_vec_subtract(here, there);
    const lane_square squared = exclude_invalid(lane_vec_norm_squared(away), &valid);
    const struct neighbour_masks masks = perceive_masks(params, perception, away, squared);
    if (perception->counts_seen)
        ends->seen_count += (uint32_t)__builtin_popcount(
            simd_mask_bits(lane_square_less(squared, params->widest_squared)) & valid);
    append(&ends->alignment, at, masks.alignment, valid);
    if (perception->wanted == RULE_ALIGNMENT)
        return;
    if (!shares_alignment_list)
        append(&ends->separation, at, masks.separation, valid);
    if (!perceive_is_shared(perception))
        append(&ends->cohesion, at, masks.cohesion, valid);
}

/* Continue the lists of neighbours, from the candidate at which they were full. Returns false after the last candidate. */
LANE_OP bool list_spans(struct simd_neighbour_lists *lists, const struct perception *perception,
                        const struct spans *spans, bool is_seam)
{
    const struct simd_flock flock = *lists->flock;
    const struct flock_params params = *lists->params;
    const uint32_t slot = lists->slot;
    const bool shares_alignment_list = lists->shares_alignment_list;
    const lane_vec here = {lane_set1(flock.x[slot]), lane_set1(flock.y[slot])};
    struct ends ends = {lists->separation.slots, lists->alignment.slots, lists->cohesion.slots, 0};
    uint32_t room = SIMD_LIST_MAX, begin = lists->at;
    int i = lists->span;
    for (; i < spans->count; i++, begin = 0) {
        const struct span *span = &spans->list[i];
        uint64_t valid = 0;
        begin = begin > span->begin ? begin : span->begin;
        uint32_t at = begin;
        for (; at < span->end && room > 0; at += SIMD_LANES) {
            if ((at - begin) % WORD_BITS == 0)
                valid = valid_word(span->end - at, slot - at);
            list_vector(&ends, &flock, &params, perception, here, at, (unsigned)valid & ALL_LANES, is_seam,
                        shares_alignment_list);
            valid >>= SIMD_LANES;
            room -= SIMD_LANES;
        }
        lists->at = at;
        if (at < span->end)
            break;
    }
    lists->span = i;
    lists->separation.count = (uint32_t)(ends.separation - lists->separation.slots);
    lists->alignment.count = (uint32_t)(ends.alignment - lists->alignment.slots);
    lists->cohesion.count = (uint32_t)(ends.cohesion - lists->cohesion.slots);
    lists->seen_count += ends.seen_count;
    return i < spans->count;
}

LANE_OP bool list_neighbours(struct simd_neighbour_lists *lists, const struct perception *perception)
{
    const struct block block = {lists->slot, lists->slot + 1, lists->column, lists->column, lists->row};
    struct spans spans;
    find_spans(&spans, lists->flock, lists->params, &block, false);
    lists->crosses_seam = spans.crosses_seam;
    return spans.crosses_seam ? list_spans(lists, perception, &spans, true)
                              : list_spans(lists, perception, &spans, false);
}

static bool list_alignment(struct simd_neighbour_lists *lists)
{
    if (!num_square_is_zero(lists->params->alignment.inner_squared))
        return list_neighbours(lists, &(struct perception){.wanted = RULE_ALIGNMENT});
    return list_neighbours(lists, &(struct perception){.wanted = RULE_ALIGNMENT, .zones = ZONES_SAME_DISC});
}

static bool list_all(struct simd_neighbour_lists *lists)
{
    return list_neighbours(lists, &(struct perception){.wanted = RULES_ALL});
}

static bool list_shared(struct simd_neighbour_lists *lists)
{
    return list_neighbours(lists, &(struct perception){.wanted = RULES_ALL, .zones = ZONES_SAME_RADII});
}

/* List the neighbours if zones depend on more than distances. */
LANE_OP bool list_with_views(struct simd_neighbour_lists *lists, enum rule_set wanted, enum zone_layout zones)
{
    const lane_vec velocity = lane_vec_set1(lists->flock->boids[lists->slot].velocity);
    const struct flock_rule *shared = shared_view_of(lists->params);
    const struct view_cones views =
        shared ? shared_view_cones_of(shared, velocity) : view_cones_of(lists->params, velocity);
    const struct perception perception = {
        .wanted = wanted, .views = &views, .zones = zones, .counts_seen = true};
    return list_neighbours(lists, &perception);
}

static bool list_general(struct simd_neighbour_lists *lists)
{
    return list_with_views(lists, (enum rule_set)lists->wanted, ZONES_GENERAL);
}

static bool list_general_shared(struct simd_neighbour_lists *lists)
{
    return list_with_views(lists, RULES_ALL, ZONES_SAME_RADII);
}
