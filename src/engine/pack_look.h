/* Whom one boid sees, its candidates abreast (struct pack_sighting). Who counts is told by core/sight.h, the boid in all lanes
 * and a candidate in each; who does is written to a list.
 */
#ifndef PACK_LOOK_H
#define PACK_LOOK_H

#include "pack_gather.h"

LANE_WORD uint32_t list(struct pack_list *list, uint32_t count, uint32_t base, lane_mask where,
                        unsigned valid)
{
    return count + pack_append(list->slots + count, base, pack_bits(where) & valid);
}

/* The lanes of a chunk that belong to the span, but for the boid itself. */
LANE_WORD unsigned valid_lanes(const struct flock_agent *begin, const struct flock_agent *end,
                               const struct flock_agent *me)
{
    const unsigned all = (1U << (PACK_LANES - 1) << 1) - 1;
    const size_t left = (size_t)(end - begin);
    const size_t self = (size_t)(me - begin);
    const unsigned valid = left < PACK_LANES ? (1U << left) - 1 : all;
    return self < PACK_LANES ? valid & ~(1U << self) : valid;
}

/* At most PACK_LISTED candidates more. */
LANE_WORD void look_at(struct pack_sighting *sighting, const struct sight *sight, struct span span,
                       bool is_seam)
{
    const struct flock_params *params = sighting->params;
    const struct flock_agent *me = &sighting->page->boids[sighting->slot];
    const lane_vec here = lane_vec_all(me->position);
    uint32_t close = sighting->close.count, around = sighting->around.count, near = sighting->near.count;
    for (const struct flock_agent *at = span.begin; at < span.end; at += PACK_LANES) {
        const lane_vec there = load(at).position;
        const lane_vec away = is_seam ? sight_offset(params, here, there) : lane_vec_subtract(here, there);
        const struct sight_who who = sight_who(params, sight, lane_vec_norm_squared(away));
        const unsigned valid = valid_lanes(at, span.end, me);
        const uint32_t base = (uint32_t)(at - sighting->page->boids);
        around = list(&sighting->around, around, base, who.alignment, valid);
        if (sight->wanted == SIGHT_ALIGNMENT)
            continue;
        close = list(&sighting->close, close, base, who.separation, valid);
        if (!sight_is_shared(sight))
            near = list(&sighting->near, near, base, who.cohesion, valid);
    }
    sighting->close.count = close;
    sighting->around.count = around;
    sighting->near.count = near;
}

static void sum_up(struct pack_sighting *sighting)
{
    sighting->sum_up(sighting);
    sighting->close.count = sighting->around.count = sighting->near.count = 0;
}

LANE_WORD void look_along(struct pack_sighting *sighting, const struct sight *sight,
                          const struct spans *spans, bool is_seam)
{
    uint32_t looked = 0;
    for (int i = 0; i < spans->count; i++)
        for (struct span span = spans->list[i]; span.begin < span.end;) {
            const size_t left = (size_t)(span.end - span.begin);
            const size_t now = left < PACK_LISTED - looked ? left : PACK_LISTED - looked;
            look_at(sighting, sight, (struct span){span.begin, span.begin + now}, is_seam);
            span.begin += now;
            looked += (uint32_t)now;
            if (looked == PACK_LISTED) {
                sum_up(sighting);
                looked = 0;
            }
        }
    sum_up(sighting);
}

#define LOOK(name, ...)                                                         \
    static void name(struct pack_sighting *sighting, const struct spans *spans) \
    {                                                                           \
        static const struct sight sight = {__VA_ARGS__};                        \
        if (spans->crosses_seam)                                                \
            look_along(sighting, &sight, spans, true);                          \
        else                                                                    \
            look_along(sighting, &sight, spans, false);                         \
    }

LOOK(look_for_alignment, .wanted = SIGHT_ALIGNMENT)
LOOK(look_for_shared, .wanted = SIGHT_ALL, .rings = SIGHT_RINGS_INNER)
LOOK(look_for_any, .wanted = SIGHT_ALL)

static void look_abreast(struct pack_sighting *sighting)
{
    const struct flock_params *params = sighting->params;
    const struct block block = {sighting->slot, sighting->slot + 1, sighting->column, sighting->column,
                                sighting->row};
    struct spans spans;
    sighting->is_shared = sighting->wants_all && sight_rings_of(params) != SIGHT_RINGS_ANY;
    sighting->close.count = sighting->around.count = sighting->near.count = 0;
    look_around(&spans, sighting->page, params, &block, false);
    if (!sighting->wants_all)
        look_for_alignment(sighting, &spans);
    else if (sighting->is_shared)
        look_for_shared(sighting, &spans);
    else
        look_for_any(sighting, &spans);
}

#endif
