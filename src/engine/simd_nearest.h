/* The nearest neighbours of SIMD_LANES boids at once: a packet of boids that are adjacent on the curve of the index (core/nearest.c), one
 * per lane.
 *
 * The packet visits a node of the index if any of its boids needs it, and compares each boid of a leaf with all
 * lanes. Each lane keeps a sorted list of its nearest neighbours so far. If the list of a lane depends on the order
 * of two equal distances, the lane is reported, and the caller repeats its search with core/nearest.c, which
 * compares ids.
 */
#ifndef SIMD_NEAREST_H
#define SIMD_NEAREST_H

#include "simd_neighbours.h"

#include <math.h>

/* An integer per lane. */
typedef simd_int simd_ints __attribute__((vector_size(SIMD_BYTES)));

struct nearest_list {
    lane_square squared[NEAREST_MAX]; /* sorted; infinity: none */
    simd_vec place[NEAREST_MAX];      /* integers, not numbers */
};

struct packet {
    const struct flock_params *params;
    struct flock_axis x, y; /* the axes; those of a plane if no candidate of this search is across the seam */
    const struct flock_nearest_index *index;
    const struct flock_rule *rule;
    struct perception perception;
    struct lane_agent me;
    uint32_t first; /* the index of the boid of lane 0 on the curve */
    uint32_t count; /* boids of the flock */
    uint32_t most;
    bool is_plain;        /* true if the rule has neither a view nor an inner radius */
    lane_square farthest; /* the radius of the rule: a boid at a larger distance does not count */
    lane_mask is_tied;    /* lanes whose list depends on the order of two equal distances */
    struct nearest_list *list;
};

LANE_OP lane larger_of(lane a, lane b)
{
#if defined SIMD_X86_V4
    return SIMD_X86_NAME(512, max)(a, b);
#elif defined SIMD_X86_V3
    return SIMD_X86_NAME(256, max)(a, b);
#else
    return lane_select(lane_less(a, b), b, a);
#endif
}

LANE_OP lane smaller_of(lane a, lane b)
{
#if defined SIMD_X86_V4
    return SIMD_X86_NAME(512, min)(a, b);
#elif defined SIMD_X86_V3
    return SIMD_X86_NAME(256, min)(a, b);
#else
    return lane_select(lane_less(a, b), a, b);
#endif
}

LANE_OP lane_vec offset_in(const struct packet *packet, lane_vec there)
{
    return (lane_vec){axis_offset_between(&packet->x, packet->me.position.x, there.x),
                      axis_offset_between(&packet->y, packet->me.position.y, there.y)};
}

/* Insert a candidate into the sorted lists of the lanes in `where`. */
LANE_OP void insert_candidate(struct packet *packet, lane_mask where, lane_square squared, uint32_t place)
{
    const simd_vec new_place = (simd_vec)((simd_ints){0} + (simd_int)place);
    const lane_square distance = lane_select(where, squared, lane_set1((num)INFINITY));
    const uint32_t last = packet->most - 1;
    const lane_square old = packet->list->squared[last];
    lane_mask is_before = lane_less(distance, old);
    for (uint32_t m = last; m > 0; m--) {
        const lane_square next = packet->list->squared[m - 1];
        const lane_mask is_before_next = lane_less(distance, next);
        packet->list->squared[m] = smaller_of(packet->list->squared[m], larger_of(next, distance));
        packet->list->place[m] = lane_select(is_before_next, packet->list->place[m - 1],
                                             lane_select(is_before, new_place, packet->list->place[m]));
        is_before = is_before_next;
    }
    packet->list->squared[0] = smaller_of(packet->list->squared[0], distance);
    packet->list->place[0] = lane_select(is_before, new_place, packet->list->place[0]);
    /* The candidate, or the neighbour that it has displaced, has the same distance as the last neighbour. */
    packet->is_tied =
        lane_or(packet->is_tied, lane_and(where, lane_square_is_zero(old - packet->list->squared[last])));
    packet->farthest = smaller_of(packet->list->squared[last], packet->farthest);
}

LANE_OP lane_mask counts_as_neighbour(const struct packet *packet, lane_vec away, lane_square squared)
{
    if (packet->is_plain)
        return lane_square_less(squared, packet->rule->radius_squared);
    const struct neighbour_masks masks = perceive_masks(packet->params, &packet->perception, away, squared);
    return lane_or(masks.separation, lane_or(masks.alignment, masks.cohesion));
}

