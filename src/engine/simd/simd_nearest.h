/* Finds the nearest neighbours of the boids of a node of the tree (nearest_tree.h): 64 boids that are adjacent along the curve.
 *
 * First, the nodes of the same size that are near the bounding box of these boids are listed. Then, for each group of
 * the boids, the leaves near the group are listed. The boids of a group are in packets of
 * SIMD_LANES boids, one per lane, and each boid of a listed leaf is compared with all lanes of a packet. Each lane keeps
 * a sorted list of its nearest neighbours so far. For two kinds of boids, the caller repeats the search with
 * core/nearest.c: boids whose list depends on the order of two equal distances (only core/nearest.c compares ids), and
 * boids that have not found enough neighbours within the radius of the search.
 */
#pragma once

#include "nearest_tree.h"
#include "simd_neighbours.h"

#include <math.h>

/* An integer per lane. */
typedef simd_int simd_ints __attribute__((vector_size(SIMD_BYTES)));

enum {
    /* If many boids have the distance of the farthest neighbour, more nodes are in reach. Then core/nearest.c needs fewer comparisons. */
    MAX_NODES = 32,
    GROUP_BOIDS = (int)SIMD_LANES < (int)TREE_LEAF ? (int)TREE_LEAF : (int)SIMD_LANES,
};

struct node_search {
    const struct flock_params *params;
    const struct nearest_tree *tree;
    const struct flock_rule *rule;
    /* The sum of the rule for each boid, by id, with the squared distance of its farthest neighbour. */
    struct nearest_sum *sums;
    struct perception perception; /* without views */
    bool is_plain;                /* true if the rule has neither a view nor an inner radius */
    uint32_t nodes[MAX_NODES], node_count;
    /* The axes for the current group (if no candidate is across the seam, they are those of a plane), and the leaves to
     * compare, beginning with the group's own leaves. */
    struct flock_axis x, y;
    uint32_t leaves[MAX_NODES * TREE_FAN_OUT], own_leaves, leaf_count;
};

struct packet {
    const struct node_search *search;
    uint32_t first, size; /* index, along the curve, of the boid in lane 0; number of boids in the packet */
    struct lane_agent me;
    struct view_cones views;
    lane_square farthest; /* a boid at a larger distance does not count */
    lane_mask is_limited; /* lanes whose search began with a radius below that of the rule */
    lane_mask is_tied;    /* lanes whose list depends on the order of two equal distances */
    /* The neighbours found so far, sorted by distance. */
    lane_square squared[NEAREST_MAX]; /* infinity: none */
    simd_vec place[NEAREST_MAX];      /* indices along the curve */
};

/* Insert a candidate into the sorted lists of the lanes in `where`. */
LANE_OP void insert_candidate(struct packet *packet, lane_mask where, lane_square squared, uint32_t place)
{
    const simd_vec new_place = (simd_vec)((simd_ints){0} + (simd_int)place);
    const lane_square distance = lane_select(where, squared, lane_set1((num)INFINITY));
    const uint32_t last = packet->search->rule->nearest - 1;
    const lane_square old = packet->squared[last];
    lane_square current = old;
    for (uint32_t m = last; m > 0; m--) {
        const lane_square next = packet->squared[m - 1];
        packet->squared[m] = simd_min(current, simd_max(next, distance));
        packet->place[m] = lane_select(lane_less(distance, next), packet->place[m - 1],
                                       lane_select(lane_less(distance, current), new_place, packet->place[m]));
        current = next;
    }
    packet->squared[0] = simd_min(current, distance);
    packet->place[0] = lane_select(lane_less(distance, current), new_place, packet->place[0]);
    /* The candidate, or the neighbour that it has displaced, has the same distance as the last neighbour. */
    packet->is_tied =
        lane_or(packet->is_tied, lane_and(where, lane_square_is_zero(old - packet->squared[last])));
    packet->farthest = simd_min(packet->squared[last], packet->farthest);
}

/* The lanes for which a candidate at this distance counts. */
LANE_OP lane_mask lanes_with_neighbour(const struct packet *packet, lane_vec away, lane_square squared)
{
    const struct node_search *search = packet->search;
    if (search->is_plain)
        return lane_square_less(squared, search->rule->radius_squared);
    struct perception perception = search->perception;
    perception.views = search->rule->has_view ? &packet->views : NULL;
    const struct neighbour_masks masks = perceive_masks(search->params, &perception, away, squared);
    return lane_or(masks.separation, lane_or(masks.alignment, masks.cohesion));
}

