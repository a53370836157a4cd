/* Whether a block of Q16.16 boids may fly as a pack, looked up before it does.
 *
 * In 32 bits differences of positions may run over, where num_subtract() would saturate, and so may sums of many addends.
 * Both can be told beforehand from how far apart the candidates are and how fast they fly. A block that could go wrong is
 * declined and flown one boid at a time: runaways at both ends of what num can hold, boids so fast that not even a pack of
 * them can be added up, separation of the form `inverse`, whose addends may be as large as numbers get.
 */
#ifndef PACK_SURVEY_H
#define PACK_SURVEY_H

#include "pack_gather.h"

#if defined FLOCK_FIXED_CORE

/* What the candidates' fields lie between. */
struct bounds {
    int32_t least[4], largest[4];
};

/* Records lie several to a pack. Those behind a span's end are looked at as well; that does no harm. */
LANE_WORD struct bounds find_bounds(const struct flock_agent *boids, const struct spans *spans)
{
    enum { RECORDS = PACK_LANES / 4 };
    struct bounds bounds;
    pack low = lane_all(num_raw(INT32_MAX)), high = lane_all(num_raw(-INT32_MAX));
    for (int i = 0; i < spans->count; i++)
        for (uint32_t at = spans->list[i].begin; at < spans->list[i].end; at += RECORDS) {
            const pack records = pack_load(&boids[at].position.x);
            low = pack_smaller(low, records);
            high = pack_larger(high, records);
        }
    for (int field = 0; field < 4; field++) {
        bounds.least[field] = low[field];
        bounds.largest[field] = high[field];
        for (int k = field + 4; k < PACK_LANES; k += 4) {
            bounds.least[field] = low[k] < bounds.least[field] ? low[k] : bounds.least[field];
            bounds.largest[field] = high[k] > bounds.largest[field] ? high[k] : bounds.largest[field];
        }
    }
    return bounds;
}

LANE_WORD int32_t farthest_from_zero(const struct bounds *bounds, int field)
{
    const int32_t below = -bounds->least[field], above = bounds->largest[field];
    return below > above ? below : above;
}

/* What a candidate adds to a sum is at most so large. Who counts for a rule is no farther than the widest radius. */
LANE_WORD int32_t largest_addend(const struct bounds *bounds, const struct flock_params *params)
{
    int32_t largest = params->widest.raw;
    switch (params->separation_form) {
    case FLOCK_OFFSET: break;
    case FLOCK_UNIT:
    case FLOCK_QUARTIC: largest = largest > NUM_ONE ? largest : NUM_ONE; break;
    case FLOCK_INVERSE: return INT32_MAX;
    }
    switch (params->cohesion_form) {
    case FLOCK_COHESION_OFFSET: break;
    case FLOCK_COHESION_UNIT: largest = largest > NUM_ONE ? largest : NUM_ONE; break;
    }
    for (int field = 2; field < 4; field++) {
        const int32_t speed = farthest_from_zero(bounds, field);
        largest = speed > largest ? speed : largest;
    }
    return largest > 0 ? largest : 1;
}

/* Of those within their radius; the sum is kept below half of what would be too much, for doubles are not exact. */
LANE_WORD bool can_add_predators(const struct flock_scene *scene)
{
    const double count = scene->predator_count;
    return count * count * (double)scene->params->predator_radius_squared < 0x1p60;
}

LANE_WORD int64_t count_candidates(const struct spans *spans)
{
    int64_t count = 0;
    for (int i = 0; i < spans->count; i++)
        count += spans->list[i].end - spans->list[i].begin;
    return count;
}

/** How many candidates sums have room for until they are settled; 0 when no pack must meet these. */
LANE_WORD uint32_t survey(const struct flock_agent *boids, const struct spans *spans,
                          const struct flock_scene *scene)
{
    const int64_t most_recent = INT32_MAX - (1 << PACK_CARRIED_BITS);
    const int64_t most = most_recent << PACK_CARRIED_BITS;
    const struct bounds bounds = find_bounds(boids, spans);
    const int64_t addend = largest_addend(&bounds, scene->params);
    /* One more than the candidates: the boid itself may be added last. */
    const int64_t addends = most_recent / addend - 1;
    for (int field = 0; field < 2; field++)
        if ((int64_t)bounds.largest[field] - bounds.least[field] > INT32_MAX)
            return 0;
    if (addends < PACK_LANES || most / addend <= count_candidates(spans) || !can_add_predators(scene))
        return 0;
    return (uint32_t)addends;
}

/** The same for all blocks of a row at once. Should there be no room for all, there may be for some. */
LANE_WORD uint32_t survey_row(const struct pack_page *page, const struct flock_scene *scene, uint32_t row)
{
    const uint32_t columns = (uint32_t)scene->params->x.table_cells;
    const uint32_t rows = (uint32_t)scene->params->y.table_cells;
    const uint32_t around[3] = {row == 0 ? rows - 1 : row - 1, row, row == rows - 1 ? 0 : row + 1};
    struct spans spans = {.count = 0};
    for (int i = 0; i < 3; i++)
        add_span(&spans, page->start[around[i] * columns], page->start[(around[i] + 1) * columns]);
    return survey(page->boids, &spans, scene);
}

/** Fly a block one boid at a time, if it must not fly as a pack; else `spans` know how much room sums have.
 *
 * @param room  of the row, if there is any.
 * @return      whether it was flown; `status` says how.
 */
LANE_WORD bool fly_if_unfit(enum flock_status *status, struct spans *spans, uint32_t room,
                            const struct pack_page *page, const struct flock_scene *scene,
                            const struct pack_next *next, const struct block *block)
{
    spans->room = room != 0 ? room : survey(page->boids, spans, scene);
    if (__builtin_expect(spans->room != 0, true))
        return false;
    *status = pack_fly_alone(page, scene, next, block->begin, block->end);
    return true;
}

#else

/* Floats neither saturate nor run over. */

LANE_WORD uint32_t survey_row(const struct pack_page *page, const struct flock_scene *scene, uint32_t row)
{
    (void)page, (void)scene, (void)row;
    return 0;
}

LANE_WORD bool fly_if_unfit(enum flock_status *status, struct spans *spans, uint32_t room,
                            const struct pack_page *page, const struct flock_scene *scene,
                            const struct pack_next *next, const struct block *block)
{
    (void)status, (void)spans, (void)room, (void)page, (void)scene, (void)next, (void)block;
    return false;
}

#endif

#endif
