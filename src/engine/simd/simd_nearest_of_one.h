/* The nearest neighbours of one boid, with eight nodes of the index (core/nearest.c) or eight boids at once.
 *
 * First, the leaves within reach are listed, level by level from the root, then the boids in these leaves that are within reach. The rank
 * of a boid is the number of listed boids that are nearer. The loops have few branches, because a processor cannot predict which boids are
 * near. */
#ifndef SIMD_NEAREST_OF_ONE_H
#define SIMD_NEAREST_OF_ONE_H

#include "simd_boxes.h"
#include "simd_nearest.h"

enum {
    EIGHT = 8, /* boids in a leaf, nodes in a group */
    LISTED_MAX = 64,
    LIST_SIZE = LISTED_MAX + EIGHT + SIMD_LANES_MAX,
};

_Static_assert((int)FLOCK_NEAREST_LEAF == (int)EIGHT && (int)FLOCK_NEAREST_FAN_OUT == (int)EIGHT,
               "leaves and groups have the same size");

/* A boid in all lanes, and the region of its search. */
struct boid_reach {
    lane_vec me;
    lane farthest;          /* a boid at a larger distance does not count */
    struct flock_axis x, y; /* those of a plane if no neighbour is across the seam */
};

struct boid_search {
    const struct flock_params *params;
    const struct flock_nearest_index *index;
    const struct flock_rule *rule;
    struct perception perception;
    struct view_cones views;
    bool is_plain;        /* true if the rule has neither a view nor an inner radius */
    uint32_t count, self; /* boids of the flock; place of the boid along the curve */
    struct boid_reach reach;
    /* Lists of nodes of two adjacent levels; at the end, the first one has the leaves. */
    uint32_t nodes[2][LIST_SIZE];
    num squares[LIST_SIZE * EIGHT]; /* squared distances of the boids in the leaves */
    uint32_t near[LIST_SIZE];       /* places in `squares` */
};

/* Load lanes from eight numbers, beginning with number k. */
LANE_OP lane load_of_eight(const num *numbers, uint32_t k)
{
    lane a = {0};
    memcpy(&a, numbers + k, (int)SIMD_LANES < (int)EIGHT ? sizeof a : EIGHT * sizeof *numbers);
    return a;
}

/* For each set bit of eight, lowest first, append base + its number to a list. Returns the number of set bits. */
LANE_OP uint32_t append_of_eight(uint32_t *list, uint32_t base, unsigned bits)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < EIGHT; k += SIMD_LANES)
        count += simd_append_lanes(list + count, base + k, bits >> k & ((1U << SIMD_LANES) - 1));
    return count;
}

/* Bits of the first `count` of eight. */
LANE_OP unsigned first_of_eight(uint32_t count)
{
    return count < EIGHT ? (1U << count) - 1 : (1U << EIGHT) - 1;
}

/* A bit for each of eight boxes that is out of reach. */
LANE_OP unsigned far_boxes(const struct boid_reach *reach, const struct flock_boxes *boxes)
{
    unsigned far = 0;
    for (uint32_t k = 0; k < EIGHT; k += SIMD_LANES) {
        const lane x =
            gaps_to(&reach->x, reach->me.x, load_of_eight(boxes->low_x, k), load_of_eight(boxes->high_x, k));
        const lane y =
            gaps_to(&reach->y, reach->me.y, load_of_eight(boxes->low_y, k), load_of_eight(boxes->high_y, k));
        far |= simd_mask_bits(lane_less(reach->farthest, lane_norm_squared(x, y))) << k;
    }
    return far;
}

/* List the leaves within reach. Returns their number; if it exceeds LISTED_MAX, the list is not complete. */
LANE_OP uint32_t list_near_leaves(struct boid_search *search, bool is_plane)
{
    struct boid_reach reach = search->reach;
    if (is_plane)
        reach.x.is_torus = reach.y.is_torus = false;
    uint32_t count = 1, level = search->index->levels - 1;
    for (search->nodes[level % 2][0] = 0; level > 0 && count <= LISTED_MAX; level--) {
        const struct flock_boxes *boxes = search->index->boxes[level - 1];
        const uint32_t *groups = search->nodes[level % 2], group_count = count,
                       below = search->index->nodes[level - 1];
        uint32_t *nodes = search->nodes[(level - 1) % 2];
        count = 0;
        for (uint32_t i = 0; i < group_count && count <= LISTED_MAX; i++) {
            const uint32_t first = groups[i] * EIGHT;
            const unsigned far = far_boxes(&reach, &boxes[groups[i]]);
            count += append_of_eight(nodes + count, first, ~far & first_of_eight(below - first));
        }
    }
    return count;
}

/* The lanes with candidates that count, if they are within reach. */
LANE_OP lane_mask lanes_that_count(const struct boid_search *search, lane_vec away, lane_square squared)
{
    if (search->is_plain)
        return lane_square_less(squared, search->rule->radius_squared);
    const struct neighbour_masks masks = perceive_masks(search->params, &search->perception, away, squared);
    return lane_or(masks.separation, lane_or(masks.alignment, masks.cohesion));
}