/* Compare the boids of a leaf. It is unpredictable which of them are near, so a first loop finds these without
 * branches. */
static void consider_leaf(struct packet *packet, uint32_t leaf)
{
    const uint32_t first = leaf * FLOCK_NEAREST_LEAF;
    const uint32_t n =
        packet->count - first < FLOCK_NEAREST_LEAF ? packet->count - first : FLOCK_NEAREST_LEAF;
    lane_square squares[FLOCK_NEAREST_LEAF];
    lane_mask where[FLOCK_NEAREST_LEAF];
    unsigned near = 0;
    for (uint32_t k = 0; k < n; k++) {
        const lane_vec away = offset_in(packet, lane_vec_set1(packet->index->agents[first + k].position));
        squares[k] = lane_vec_norm_squared(away);
        where[k] = counts_as_neighbour(packet, away, squares[k]);
        if (first + k - packet->first < SIMD_LANES)
            where[k] = lane_and(where[k], simd_mask_all_but(first + k - packet->first));
        near |=
            (unsigned)(simd_mask_bits(lane_and_not(where[k], lane_less(packet->farthest, squares[k]))) != 0)
            << k;
    }
    for (; near != 0; near &= near - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(near);
        insert_candidate(packet, lane_and_not(where[k], lane_less(packet->farthest, squares[k])), squares[k],
                         first + k);
    }
}

/* The distance along an axis to the interval from `low` to `high`: a lower bound of the distance to a boid in it. On
 * a torus, the shorter way counts. */
LANE_OP lane gap_to(const struct flock_axis *axis, lane a, num low, num high)
{
    const lane zero = lane_set1(0), below = lane_set1(low) - a, above = a - lane_set1(high);
    const lane gap = larger_of(zero, larger_of(below, above));
    if (!axis->is_torus)
        return gap;
    const lane other = lane_set1(axis->length) - larger_of(lane_set1(high) - a, a - lane_set1(low));
    return lane_select(lane_less(other, gap), larger_of(zero, other), gap);
}

/* Visit the nodes of a group, without those whose bits are in `skipped`. */
static void visit_group(struct packet *packet, uint32_t level, uint32_t group, unsigned skipped)
{
    const struct flock_nearest_index *index = packet->index;
    const struct flock_boxes *boxes = &index->boxes[level][group];
    const uint32_t first = group * FLOCK_NEAREST_FAN_OUT;
    unsigned near = 0;
    for (uint32_t k = 0; k < FLOCK_NEAREST_FAN_OUT; k++) {
        const lane x = gap_to(&packet->x, packet->me.position.x, boxes->low_x[k], boxes->high_x[k]);
        const lane y = gap_to(&packet->y, packet->me.position.y, boxes->low_y[k], boxes->high_y[k]);
        const lane_mask is_too_far = lane_less(packet->farthest, lane_norm_squared(x, y));
        near |= (unsigned)(simd_mask_bits(is_too_far) != (1U << SIMD_LANES) - 1) << k;
    }
    if (index->nodes[level] - first < FLOCK_NEAREST_FAN_OUT)
        near &= (1U << (index->nodes[level] - first)) - 1;
    for (near &= ~skipped; near != 0; near &= near - 1) {
        const uint32_t node = first + (uint32_t)__builtin_ctz(near);
        if (level == 0)
            consider_leaf(packet, node);
        else
            visit_group(packet, level - 1, node, 0);
    }
}

/* The axis for this packet. On a torus, the axis of a plane gives the same result if the neighbours of all lanes are
 * nearer than the seam and than half the world. */
LANE_OP struct flock_axis axis_of_packet(const struct flock_axis *axis, lane a, lane_square farthest)
{
    struct flock_axis found = *axis;
    const lane room = smaller_of(lane_set1(axis->half), smaller_of(a, lane_set1(axis->length) - a));
    /* A larger number than one, for rounding errors. */
    const lane_mask is_near = lane_less(farthest * lane_set1((num)1.01), room * room);
    found.is_torus = axis->is_torus && simd_mask_bits(is_near) != (1U << SIMD_LANES) - 1;
    return found;
}