LANE_OP lane_vec offset_from(const struct packet *packet, const struct tree_leaf *leaf, uint32_t k,
                             bool is_plane)
{
    const lane x = lane_set1(leaf->x[k]), y = lane_set1(leaf->y[k]);
    const lane_vec me = packet->me.position;
    if (is_plane)
        return (lane_vec){lane_subtract(me.x, x), lane_subtract(me.y, y)};
    return (lane_vec){axis_offset_between(&packet->search->x, me.x, x),
                      axis_offset_between(&packet->search->y, me.y, y)};
}

/* Compare each boid of a leaf with all lanes of the packet. A processor cannot predict which of them are near, so a
 * first loop finds the near ones without branches. `is_simple` is a compile-time constant. It is true if the leaf has
 * eight boids, none of them in the packet, and all distances are computed as on a plane. */
LANE_OP void compare_leaf(struct packet *packet, uint32_t number, bool is_simple)
{
    const struct tree_leaf *leaf = &packet->search->tree->leaves[number];
    const uint32_t first = number * TREE_LEAF, left = packet->search->tree->count - first;
    const uint32_t n = is_simple || left > TREE_LEAF ? TREE_LEAF : left;
    lane_square squares[TREE_LEAF];
    unsigned near = 0;
    for (uint32_t k = 0; k < n; k++) {
        squares[k] = lane_vec_norm_squared(offset_from(packet, leaf, k, is_simple));
        const unsigned far = simd_mask_bits(lane_less(packet->farthest, squares[k]));
        near |= (unsigned)(far != (1U << SIMD_LANES) - 1) << k;
    }
    for (; near != 0; near &= near - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(near), place = first + k;
        lane_mask where = lanes_with_neighbour(packet, offset_from(packet, leaf, k, is_simple), squares[k]);
        if (!is_simple && place - packet->first < SIMD_LANES)
            where = lane_and(where, simd_mask_all_but(place - packet->first));
        where = lane_and_not(where, lane_less(packet->farthest, squares[k]));
        if (is_simple || simd_mask_bits(where) != 0)
            insert_candidate(packet, where, squares[k], place);
    }
}

/* Compare a packet with the boids in the listed leaves. */
static void search_leaves(struct packet *packet)
{
    const struct node_search *search = packet->search;
    const uint32_t full = search->tree->count / TREE_LEAF;
    const bool is_simple = search->is_plain && !search->x.is_torus && !search->y.is_torus;
    for (uint32_t i = 0; i < search->leaf_count; i++) {
        if (is_simple && i >= search->own_leaves && search->leaves[i] < full)
            compare_leaf(packet, search->leaves[i], true);
        else
            compare_leaf(packet, search->leaves[i], false);
    }
}

/* The bounding box of boids [first, first + size) along the curve, and the largest known distance of a neighbour of any of them, made
 * larger as in load_packet(). */
static struct nearest_reach reach_of_boids(const struct node_search *search, uint32_t first, uint32_t size)
{
    const struct nearest_tree *tree = search->tree;
    const struct flock_vec start = tree->agents[first].position;
    struct nearest_reach reach = {&search->params->x, &search->params->y, start, start, 0};
    for (uint32_t k = first; k < first + size; k++) {
        const struct flock_vec position = tree->agents[k].position;
        reach.low.x = position.x < reach.low.x ? position.x : reach.low.x;
        reach.low.y = position.y < reach.low.y ? position.y : reach.low.y;
        reach.high.x = larger_num(reach.high.x, position.x);
        reach.high.y = larger_num(reach.high.y, position.y);
        reach.farthest = larger_num(reach.farthest, search->sums[(uint32_t)tree->keys[k]].farthest);
    }
    reach.farthest = num_square_widen(reach.farthest);
    return reach;
}

/* Load a packet. For most boids, the distance of the farthest neighbour is about that of the last step, so the search
 * has a slightly larger radius. If that distance is unknown (0), the search finds no boid and must be repeated. */
