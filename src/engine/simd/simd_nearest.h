/* Finds the nearest neighbours of the boids of a block, one boid per lane, for rules with `nearest`.
 *
 * The distance of the farthest neighbour of a boid in the last step, with some room, limits the search of its lane. Each boid in the
 * cells that are in reach of the block is compared with all lanes. Each lane keeps a sorted list of its nearest neighbours so far. Lanes
 * that find too few are searched once more, up to a larger distance.
 * For two kinds of boids, core/nearest.c repeats the search: boids whose list depends on the order of two equal distances
 * (only core/nearest.c compares ids), and boids that have not found enough neighbours in reach.
 */
#pragma once

#include "engine/nearest_sums.h"
#include "simd_neighbours.h"

#include <limits.h>
#include <math.h>

/* An integer per lane. */
typedef simd_int simd_ints __attribute__((vector_size(SIMD_BYTES)));

/* CANDIDATES: number of boids that are compared before those in reach of any lane are inserted. TAGS: maximum number of boids that are
 * inserted into the lists of a block. */
enum { CANDIDATES = 8, TAGS = 1 << 8 };

/* The search of one set of rules for the boids of a block. */
struct packet {
    const struct simd_flock *flock;
    const struct flock_params *params;
    const struct flock_rule *rule;
    struct perception perception; /* of the first rule */
    struct view_cones views;
    bool needs_only_distances; /* the neighbours of the rule depend on distances below its radius only */
    struct flock_axis x, y;    /* not a torus if no boid is in reach across the edges of the world */
    uint32_t first;            /* slot of the boid in lane 0 */
    const struct lane_agent *me;
    lane_square
        farthest; /* only boids within this squared distance count: at first the limit of the search, -1 in an unused lane */
    lane_mask is_limited; /* the limit is less than the radius of the rule */
    /* The squared distances of the neighbours so far, in order, and of one boid more. The lowest bits are replaced by the index of the
     * boid in `place`. */
    lane_square nearest[NEAREST_MAX + 1];
    uint32_t count, place[TAGS]; /* slots of the boids that were inserted */
};

/* The squared distance of a neighbour without its index. */
LANE_OP lane_square without_tag(lane_square tagged)
{
    return (lane_square)((simd_ints)tagged & (simd_int)-TAGS);
}

/* Insert a candidate into the lists of the lanes in `where`. If there are too many, no lane searches on. */
LANE_OP void insert_candidate(struct packet *packet, lane_mask where, lane_square squared, uint32_t place)
{
    const lane_square tagged = (lane_square)((simd_ints)without_tag(squared) | (simd_int)packet->count);
    const lane_square distance = lane_select(where, tagged, lane_set1((num)INFINITY));
    lane_square *nearest = packet->nearest, current = nearest[packet->rule->nearest];
    if (packet->count == TAGS) {
        packet->farthest = lane_set1(-1);
        return;
    }
    packet->place[packet->count++] = place;
    for (uint32_t m = packet->rule->nearest; m > 0; m--) {
        const lane_square next = nearest[m - 1];
        nearest[m] = simd_min(current, simd_max(next, distance));
        current = next;
    }
    nearest[0] = simd_min(current, distance);
    /* A NaN, in lanes with too few neighbours, changes nothing. */
    const simd_ints last = (simd_ints)nearest[packet->rule->nearest - 1] | (simd_int)(TAGS - 1);
    packet->farthest = simd_min((lane_square)last, packet->farthest);
}

LANE_OP lane_mask lanes_with_neighbour(const struct packet *packet, lane_vec away, lane_square squared)
{
    if (packet->needs_only_distances)
        return lane_square_less(squared, packet->rule->radius_squared);
    struct perception perception = packet->perception;
    perception.views = packet->rule->has_view ? &packet->views : NULL;
    const struct neighbour_masks masks = perceive_masks(packet->params, &perception, away, squared);
    return lane_or(masks.separation, lane_or(masks.alignment, masks.cohesion));
}

LANE_OP lane_vec offset_from(const struct packet *packet, uint32_t slot, bool is_plane)
{
    const lane_vec there = lane_vec_set1(packet->flock->boids[slot].position), me = packet->me->position;
    if (is_plane)
        return lane_vec_subtract(me, there);
    return (lane_vec){axis_offset_between(&packet->x, me.x, there.x),
                      axis_offset_between(&packet->y, me.y, there.y)};
}

/* `is_simple`: only distances in the plane matter, and the block itself is not in [begin, end). */
LANE_OP void compare_slots(struct packet *packet, uint32_t begin, uint32_t end, bool is_simple)
{
    for (uint32_t first = begin; first < end; first += CANDIDATES) {
        const uint32_t n = end - first < CANDIDATES ? end - first : CANDIDATES;
        lane_square squares[CANDIDATES];
        unsigned near = 0;
        for (uint32_t k = 0; k < n; k++) {
            squares[k] = lane_vec_norm_squared(offset_from(packet, first + k, is_simple));
            const unsigned far = simd_mask_bits(lane_less(packet->farthest, squares[k]));
            near |= (unsigned)(far != (1U << SIMD_LANES) - 1) << k;
        }
        for (; near != 0; near &= near - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(near), place = first + k;
            lane_mask where = lanes_with_neighbour(packet, offset_from(packet, place, is_simple), squares[k]);
            if (!is_simple && place - packet->first < SIMD_LANES)
                where = lane_and(where, simd_mask_all_but(place - packet->first));
            where = lane_and_not(where, lane_less(packet->farthest, squares[k]));
            if (is_simple || simd_mask_bits(where) != 0)
                insert_candidate(packet, where, squares[k], place);
        }
    }
}