static void climb_index(struct packet *packet)
{
    packet->x = axis_of_packet(&packet->params->x, packet->me.position.x, packet->farthest);
    packet->y = axis_of_packet(&packet->params->y, packet->me.position.y, packet->farthest);
    const struct flock_nearest_index *index = packet->index;
    unsigned own = 0;
    uint32_t node = packet->first / FLOCK_NEAREST_LEAF;
    for (uint32_t leaf = node;
         leaf * FLOCK_NEAREST_LEAF < packet->first + SIMD_LANES && leaf < index->nodes[0]; leaf++) {
        consider_leaf(packet, leaf);
        own |= 1U << leaf % FLOCK_NEAREST_FAN_OUT;
    }
    for (uint32_t level = 0; level + 1 < index->levels; level++) {
        visit_group(packet, level, node / FLOCK_NEAREST_FAN_OUT, own);
        node /= FLOCK_NEAREST_FAN_OUT;
        own = 1U << node % FLOCK_NEAREST_FAN_OUT;
    }
}

/* For most boids, the distance of the farthest neighbour is about that of the last step (`last`; 0 if unknown), so a
 * first search has a slightly larger radius. Its result is exact for the lanes in which it finds enough neighbours;
 * the other lanes search again. Returns the distances for the next step. */
LANE_OP lane_square search_index(struct packet *packet, lane_square last)
{
    const lane_square infinity = lane_set1((num)INFINITY), radius = lane_set1(packet->rule->radius_squared);
    const lane_square guess = last + last / 4;
    const lane_mask is_limited = lane_and_not(lane_less(guess, radius), lane_square_is_zero(last));
    packet->farthest = lane_select(is_limited, guess, radius);
    packet->is_tied = lane_mask_set1(false);
    for (uint32_t m = 0; m < packet->most; m++) {
        packet->list->squared[m] = infinity;
        packet->list->place[m] = lane_set1(0);
    }
    climb_index(packet);
    const lane_mask failed =
        lane_and_not(is_limited, lane_less(packet->list->squared[packet->most - 1], infinity));
    if (simd_mask_bits(failed) == 0)
        return packet->farthest;
    const lane_square found = packet->farthest;
    for (uint32_t m = 0; m < packet->most; m++)
        packet->list->squared[m] = lane_select(failed, infinity, packet->list->squared[m]);
    packet->is_tied = lane_and_not(packet->is_tied, failed);
    packet->farthest = lane_select(
        failed, radius, lane_set1(-1)); /* other lanes have such a small radius that no boid is near enough */
    climb_index(packet);
    return lane_select(failed, packet->farthest, found);
}

/* The records at a place per lane. */
LANE_OP struct lane_agent load_places(const struct packet *packet, simd_vec places)
{
    struct flock_agent records[SIMD_LANES];
    const simd_ints at = (simd_ints)places;
    for (int k = 0; k < SIMD_LANES; k++)
        records[k] = packet->index->agents[(uint32_t)at[k]];
    return load(records);
}

/* Sums over the lists, in the order of the lists. */
LANE_OP struct neighbour_sums sum_lists_of_packet(struct packet *packet, unsigned rules)
{
    const struct perception *perception = &packet->perception;
    struct neighbour_sums view = neighbour_sums_zero();
    for (uint32_t m = 0; m < packet->most; m++) {
        const lane_square squared = packet->list->squared[m];
        const lane_mask is_some = lane_less(squared, lane_set1((num)INFINITY));
        if (simd_mask_bits(is_some) == 0)
            break;
        if (m > 0)
            packet->is_tied =
                lane_or(packet->is_tied, lane_square_is_zero(squared - packet->list->squared[m - 1]));
        const struct lane_agent other = load_places(packet, packet->list->place[m]);
        const lane_vec away = offset_between(packet->params, packet->me.position, other.position);
        if (rules & RULE_SEPARATION)
            perceive_separation(&view.separation, perception, is_some, away, squared);
        if (rules & RULE_ALIGNMENT && perception->is_relative)
            perceive_alignment_difference(&view.alignment, is_some, other.velocity, packet->me.velocity);
        if (rules & RULE_ALIGNMENT && !perception->is_relative)
            perceive_alignment(&view.alignment, is_some, other.velocity);
        if (rules & RULE_COHESION)
            perceive_cohesion(&view.cohesion, perception, is_some, away, squared);
    }
    return view;
}