static void load_packet(struct packet *packet)
{
    const struct node_search *search = packet->search;
    const lane_square radius = lane_set1(search->rule->radius_squared);
    const uint64_t *keys = search->tree->keys;
    struct flock_agent records[SIMD_LANES];
    num last[SIMD_LANES];
    for (uint32_t k = 0; k < SIMD_LANES; k++) {
        const uint32_t place = packet->first + (k < packet->size ? k : packet->size - 1);
        records[k] = search->tree->agents[place];
        last[k] = search->sums[(uint32_t)keys[place]].farthest;
        /* Prefetch the sums of the next node, which may be anywhere in memory. */
        if (place + TREE_NODE_BOIDS < search->tree->count)
            __builtin_prefetch(&search->sums[(uint32_t)keys[place + TREE_NODE_BOIDS]], 1);
    }
    packet->me = load(records);
    if (search->rule->has_view)
        packet->views = view_cones_of(search->params, packet->me.velocity);
    const lane_square distance = simd_load(last), guess = distance + distance / 4;
    const lane_mask is_unknown = lane_square_is_zero(distance);
    packet->is_limited = lane_or(lane_less(guess, radius), is_unknown);
    packet->farthest = lane_select(is_unknown, lane_set1(-1), simd_min(guess, radius));
    packet->is_tied = lane_mask_set1(false);
    for (uint32_t m = 0; m < search->rule->nearest; m++) {
        packet->squared[m] = lane_set1((num)INFINITY);
        packet->place[m] = lane_set1(0);
    }
}

/* Load one record per lane, from the place that the lane specifies. */
LANE_OP struct lane_agent load_places(const struct flock_agent *agents, simd_vec places)
{
    struct flock_agent records[SIMD_LANES];
    const simd_ints at = (simd_ints)places;
    for (int k = 0; k < SIMD_LANES; k++)
        records[k] = agents[(uint32_t)at[k]];
    return load(records);
}

/* Sums over the neighbours, in the order of the lists. */
LANE_OP struct neighbour_sums sum_lists_of_packet(struct packet *packet, unsigned rules)
{
    const struct perception *perception = &packet->search->perception;
    struct neighbour_sums sums = neighbour_sums_zero();
    for (uint32_t m = 0; m < packet->search->rule->nearest; m++) {
        const lane_square squared = packet->squared[m];
        const lane_mask is_some = lane_less(squared, lane_set1((num)INFINITY));
        if (simd_mask_bits(is_some) == 0)
            break;
        if (m > 0)
            packet->is_tied = lane_or(packet->is_tied, lane_square_is_zero(squared - packet->squared[m - 1]));
        const struct lane_agent other = load_places(packet->search->tree->agents, packet->place[m]);
        const lane_vec away = offset_between(packet->search->params, packet->me.position, other.position);
        if (rules & RULE_SEPARATION)
            perceive_separation(&sums.separation, perception, is_some,
                                perceive_separation_term(perception, away, other.velocity), squared);
        if (rules & RULE_ALIGNMENT)
            perceive_alignment(&sums.alignment, perception, is_some, other.velocity, packet->me.velocity,
                               squared);
        if (rules & RULE_COHESION)
            perceive_cohesion(&sums.cohesion, perception, is_some, away, squared);
    }
    return sums;
}

_Static_assert(sizeof(struct nearest_sum) == 4 * sizeof(num), "a sum is a record of four numbers");

LANE_OP void scatter_sum(struct nearest_sum *to, const uint64_t *keys, uint32_t n,
                         const struct neighbour_sum *sum, lane_square farthest)
{
    const simd_vec fields[4] = {sum->x, sum->y, sum->count, farthest};
    num records[4 * SIMD_LANES];
    simd_store_interleaved(records, fields);
    for (uint32_t k = 0; k < n; k++)
        memcpy(&to[(uint32_t)keys[k]], &records[4 * k], sizeof *to);
}

/* Write the sums of a packet; returns a bit for each lane whose search must be repeated. */
static unsigned store_packet(struct packet *packet, unsigned rules, struct nearest_sum *const *results)
{
    const struct neighbour_sums sums = sum_lists_of_packet(packet, rules);
    const struct neighbour_sum *const sum_of[3] = {&sums.separation, &sums.alignment, &sums.cohesion};
    const uint64_t *keys = packet->search->tree->keys + packet->first;
    for (int k = 0; k < 3; k++)
        if (rules & 1U << k)
            scatter_sum(results[k], keys, packet->size, sum_of[k], packet->farthest);
    const lane_square last = packet->squared[packet->search->rule->nearest - 1];
    const lane_mask is_short = lane_and_not(packet->is_limited, lane_less(last, lane_set1((num)INFINITY)));
    return simd_mask_bits(lane_or(packet->is_tied, is_short)) & ((1U << packet->size) - 1);
}

