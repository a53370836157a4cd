/* What one boid sees, its candidates abreast. For flocks whose boids take turns: there, nobody may look before the one
 * before has moved, and only one boid's candidates can be compared at once.
 *
 * Comparing is done in lanes; who passed is written to a list, and the lists are summed up one by one, in order. So the
 * sums are those of core/gather.c to the bit.
 */
#ifndef PACK_LOOK_H
#define PACK_LOOK_H

#include "pack_gather.h"

/* Slots of neighbours, in order; candidates are looked at so many at a time. */
enum { LISTED = 256 };

struct list {
    uint32_t slots[LISTED + PACK_LANES];
    uint32_t count;
};

struct sighting {
    const struct pack_page *page;
    const struct flock_params *params;
    const struct flock_agent *me;
    bool wants_all; /* or alignment alone */
    bool is_shared; /* alignment and cohesion have one list */
    struct list close, around, near;
};

static void sum_close(struct flock_sum *sum, const struct sighting *sighting)
{
    const struct flock_params *params = sighting->params;
    for (uint32_t k = 0; k < sighting->close.count; k++) {
        const struct flock_agent *other = &sighting->page->boids[sighting->close.slots[k]];
        const struct vec away = flock_difference(params, sighting->me->position, other->position);
        flock_sum_separate(sum, params->separation_form, away, vec_norm_squared(away));
    }
}

static void sum_around(struct flock_sum *sum, const struct sighting *sighting)
{
    for (uint32_t k = 0; k < sighting->around.count; k++) {
        const struct flock_agent *other = &sighting->page->boids[sighting->around.slots[k]];
        flock_sum_add(sum, other->velocity.x, other->velocity.y);
    }
}

static void sum_near(struct flock_sum *sum, const struct sighting *sighting, const struct list *list)
{
    for (uint32_t k = 0; k < list->count; k++) {
        const struct flock_agent *other = &sighting->page->boids[list->slots[k]];
        const struct vec away = flock_difference(sighting->params, sighting->me->position, other->position);
        flock_sum_add(sum, -away.x, -away.y);
    }
}

static void sum_up(struct flock_view *view, const struct sighting *sighting)
{
    sum_around(&view->alignment, sighting);
    if (!sighting->wants_all)
        return;
    sum_close(&view->separation, sighting);
    sum_near(&view->cohesion, sighting, sighting->is_shared ? &sighting->around : &sighting->near);
}

INLINE uint32_t list(struct list *list, uint32_t count, uint32_t base, pack_mask where, unsigned valid)
{
    return count + pack_append(list->slots + count, base, pack_bits(where) & valid);
}

/* The lanes of a chunk that belong to the span, but for the boid itself. */
INLINE unsigned valid_lanes(const struct flock_agent *begin, const struct flock_agent *end,
                            const struct flock_agent *me)
{
    const unsigned all = (1U << (PACK_LANES - 1) << 1) - 1;
    const size_t left = (size_t)(end - begin);
    const size_t self = (size_t)(me - begin);
    const unsigned valid = left < PACK_LANES ? (1U << left) - 1 : all;
    return self < PACK_LANES ? valid & ~(1U << self) : valid;
}

/* At most LISTED candidates more. */
INLINE void look_at(struct sighting *sighting, struct span span, bool is_seam)
{
    const struct flock_params *params = sighting->params;
    const struct vec position = sighting->me->position;
    uint32_t close = sighting->close.count, around = sighting->around.count, near = sighting->near.count;
    for (const struct flock_agent *at = span.begin; at < span.end; at += PACK_LANES) {
        const struct lanes others = load(at);
        struct pack_vec away = {position.x - others.position.x, position.y - others.position.y};
        if (is_seam)
            away = nearest_image(away, params);
        const pack squared = away.x * away.x + away.y * away.y;
        const unsigned valid = valid_lanes(at, span.end, sighting->me);
        const uint32_t base = (uint32_t)(at - sighting->page->boids);
        around = list(&sighting->around, around, base, ring(&params->alignment, squared), valid);
        if (!sighting->wants_all)
            continue;
        const pack_mask is_close = pack_less(squared, pack_all(params->separation.radius_squared));
        close = list(&sighting->close, close, base, is_close, valid);
        if (!sighting->is_shared)
            near = list(&sighting->near, near, base, ring(&params->cohesion, squared), valid);
    }
    sighting->close.count = close;
    sighting->around.count = around;
    sighting->near.count = near;
}

/* Lists are summed up before they might be full. */
INLINE void look_along(struct flock_view *view, struct sighting *sighting, struct span span, bool is_seam,
                       uint32_t *looked)
{
    while (span.begin < span.end) {
        const size_t left = (size_t)(span.end - span.begin);
        const size_t now = left < LISTED - *looked ? left : LISTED - *looked;
        look_at(sighting, (struct span){span.begin, span.begin + now}, is_seam);
        span.begin += now;
        *looked += (uint32_t)now;
        if (*looked < LISTED)
            continue;
        sum_up(view, sighting);
        sighting->close.count = sighting->around.count = sighting->near.count = *looked = 0;
    }
}

static bool are_alike(const struct flock_rule *a, const struct flock_rule *b)
{
    return a->is_on && b->is_on && a->radius_squared == b->radius_squared &&
           a->inner_squared == b->inner_squared;
}

static void look_abreast(struct flock_view *view, const struct pack_page *page,
                         const struct flock_params *params, uint32_t slot, uint32_t column, uint32_t row,
                         enum flock_wanted wanted)
{
    const struct block block = {slot, slot + 1, column, column, row};
    struct sighting sighting;
    struct spans spans;
    sighting.page = page;
    sighting.params = params;
    sighting.me = &page->boids[slot];
    sighting.wants_all = wanted == FLOCK_WANT_ALL;
    sighting.is_shared = are_alike(&params->alignment, &params->cohesion);
    sighting.close.count = sighting.around.count = sighting.near.count = 0;
    *view = (struct flock_view){0};
    look_around(&spans, page, params, &block, false);
    uint32_t looked = 0;
    for (int i = 0; i < spans.count; i++)
        if (spans.crosses_seam)
            look_along(view, &sighting, spans.list[i], true, &looked);
        else
            look_along(view, &sighting, spans.list[i], false, &looked);
    sum_up(view, &sighting);
}

#endif
