/* The neighbours of one boid, with one of its candidates per lane (struct simd_scan). core/perception.h finds the
 * candidates that count, with the same boid in all lanes; these are written to a list. */
#ifndef SIMD_SCAN_H
#define SIMD_SCAN_H

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
    uint32_t *close, *around, *near;
    uint32_t seen;
};

/* A candidate whose distance is NaN does not count. The bits are converted to a mask once and not for each list,
 * because this is slow with mask registers. */
LANE_OP lane_square only_valid(lane_square squared, unsigned *valid)
{
#if defined SIMD_X86_V4
    squared = lane_select((lane_mask)*valid, squared, lane_set1(NAN));
    *valid = ALL_LANES;
#else
    (void)valid;
#endif
    return squared;
}

LANE_OP void list(uint32_t **end, uint32_t at, lane_mask where, unsigned valid)
{
    *end += simd_append_lanes(*end, at, simd_mask_bits(where) & valid);
}

/* Compare the candidates in slots [at, at + SIMD_LANES). */
LANE_OP void look_at(struct ends *ends, const struct simd_flock *page, const struct flock_params *params,
                     const struct perception *perception, lane_vec here, uint32_t at, unsigned valid,
                     bool is_seam, bool is_close_around)
{
    const lane_vec there = {simd_load(page->x + at), simd_load(page->y + at)};
    const lane_vec away = is_seam ? offset_between(params, here, there) : lane_vec_subtract(here, there);
    const lane_square squared = only_valid(lane_vec_norm_squared(away), &valid);
    const struct neighbour_masks masks = perceive_masks(params, perception, away, squared);
    if (perception->counts_seen)
        ends->seen += (uint32_t)__builtin_popcount(
            simd_mask_bits(lane_square_less(squared, params->widest_squared)) & valid);
    list(&ends->around, at, masks.alignment, valid);
    if (perception->wanted == RULE_ALIGNMENT)
        return;
    if (!is_close_around)
        list(&ends->close, at, masks.separation, valid);
    if (!perceive_is_shared(perception))
        list(&ends->near, at, masks.cohesion, valid);
}

static void sum_up(struct simd_scan *scan, const struct ends *ends)
{
    scan->close.count = (uint32_t)(ends->close - scan->close.slots);
    scan->around.count = (uint32_t)(ends->around - scan->around.slots);
    scan->near.count = (uint32_t)(ends->near - scan->near.slots);
    scan->seen += ends->seen;
    scan->sum_up(scan);
}

static struct ends empty_lists(struct simd_scan *scan)
{
    return (struct ends){scan->close.slots, scan->around.slots, scan->near.slots, 0};
}

LANE_OP void look_along(struct simd_scan *scan, const struct perception *perception,
                        const struct spans *spans, bool is_seam)
{
    const struct simd_flock page = *scan->page;
    const struct flock_params params = *scan->params;
    const uint32_t slot = scan->slot;
    const bool is_close_around = scan->is_close_around;
    const lane_vec here = {lane_set1(page.x[slot]), lane_set1(page.y[slot])};
    struct ends ends = empty_lists(scan);
    uint32_t room = SIMD_LIST_MAX;
    for (const struct span *span = spans->list; span < spans->list + spans->count; span++) {
        uint64_t valid = 0;
        for (uint32_t at = span->begin; at < span->end; at += SIMD_LANES) {
            if (room == 0) {
                sum_up(scan, &ends);
                ends = empty_lists(scan);
                room = SIMD_LIST_MAX;
            }
            if ((at - span->begin) % WORD_BITS == 0)
                valid = valid_word(span->end - at, slot - at);
            look_at(&ends, &page, &params, perception, here, at, (unsigned)valid & ALL_LANES, is_seam,
                    is_close_around);
            valid >>= SIMD_LANES;
            room -= SIMD_LANES;
        }
    }
    sum_up(scan, &ends);
}

LANE_OP void look(struct simd_scan *scan, const struct perception *perception)
{
    const struct block block = {scan->slot, scan->slot + 1, scan->column, scan->column, scan->row};
    struct spans spans;
    look_around(&spans, scan->page, scan->params, &block, false);
    scan->crosses_seam = spans.crosses_seam;
    scan->seen = 0;
    if (spans.crosses_seam)
        look_along(scan, perception, &spans, true);
    else
        look_along(scan, perception, &spans, false);
}

#define LOOK(name, ...)                                            \
    static void name(struct simd_scan *scan)                       \
    {                                                              \
        static const struct perception perception = {__VA_ARGS__}; \
        look(scan, &perception);                                   \
    }

LOOK(look_for_ring, .wanted = RULE_ALIGNMENT)
LOOK(look_for_disc, .wanted = RULE_ALIGNMENT, .zones = ZONES_SAME_DISC)
LOOK(look_for_all, .wanted = RULES_ALL)
LOOK(look_for_shared, .wanted = RULES_ALL, .zones = ZONES_SAME_RADII)

/* For zones that depend on more than distances. */
LANE_OP void look_with_views(struct simd_scan *scan, enum rule_set wanted, enum zone_layout zones)
{
    const struct flock_vec velocity = scan->page->boids[scan->slot].velocity;
    const struct flock_rule *shared = shared_view_of(scan->params);
    struct view_cones views = view_cones_of(scan->params, lane_vec_set1(velocity));
    views.shared = shared;
    views.alignment = view_cone_of(shared ? shared : &scan->params->alignment, lane_vec_set1(velocity));
    const struct perception perception = {
        .wanted = wanted, .views = &views, .zones = zones, .counts_seen = true};
    look(scan, &perception);
}

static void look_for_general(struct simd_scan *scan)
{
    look_with_views(scan, (enum rule_set)scan->wanted, ZONES_GENERAL);
}

static void look_for_general_shared(struct simd_scan *scan)
{
    look_with_views(scan, RULES_ALL, ZONES_SAME_RADII);
}

static void look_for_alignment(struct simd_scan *scan)
{
    if (num_square_is_zero(scan->params->alignment.inner_squared))
        look_for_disc(scan);
    else
        look_for_ring(scan);
}

#endif