/* List the nodes of eight leaves that may contain a neighbour. False if they are too many. */
static bool list_nodes(struct node_search *search, const struct nearest_reach *reach, uint32_t level,
                       uint32_t group)
{
    const struct nearest_tree *tree = search->tree;
    for (unsigned near = nodes_in_reach(reach, tree, level, group); near != 0; near &= near - 1) {
        const uint32_t node = group * TREE_FAN_OUT + (uint32_t)__builtin_ctz(near);
        if (level == 1 ? search->node_count == MAX_NODES : !list_nodes(search, reach, level - 1, node))
            return false;
        if (level == 1)
            search->nodes[search->node_count++] = node;
    }
    return true;
}

/* List the leaves to compare with a group: its own leaves, then all others in the listed nodes that may contain a neighbour. */
static void list_leaves(struct node_search *search, uint32_t first, uint32_t size)
{
    const struct flock_params *params = search->params;
    const uint32_t own = first / TREE_LEAF;
    struct nearest_reach reach = reach_of_boids(search, first, size);
    search->x = axis_of_search(&params->x, reach.low.x, reach.high.x, reach.farthest);
    search->y = axis_of_search(&params->y, reach.low.y, reach.high.y, reach.farthest);
    reach.x = &search->x;
    reach.y = &search->y;
    search->own_leaves = (size + TREE_LEAF - 1) / TREE_LEAF;
    for (search->leaf_count = 0; search->leaf_count < search->own_leaves; search->leaf_count++)
        search->leaves[search->leaf_count] = own + search->leaf_count;
    for (uint32_t i = 0; i < search->node_count; i++) {
        unsigned near = nodes_in_reach(&reach, search->tree, 0, search->nodes[i]);
        for (; near != 0; near &= near - 1) {
            const uint32_t leaf = search->nodes[i] * TREE_FAN_OUT + (uint32_t)__builtin_ctz(near);
            if (leaf - own >= search->own_leaves)
                search->leaves[search->leaf_count++] = leaf;
        }
    }
}

static uint32_t smaller_count(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint64_t search_node(const struct nearest_tree *tree, const struct flock_params *params,
                            unsigned rules, uint32_t node, struct nearest_sum *const *sums)
{
    const int first_rule = __builtin_ctz(rules);
    const struct flock_rule *rule = flock_rule_at(params, (unsigned)first_rule);
    const uint32_t begin = node * TREE_NODE_BOIDS,
                   end = begin + smaller_count(TREE_NODE_BOIDS, tree->count - begin);
    struct node_search search; /* not initialised, because the lists are large */
    struct packet packet;      /* not initialised either */
    search.params = params;
    search.tree = tree;
    search.rule = rule;
    search.sums = sums[first_rule];
    search.is_plain = !rule->has_view && num_square_is_zero(rule->inner_squared);
    search.perception = perception_of(params, (enum rule_set)(1U << first_rule));
    search.node_count = 0;
    packet.search = &search;
    const struct nearest_reach reach = reach_of_boids(&search, begin, end - begin);
    if (tree->levels > 1 && !list_nodes(&search, &reach, tree->levels - 1, 0))
        return UINT64_MAX >> (TREE_NODE_BOIDS - (end - begin));
    uint64_t again = 0;
    for (uint32_t group = begin; group < end; group += GROUP_BOIDS) {
        const uint32_t group_end = smaller_count(group + GROUP_BOIDS, end);
        list_leaves(&search, group, group_end - group);
        for (packet.first = group; packet.first < group_end; packet.first += SIMD_LANES) {
            packet.size = smaller_count(SIMD_LANES, group_end - packet.first);
            load_packet(&packet);
            search_leaves(&packet);
            again |= (uint64_t)store_packet(&packet, rules, sums) << (packet.first - begin);
        }
    }
    return again;
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
static void load_nearest_sums(struct neighbour_sums *sums, const struct flock_params *params,
                              struct nearest_sum *const *nearest, const uint64_t *keys)
{
    const unsigned rules = flock_rules_on(params, RULES_ALL, true);
    if (rules & RULE_SEPARATION)
        sums->separation = gather_sum(nearest[0], keys);
    if (rules & RULE_ALIGNMENT)
        sums->alignment = gather_sum(nearest[1], keys);
    if (rules & RULE_COHESION)
        sums->cohesion = gather_sum(nearest[2], keys);
}