_Static_assert(sizeof(struct nearest_sum) == 4 * sizeof(num), "a sum is a record of four numbers");

LANE_OP void scatter_sum(struct nearest_sum *to, const uint32_t *ids, uint32_t n,
                         const struct neighbour_sum *sum, lane_square farthest)
{
    const simd_vec fields[4] = {sum->x, sum->y, sum->count, farthest};
    num records[4 * SIMD_LANES];
    simd_store_interleaved(records, fields);
    for (uint32_t k = 0; k < n; k++)
        memcpy(&to[ids[k]], &records[4 * k], sizeof *to);
}

static unsigned search_packet(const struct flock_nearest_index *index, const struct flock_params *params,
                              uint32_t count, unsigned rules, uint32_t first, struct nearest_sum *const *sums,
                              uint32_t *lanes)
{
    const struct flock_rule *const all[3] = {&params->separation, &params->alignment, &params->cohesion};
    const int first_rule = __builtin_ctz(rules);
    const struct flock_rule *rule = all[first_rule];
    const uint32_t n = count - first < SIMD_LANES ? count - first : SIMD_LANES;
    uint32_t ids[SIMD_LANES];
    struct flock_agent records[SIMD_LANES];
    num last[SIMD_LANES];
    for (uint32_t k = 0; k < SIMD_LANES; k++) {
        const uint32_t place = first + (k < n ? k : n - 1);
        ids[k] = (uint32_t)index->keys[place];
        records[k] = index->agents[place];
        last[k] = sums[first_rule][ids[k]].farthest;
        /* Prefetch the records of the next packet, which may be anywhere in memory. */
        if (place + SIMD_LANES < count)
            __builtin_prefetch(&sums[first_rule][(uint32_t)index->keys[place + SIMD_LANES]], 1);
    }
    const struct lane_agent me = load(records);
    const struct view_cones views = view_cones_of(params, me.velocity);
    struct nearest_list list;
    struct packet packet = {
        .params = params,
        .index = index,
        .rule = rule,
        .perception = {.wanted = (enum rule_set)(1U << first_rule),
                       .form = params->separation_form,
                       .cohesion_form = params->cohesion_form,
                       .views = rule->has_view ? &views : NULL,
                       .is_relative = params->aligns_differences},
        .me = me,
        .first = first,
        .count = count,
        .most = rule->nearest,
        .is_plain = !rule->has_view && num_square_is_zero(rule->inner_squared),
        .list = &list,
    };
    const lane_square farthest = search_index(&packet, simd_load(last));
    const struct neighbour_sums view = sum_lists_of_packet(&packet, rules);
    const struct neighbour_sum *const found[3] = {&view.separation, &view.alignment, &view.cohesion};
    for (int k = 0; k < 3; k++)
        if (rules & 1U << k)
            scatter_sum(sums[k], ids, n, found[k], farthest);
    *lanes = SIMD_LANES;
    return simd_mask_bits(packet.is_tied) & ((1U << n) - 1);
}

LANE_OP struct neighbour_sum gather_sum(const struct nearest_sum *sums, const uint64_t *keys)
{
    struct nearest_sum records[SIMD_LANES];
    simd_vec fields[4];
    for (int k = 0; k < SIMD_LANES; k++)
        records[k] = sums[(uint32_t)keys[k]];
    simd_load_interleaved(&records[0].x, fields);
    return (struct neighbour_sum){fields[0], fields[1], fields[2]};
}

/* Load the sums of the rules with `nearest` for a block of boids. */
static void load_nearest_sums(struct neighbour_sums *view, const struct flock_params *params,
                              struct nearest_sum *const *sums, const uint64_t *keys)
{
    const unsigned rules = flock_rules_on(params, RULES_ALL, true);
    if (rules & RULE_SEPARATION)
        view->separation = gather_sum(sums[0], keys);
    if (rules & RULE_ALIGNMENT)
        view->alignment = gather_sum(sums[1], keys);
    if (rules & RULE_COHESION)
        view->cohesion = gather_sum(sums[2], keys);
}

#endif