/* Compare the boids in columns [left, right], which do not cross the seam of the table. */
static void compare_columns(struct packet *packet, int32_t row, int32_t left, int32_t right)
{
    const uint32_t *start = packet->flock->start + row * packet->params->x.table_cells;
    const uint32_t begin = start[left], end = start[right + 1];
    const bool has_own = begin < packet->first + SIMD_LANES && packet->first < end;
    if (packet->needs_only_distances && !packet->x.is_torus && !packet->y.is_torus && !has_own)
        compare_slots(packet, begin, end, true);
    else
        compare_slots(packet, begin, end, false);
}

/* The cells of an axis from `first` to `last`, counted from the lower edge of the world on; the table is a ring. */
struct cell_range {
    int32_t first, last;
};

/* The cells that may contain a boid between `low` and `high`. The search crosses an edge of a torus only if it leaves the world. */
static struct cell_range find_cells(struct flock_axis *axis, num low, num high, num reach)
{
    struct cell_range cells = {0, axis->table_cells - 1};
    if (!(reach < axis->length))
        return cells;
    cells.first = num_ratio_floor(low - reach, axis->ratio);
    cells.last = num_ratio_floor(high + reach, axis->ratio);
    /* The edge of a torus belongs to its last cell. */
    if (axis->is_torus && cells.first >= axis->cells)
        cells.first = axis->cells - 1;
    if (cells.last - cells.first >= axis->table_cells)
        return (struct cell_range){0, axis->table_cells - 1};
    axis->is_torus = axis->is_torus && (low - reach < 0 || high + reach > axis->length);
    return cells;
}

static int32_t table_index(int32_t cell, int32_t table_cells)
{
    const int32_t index = cell % table_cells;
    return index < 0 ? index + table_cells : index;
}

/* Compare the boids that are in reach of any of the `size` boids of the block. */
static void search_cells(struct packet *packet, uint32_t size)
{
    const struct flock_agent *boids = packet->flock->boids + packet->first;
    const int32_t table_columns = packet->params->x.table_cells;
    struct flock_vec low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    num limits[SIMD_LANES], farthest = -1;
    simd_store(limits, packet->farthest);
    for (uint32_t k = 0; k < size; k++) {
        const struct flock_vec position = boids[k].position;
        if (limits[k] < 0)
            continue;
        low.x = position.x < low.x ? position.x : low.x;
        low.y = position.y < low.y ? position.y : low.y;
        high.x = high.x < position.x ? position.x : high.x;
        high.y = high.y < position.y ? position.y : high.y;
        farthest = farthest < limits[k] ? limits[k] : farthest;
    }
    if (farthest < 0)
        return;
    const num reach = num_widen(NUM_ROOT(farthest));
    const struct cell_range columns = find_cells(&packet->x, low.x, high.x, reach);
    const struct cell_range rows = find_cells(&packet->y, low.y, high.y, reach);
    const int32_t left = table_index(columns.first, table_columns);
    const int32_t right = left + columns.last - columns.first;
    for (int32_t row = rows.first; row <= rows.last; row++) {
        const int32_t table_row = table_index(row, packet->params->y.table_cells);
        compare_columns(packet, table_row, left, right < table_columns ? right : table_columns - 1);
        if (right >= table_columns)
            compare_columns(packet, table_row, 0, right - table_columns);
    }
}

/* The lanes that have found too few boids within a limit. */
LANE_OP lane_mask lanes_short(const struct packet *packet)
{
    const lane_square last = packet->nearest[packet->rule->nearest - 1];
    return lane_and_not(packet->is_limited, lane_less(last, lane_set1((num)INFINITY)));
}

/* Search the lanes in `where` up to this squared distance. */
static void search(struct packet *packet, lane_mask where, lane_square limit, uint32_t size)
{
    const lane_square radius = lane_set1(packet->rule->radius_squared);
    packet->x = packet->params->x;
    packet->y = packet->params->y;
    packet->is_limited = lane_and(packet->is_limited, lane_less(limit, radius));
    packet->farthest = lane_select(where, simd_min(limit, radius), lane_set1(-1));
    for (uint32_t m = 0; m <= packet->rule->nearest; m++)
        packet->nearest[m] = lane_select(where, lane_set1((num)INFINITY), packet->nearest[m]);
    search_cells(packet, size);
}

