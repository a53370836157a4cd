/* Whom one boid sees, its candidates abreast (struct pack_sighting). Who counts is told by core/sight.h, the boid in all lanes
 * and a candidate in each; who does is written to a list.
 */
#ifndef PACK_LOOK_H
#define PACK_LOOK_H

#include "pack_gather.h"

/* The lanes of a chunk that belong to a span, but for the boid itself; `left` and `self` count from its first lane. */
LANE_WORD unsigned valid_lanes(uint32_t left, uint32_t self)
{
    const unsigned valid = (1U << (left < PACK_LANES ? left : PACK_LANES)) - 1;
    return valid & ~((unsigned)(self < PACK_LANES) << (self & 31));
}

/* Where the lists end so far. */
struct ends {
    uint32_t *close, *around, *near;
};

LANE_WORD void list(uint32_t **end, uint32_t at, lane_mask where, unsigned valid)
{
    *end += pack_append(*end, at, pack_bits(where) & valid);
}

/* The candidates at [at, at + PACK_LANES). */
LANE_WORD void look_at(struct ends *ends, const struct pack_page *page, const struct flock_params *params,
                       const struct sight *sight, lane_vec here, uint32_t at, unsigned valid, bool is_seam)
{
    const lane_vec there = {pack_load(page->x + at), pack_load(page->y + at)};
    const lane_vec away = is_seam ? sight_offset(params, here, there) : lane_vec_subtract(here, there);
    const struct sight_who who = sight_who(params, sight, lane_vec_norm_squared(away));
    list(&ends->around, at, who.alignment, valid);
    if (sight->wanted == SIGHT_ALIGNMENT)
        return;
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
    const lane_vec here = {lane_all(page.x[slot]), lane_all(page.y[slot])};
    struct ends ends = {sighting->close.slots, sighting->around.slots, sighting->near.slots};
    uint32_t room = PACK_LISTED;
    for (const struct span *span = spans->list; span < spans->list + spans->count; span++)
        for (uint32_t at = span->begin; at < span->end; at += PACK_LANES) {
            if (room == 0) {
                sum_up(sighting, &ends);
                ends = (struct ends){sighting->close.slots, sighting->around.slots, sighting->near.slots};
                room = PACK_LISTED;
            }
            look_at(&ends, &page, &params, sight, here, at, valid_lanes(span->end - at, slot - at), is_seam);
            room -= PACK_LANES;
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

LOOK(look_for_alignment, .wanted = SIGHT_ALIGNMENT)
LOOK(look_for_all, .wanted = SIGHT_ALL)
LOOK(look_for_shared, .wanted = SIGHT_ALL, .rings = SIGHT_RINGS_INNER)

#endif
