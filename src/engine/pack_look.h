/* Whom one boid sees, its candidates abreast (struct pack_sighting). Who counts is told by core/sight.h, the boid in all lanes
 * and a candidate in each; who does is written to a list.
 */
#ifndef PACK_LOOK_H
#define PACK_LOOK_H

#include "pack_gather.h"

#include <math.h>

/* Who of those from some slot on belongs to a span, but for the boid itself: a bit each. `left` and `self` count from that
 * slot. */
enum { WORD_BITS = 64, ALL_LANES = (1 << PACK_LANES) - 1 };

LANE_WORD uint64_t valid_word(uint32_t left, uint32_t self)
{
    const uint64_t valid = left < WORD_BITS ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    return valid & ~((uint64_t)(self < WORD_BITS) << self % WORD_BITS);
}

/* Where the lists end so far. */
struct ends {
    uint32_t *close, *around, *near;
};

/* Nobody counts whose distance is no number. With registers for masks, to make one of bits is dear: it is done once, and not
 * for each list. */
LANE_WORD lane_square only_valid(lane_square squared, unsigned *valid)
{
#if defined PACK_V4
    squared = lane_choose((lane_mask)*valid, squared, lane_all(NAN));
    *valid = ALL_LANES;
#else
    (void)valid;
#endif
    return squared;
}

LANE_WORD void list(uint32_t **end, uint32_t at, lane_mask where, unsigned valid)
{
    *end += pack_append(*end, at, pack_bits(where) & valid);
}

/* The candidates at [at, at + PACK_LANES). */
LANE_WORD void look_at(struct ends *ends, const struct pack_page *page, const struct flock_params *params,
                       const struct sight *sight, lane_vec here, uint32_t at, unsigned valid, bool is_seam,
                       bool is_close_around)
{
    const lane_vec there = {pack_load(page->x + at), pack_load(page->y + at)};
    const lane_vec away = is_seam ? sight_offset(params, here, there) : lane_vec_subtract(here, there);
    const lane_square squared = only_valid(lane_vec_norm_squared(away), &valid);
    const struct sight_who who = sight_who(params, sight, away, squared);
    list(&ends->around, at, who.alignment, valid);
    if (sight->wanted == SIGHT_ALIGNMENT)
        return;
    if (!is_close_around)
        list(&ends->close, at, who.separation, valid);
    if (!sight_is_shared(sight))
        list(&ends->near, at, who.cohesion, valid);
}

static void sum_up(struct pack_sighting *sighting, const struct ends *ends)
{
    sighting->close.count = (uint32_t)(ends->close - sighting->close.slots);
    sighting->around.count = (uint32_t)(ends->around - sighting->around.slots);
    sighting->near.count = (uint32_t)(ends->near - sighting->near.slots);
    sighting->sum_up(sighting);
}

LANE_WORD void look_along(struct pack_sighting *sighting, const struct sight *sight,
                          const struct spans *spans, bool is_seam)
{
    const struct pack_page page = *sighting->page;
    const struct flock_params params = *sighting->params;
    const uint32_t slot = sighting->slot;
    const bool is_close_around = sighting->is_close_around;
    const lane_vec here = {lane_all(page.x[slot]), lane_all(page.y[slot])};
    struct ends ends = {sighting->close.slots, sighting->around.slots, sighting->near.slots};
    uint32_t room = PACK_LISTED;
    for (const struct span *span = spans->list; span < spans->list + spans->count; span++) {
        uint64_t valid = 0;
        for (uint32_t at = span->begin; at < span->end; at += PACK_LANES) {
            if (room == 0) {
                sum_up(sighting, &ends);
                ends = (struct ends){sighting->close.slots, sighting->around.slots, sighting->near.slots};
                room = PACK_LISTED;
            }
            if ((at - span->begin) % WORD_BITS == 0)
                valid = valid_word(span->end - at, slot - at);
            look_at(&ends, &page, &params, sight, here, at, (unsigned)valid & ALL_LANES, is_seam,
                    is_close_around);
            valid >>= PACK_LANES;
            room -= PACK_LANES;
        }
    }
    sum_up(sighting, &ends);
}

#define LOOK(name, ...)                                                                                     \
    static void name(struct pack_sighting *sighting)                                                        \
    {                                                                                                       \
        static const struct sight sight = {__VA_ARGS__};                                                    \
        const struct block block = {sighting->slot, sighting->slot + 1, sighting->column, sighting->column, \
                                    sighting->row};                                                         \
        struct spans spans;                                                                                 \
        look_around(&spans, sighting->page, sighting->params, &block, false);                               \
        sighting->crosses_seam = spans.crosses_seam;                                                        \
        if (spans.crosses_seam)                                                                             \
            look_along(sighting, &sight, &spans, true);                                                     \
        else                                                                                                \
            look_along(sighting, &sight, &spans, false);                                                    \
    }

LOOK(look_for_ring, .wanted = SIGHT_ALIGNMENT)
LOOK(look_for_disc, .wanted = SIGHT_ALIGNMENT, .rings = SIGHT_RINGS_SAME)
LOOK(look_for_all, .wanted = SIGHT_ALL)
LOOK(look_for_shared, .wanted = SIGHT_ALL, .rings = SIGHT_RINGS_INNER)

static void look_for_alignment(struct pack_sighting *sighting)
{
    if (num_square_is_zero(sighting->params->alignment.inner_squared))
        look_for_disc(sighting);
    else
        look_for_ring(sighting);
}

#endif