/* Compare eight boids of a leaf, and store their squared distances. Returns a bit for each that counts. */
LANE_OP unsigned compare_eight(const struct boid_search *search, const struct boid_reach *reach,
                               const struct flock_nearest_leaf *leaf, num *squares, bool is_plane)
{
    unsigned near = 0;
    for (uint32_t k = 0; k < EIGHT; k += SIMD_LANES) {
        const lane_vec there = {load_of_eight(leaf->x, k), load_of_eight(leaf->y, k)};
        const lane_vec away = is_plane ? lane_vec_subtract(reach->me, there)
                                       : (lane_vec){axis_offset_between(&reach->x, reach->me.x, there.x),
                                                    axis_offset_between(&reach->y, reach->me.y, there.y)};
        const lane_square squared = lane_vec_norm_squared(away);
        const lane_mask counts = lanes_that_count(search, away, squared);
        near |= simd_mask_bits(lane_and_not(counts, lane_less(reach->farthest, squared))) << k;
        simd_store(squares + k, squared);
    }
    return near;
}

/* List the boids within reach in the listed leaves. Returns their number; if it exceeds LISTED_MAX, the list is not complete. */
LANE_OP uint32_t list_near_boids(struct boid_search *search, uint32_t leaf_count, bool is_plane)
{
    const struct boid_reach reach = search->reach;
    const struct flock_nearest_leaf *leaves = search->index->leaves;
    const uint32_t self = search->self, boids = search->count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < leaf_count && count <= LISTED_MAX; i++) {
        const uint32_t leaf = search->nodes[0][i], first = leaf * EIGHT, own = self - first;
        const unsigned near =
            compare_eight(search, &reach, &leaves[leaf], search->squares + i * EIGHT, is_plane);
        const unsigned others = first_of_eight(boids - first) & ~((unsigned)(own < EIGHT) << own % EIGHT);
        count += append_of_eight(search->near + count, i * EIGHT, near & others);
    }
    return count;
}

LANE_OP uint32_t list_boids(struct boid_search *search, bool is_plane)
{
    const uint32_t leaves = list_near_leaves(search, is_plane);
    return leaves > LISTED_MAX ? leaves : list_near_boids(search, leaves, is_plane);
}

static uint32_t list_boids_on_plane(struct boid_search *search)
{
    return list_boids(search, true);
}

static uint32_t list_boids_on_torus(struct boid_search *search)
{
    return list_boids(search, false);
}

/* Sort the listed boids by distance. False if two distances are equal. */
static bool sort_near_boids(const struct boid_search *search, uint32_t count,
                            struct nearest_neighbours *found)
{
    num squares[LIST_SIZE], ranks[LIST_SIZE];
    uint32_t order[LISTED_MAX];
    uint64_t has_rank = 0;
    for (uint32_t i = 0; i < count; i++)
        squares[i] = search->squares[search->near[i]];
    for (uint32_t i = 0; i < count; i += SIMD_LANES) {
        lane rank = lane_set1(0);
        const lane squared = simd_load(&squares[i]);
        for (uint32_t j = 0; j < count; j++)
            rank = lane_count_add(lane_less(lane_set1(squares[j]), squared), rank);
        simd_store(&ranks[i], rank);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = (uint32_t)(int32_t)ranks[i];
        order[rank] = i;
        has_rank |= UINT64_C(1) << rank;
    }
    if (has_rank != (count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX))
        return false;
    found->count = smaller_count(count, search->rule->nearest);
    for (uint32_t m = 0; m < found->count; m++) {
        const uint32_t near = search->near[order[m]];
        found->at[m].place = search->nodes[0][near / EIGHT] * EIGHT + near % EIGHT;
        found->at[m].squared = squares[order[m]];
    }
    return true;
}

/* Search within a radius. Returns the number of boids found, which is above LISTED_MAX if the lists are not complete. */
static uint32_t search_within(struct boid_search *search, struct flock_vec me, num_square farthest)
{
    search->reach.farthest = lane_set1(farthest);
    search->reach.x = axis_of_search(&search->params->x, me.x, me.x, farthest);
    search->reach.y = axis_of_search(&search->params->y, me.y, me.y, farthest);
    return search->reach.x.is_torus || search->reach.y.is_torus ? list_boids_on_torus(search)
                                                                : list_boids_on_plane(search);
}

/* flock_find_nearest(). For most boids, the distance of the farthest neighbour is about that of the last step, so the first search has a
 * slightly larger radius. */
static bool find_nearest(struct nearest_neighbours *found, const struct flock_nearest_index *index,
                         const struct flock_params *params, uint32_t count, unsigned rules, uint32_t place,
                         num_square *last)
{
    const struct flock_agent *me = &index->agents[place];
    const struct flock_rule *rule = flock_rule_at(params, (unsigned)__builtin_ctz(rules));
    struct boid_search search; /* not initialised, because the lists are large */
    search.params = params;
    search.index = index;
    search.rule = rule;
    search.is_plain = !rule->has_view && num_square_is_zero(rule->inner_squared);
    search.count = count;
    search.self = place;
    search.reach.me = lane_vec_set1(me->position);
    search.perception = perception_of(params, (enum rule_set)(rules & -rules));
    if (rule->has_view) {
        search.views = view_cones_of(params, lane_vec_set1(me->velocity));
        search.perception.views = &search.views;
    }
    if (num_square_is_zero(*last))
        return false;
    uint32_t near;
    num_square farthest = num_square_widen(*last);
    for (;; farthest += farthest) {
        farthest = farthest < rule->radius_squared ? farthest : rule->radius_squared;
        near = search_within(&search, me->position, farthest);
        if (near >= rule->nearest || farthest == rule->radius_squared)
            break;
    }
    if (near > LISTED_MAX || !sort_near_boids(&search, near, found))
        return false;
    *last = near < rule->nearest ? farthest : found->at[found->count - 1].squared;
    return true;
}

#endif