/* Begin with the distances of the last step, and search once more with a larger distance. */
static void search_twice(struct packet *packet, const num *farthest, uint32_t size)
{
    num last[SIMD_LANES] = {0};
    for (uint32_t k = 0; k < size; k++)
        last[k] = farthest[(uint32_t)packet->me->id[k]];
    /* With less room, more searches would be repeated; with more room, more boids would be compared. */
    const lane_square distance = simd_load(last), guess = distance + distance / 4;
    packet->count = packet->place[0] = 0;
    packet->is_limited = lane_mask_set1(true);
    search(packet, packet->is_limited, lane_select(lane_square_is_zero(distance), lane_set1(-1), guess),
           size);
    const lane_mask is_short = lane_and(lanes_short(packet), lane_less(lane_set1(0), distance));
    if (simd_mask_bits(is_short) != 0)
        search(packet, is_short, 2 * guess, size);
}

/* Add the neighbours of each lane to the sums of `rules`, in order of distance. */
LANE_OP void sum_lists_of_packet(const struct packet *packet, unsigned rules, struct neighbour_sums *sums)
{
    struct neighbour_sums found = *sums; /* in registers */
    /* All records are copied before the first one is loaded, because a load waits if its parts have just been stored. */
    struct flock_agent records[NEAREST_MAX][SIMD_LANES];
    for (uint32_t m = 0; m < packet->rule->nearest; m++)
        for (int k = 0; k < SIMD_LANES; k++) {
            const uint32_t tag = (uint32_t)((simd_ints)packet->nearest[m])[k] % TAGS;
            records[m][k] = packet->flock->boids[packet->place[tag]];
        }
    for (uint32_t m = 0; m < packet->rule->nearest; m++) {
        const lane_mask is_some = lane_less(packet->nearest[m], lane_set1((num)INFINITY));
        if (simd_mask_bits(is_some) == 0)
            break;
        const struct lane_agent other = load(records[m]);
        const lane_vec away = offset_between(packet->params, packet->me->position, other.position);
        perceive_terms(&found, &packet->perception, rules,
                       (struct neighbour_masks){is_some, is_some, is_some}, away, lane_vec_norm_squared(away),
                       other.velocity, packet->me->velocity);
    }
    *sums = found;
}

/* The lanes whose search is to be repeated: those that have found too few boids, or two at distances that may be equal. */
static unsigned lanes_to_repeat(const struct packet *packet)
{
    lane_mask again = lanes_short(packet);
    for (uint32_t m = 1; m <= packet->rule->nearest; m++)
        again = lane_or(again, lane_square_is_zero(without_tag(packet->nearest[m]) -
                                                   without_tag(packet->nearest[m - 1])));
    return packet->count == TAGS ? UINT_MAX : simd_mask_bits(again);
}

/* Repeat the search of the lanes in `again`, and store the distances for the next step. */
static void end_packet(const struct packet *packet, unsigned set, uint32_t size, unsigned again,
                       struct neighbour_sums *sums)
{
    const struct nearest_sums *nearest = packet->flock->nearest;
    struct neighbour_sum *const of_rule[3] = {&sums->separation, &sums->alignment, &sums->cohesion};
    num limits[SIMD_LANES];
    simd_store(limits,
               simd_min(packet->nearest[packet->rule->nearest - 1], lane_set1(packet->rule->radius_squared)));
    for (; again != 0; again &= again - 1) {
        const int k = __builtin_ctz(again);
        struct nearest_sum found[3];
        limits[k] = nearest_sums_search(nearest, packet->first + (uint32_t)k, nearest->rule_sets[set], found);
        for (int rule = 0; rule < 3; rule++) {
            if (!(nearest->rule_sets[set] & 1U << rule))
                continue;
            of_rule[rule]->x[k] = found[rule].x;
            of_rule[rule]->y[k] = found[rule].y;
            of_rule[rule]->count[k] = found[rule].count;
        }
    }
    for (uint32_t k = 0; k < size; k++)
        nearest->farthest[set][(uint32_t)packet->me->id[k]] = limits[k];
}

/* Compute the sums of the rules with `nearest`, which are zero so far, for the `size` boids of a block. */
static void sum_nearest(struct neighbour_sums *sums, const struct simd_flock *flock,
                        const struct flock_params *params, const struct lane_agent *me, uint32_t first,
                        uint32_t size)
{
    const struct nearest_sums *nearest = flock->nearest;
    struct packet packet;
    packet.flock = flock;
    packet.params = params;
    packet.first = first;
    packet.me = me;
    for (unsigned set = 0; set < 3 && nearest->rule_sets[set] != 0; set++) {
        const unsigned first_rule = (unsigned)__builtin_ctz(nearest->rule_sets[set]);
        packet.rule = flock_rule_at(params, first_rule);
        packet.perception = perception_of(params, (enum rule_set)(1U << first_rule));
        packet.needs_only_distances =
            !packet.rule->has_view && num_square_is_zero(packet.rule->inner_squared);
        if (packet.rule->has_view)
            packet.views = view_cones_of(params, me->velocity);
        search_twice(&packet, nearest->farthest[set], size);
        sum_lists_of_packet(&packet, nearest->rule_sets[set], sums);
        const unsigned again = lanes_to_repeat(&packet) & ((1U << size) - 1);
        end_packet(&packet, set, size, again, sums);
    }
}
