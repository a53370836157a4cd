/* The k nearest neighbours of a boid.
 *
 * The index sorts the boids along a Hilbert curve. Each eight consecutive boids are a leaf, each eight nodes are a node of the next
 * level, and each node has a bounding box:
 *
 *     level 2   [                     0                     ]
 *     level 1   [         0         ] [         1         ] ...
 *     level 0   [ 0 | 1 | 2 | ... 7 ] [ 8 | 9 | 10 | ... 15 ] ...      eight boids each
 *
 * A search begins at the boid's own leaf and climbs to the root; at each level it visits the sibling nodes whose box
 * is not farther than the k-th neighbour so far. The distance to a box is computed by the same monotonic operations
 * as the distance to a boid, so it is never above the distance to a boid inside, in spite of rounding errors. The
 * neighbours are those with the smallest (d^2, id), whatever the order of the search. Leaves are small in dense
 * regions and large in empty ones. Boxes and positions are stored in groups of eight, coordinate by coordinate, so that compilers turn
 * the loops over a group into SIMD instructions. A synchronous flock is searched in engine/simd/simd_nearest.h, with the
 * same index.
 *
 * If a boid moves during a step, the boxes that contain it are enlarged. Without an index, a search compares the
 * boids in the adjacent cells, or all boids if there is no radius.
 */
#include "nearest.h"

#include "grid.h"
#include "nearest_bounding_boxes.h"
#include "radix_sort.h"

#ifndef FLOCK_HAS_NEAREST_INDEX
#define FLOCK_HAS_NEAREST_INDEX true
#endif

enum {
    CURVE_BITS = 12, /* per axis */
    CURVE_CELLS = 1 << CURVE_BITS,
    STEPS_PER_SORT = 4,
    AHEAD = 16, /* memory is prefetched for the boid that comes this many boids later */
    MAX_CANDIDATES =
        64, /* the grid is as fast as the index if the nine cells around a boid have at most this many boids */
};

bool flock_uses_nearest_index(const struct flock_params *params, uint32_t count)
{
    const unsigned on = flock_rules_on(params, RULES_ALL, true);
    bool is_unlimited = false;
    for (unsigned k = 0; k < 3; k++)
        is_unlimited |= on & 1U << k && flock_is_unlimited(params, flock_rule_at(params, k));
    return FLOCK_HAS_NEAREST_INDEX && on != 0 &&
           (is_unlimited || 9 * (uint64_t)count > MAX_CANDIDATES * (uint64_t)flock_grid_cells(params));
}

static bool has_index(const struct flock *flock)
{
    return FLOCK_HAS_NEAREST_INDEX && flock->nearest.agents;
}

/* The place of a cell on a Hilbert curve. */
static uint32_t hilbert_place(uint32_t x, uint32_t y)
{
    uint32_t place = 0;
    for (uint32_t side = CURVE_CELLS / 2; side > 0; side /= 2) {
        const uint32_t right = (x & side) != 0, up = (y & side) != 0;
        place = 4 * place + ((3 * right) ^ up);
        /* In both lower quadrants the curve is transposed, and in the lower right one it is also mirrored. */
        const uint32_t mirror = up ? 0 : right * (CURVE_CELLS - 1);
        const uint32_t swap = up ? 0 : x ^ y;
        x ^= swap ^ mirror;
        y ^= swap ^ mirror;
    }
    return place;
}

static uint32_t curve_cell(num offset, num_ratio ratio)
{
    const int32_t cell = num_ratio_floor(offset, ratio);
    return cell < 0 ? 0 : cell < CURVE_CELLS ? (uint32_t)cell : CURVE_CELLS - 1;
}

static void widen_interval(num *low, num *high, num a)
{
    if (num_less(a, *low))
        *low = a;
    if (num_less(*high, a))
        *high = a;
}

static struct box box_of_boids(const struct flock_agent *agents, uint32_t count)
{
    struct box box = {agents[0].position, agents[0].position};
    for (uint32_t i = 1; i < count; i++) {
        widen_interval(&box.low.x, &box.high.x, agents[i].position.x);
        widen_interval(&box.low.y, &box.high.y, agents[i].position.y);
    }
    return box;
}

static struct box box_of_boxes(const struct flock_boxes *boxes, uint32_t count)
{
    struct box box = {{boxes->low_x[0], boxes->low_y[0]}, {boxes->high_x[0], boxes->high_y[0]}};
    for (uint32_t i = 1; i < count; i++) {
        widen_interval(&box.low.x, &box.high.x, boxes->low_x[i]);
        widen_interval(&box.low.x, &box.high.x, boxes->high_x[i]);
        widen_interval(&box.low.y, &box.high.y, boxes->low_y[i]);
        widen_interval(&box.low.y, &box.high.y, boxes->high_y[i]);
    }
    return box;
}

static bool is_outside_torus(const struct flock_axis *axis, num low, num high)
{
    return axis->is_torus && (num_less(low, num_zero()) || num_less(axis->length, high));
}

static void set_position(struct flock_nearest_index *index, uint32_t place, struct flock_vec position)
{
    struct flock_nearest_leaf *leaf = &index->leaves[place / FLOCK_NEAREST_LEAF];
    leaf->x[place % FLOCK_NEAREST_LEAF] = position.x;
    leaf->y[place % FLOCK_NEAREST_LEAF] = position.y;
}

static void sort_along_curve(struct flock *flock, const struct box *all)
{
    struct flock_nearest_index *index = &flock->nearest;
    const num width = num_subtract(all->high.x, all->low.x), height = num_subtract(all->high.y, all->low.y);
    const num side = num_less(width, height) ? height : width;
    num_ratio ratio = {0};
    if (!num_is_zero(side))
        ratio = num_ratio_make(CURVE_CELLS, side);
    for (uint32_t i = 0; i < flock->count; i++) {
        const struct flock_vec position = flock->boids[i].position;
        const uint64_t place = hilbert_place(curve_cell(num_subtract(position.x, all->low.x), ratio),
                                             curve_cell(num_subtract(position.y, all->low.y), ratio));
        index->keys[i] = place << 32 | i;
    }
    /* The agents are set afterwards. */
    radix_sort(index->keys, (uint64_t *)(void *)index->agents, flock->count, 2 * CURVE_BITS / RADIX_PASSES);
    for (uint32_t p = 0; p < flock->count; p++)
        index->place_of[(uint32_t)index->keys[p]] = p;
}

static uint32_t smaller_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void find_lowest_ids(struct flock_nearest_index *index, uint32_t count)
{
    for (uint32_t level = 0; level < index->levels; level++)
        for (uint32_t node = 0; node < index->nodes[level]; node++)
            index->boxes[level][node / FLOCK_NEAREST_FAN_OUT].low_id[node % FLOCK_NEAREST_FAN_OUT] =
                UINT32_MAX;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t node = p / FLOCK_NEAREST_LEAF;
        uint32_t *low = &index->boxes[0][node / FLOCK_NEAREST_FAN_OUT].low_id[node % FLOCK_NEAREST_FAN_OUT];
        *low = smaller_of(*low, (uint32_t)index->keys[p]);
    }
    for (uint32_t level = 1; level < index->levels; level++)
        for (uint32_t below = 0; below < index->nodes[level - 1]; below++) {
            const uint32_t node = below / FLOCK_NEAREST_FAN_OUT;
            uint32_t *low =
                &index->boxes[level][node / FLOCK_NEAREST_FAN_OUT].low_id[node % FLOCK_NEAREST_FAN_OUT];
            *low = smaller_of(*low, index->boxes[level - 1][node].low_id[below % FLOCK_NEAREST_FAN_OUT]);
        }
}

/* The neighbours that are found do not depend on the order of the boids, so a new order is computed only every few
 * steps. */
static void place_boids(struct flock *flock, const struct flock_params *params)
{
    struct flock_nearest_index *index = &flock->nearest;
    const struct box all = box_of_boids(flock->boids, flock->count);
    if (index->age == 0) {
        sort_along_curve(flock, &all);
        find_lowest_ids(index, flock->count);
    }
    index->age = (index->age + 1) % STEPS_PER_SORT;
    for (uint32_t p = 0; p < flock->count; p++) {
        if (p + AHEAD < flock->count)
            __builtin_prefetch(&flock->boids[(uint32_t)index->keys[p + AHEAD]]);
        index->agents[p] = flock->boids[(uint32_t)index->keys[p]];
        set_position(index, p, index->agents[p].position);
    }
    index->is_outside = is_outside_torus(&params->x, all.low.x, all.high.x) ||
                        is_outside_torus(&params->y, all.low.y, all.high.y);
}

/* Bound the boids of each leaf, then the nodes of each level. Returns the sum of the widths and heights of the leaves. */
static num bound_nodes(struct flock *flock)
{
    struct flock_nearest_index *index = &flock->nearest;
    num spread = num_zero();
    for (uint32_t level = 0; level < index->levels; level++) {
        const uint32_t fan_out = level == 0 ? FLOCK_NEAREST_LEAF : FLOCK_NEAREST_FAN_OUT;
        const uint32_t below = level == 0 ? flock->count : index->nodes[level - 1];
        for (uint32_t node = 0; node < index->nodes[level]; node++) {
            const uint32_t first = node * fan_out, size = smaller_of(fan_out, below - first);
            const struct box box = level == 0 ? box_of_boids(&index->agents[first], size)
                                              : box_of_boxes(&index->boxes[level - 1][node], size);
            store_box(index->boxes[level], node, &box);
            if (level == 0)
                spread = num_add(spread, num_add(num_subtract(box.high.x, box.low.x),
                                                 num_subtract(box.high.y, box.low.y)));
        }
    }
    return spread;
}

/* The boids are sorted again early if the leaves have become much larger, as after a start at one point. */
void flock_nearest_build(struct flock *flock, const struct flock_params *params)
{
    if (!has_index(flock))
        return;
    struct flock_nearest_index *index = &flock->nearest;
    place_boids(flock, params);
    num spread = bound_nodes(flock);
    if (index->age != 1 && num_less(num_add(index->spread, index->spread), spread)) {
        index->age = 0;
        place_boids(flock, params);
        spread = bound_nodes(flock);
    }
    if (index->age == 1)
        index->spread = spread;
}

void flock_nearest_move(struct flock *flock, uint32_t id, struct flock_agent agent)
{
    if (!has_index(flock))
        return;
    struct flock_nearest_index *index = &flock->nearest;
    const uint32_t place = index->place_of[id];
    index->agents[place] = agent;
    set_position(index, place, agent.position);
    uint32_t node = place / FLOCK_NEAREST_LEAF;
    for (uint32_t level = 0; level < index->levels; level++, node /= FLOCK_NEAREST_FAN_OUT) {
        struct flock_boxes *boxes = &index->boxes[level][node / FLOCK_NEAREST_FAN_OUT];
        const uint32_t k = node % FLOCK_NEAREST_FAN_OUT;
        widen_interval(&boxes->low_x[k], &boxes->high_x[k], agent.position.x);
        widen_interval(&boxes->low_y[k], &boxes->high_y[k], agent.position.y);
    }
}

/* The search for the nearest neighbours of several rules that all choose the same neighbours. */
struct nearest_search {
    const struct flock_params *params;
    const struct flock_nearest_index *index; /* NULL: none */
    const struct flock_agent *me, *agents;
    const uint32_t *boid_of; /* without an index: the ids of the agents; NULL if they are in order of id */
    uint32_t self, agent_count;
    /* The parameters of one of these rules; the others choose the same neighbours. */
    struct perception perception;
    bool is_inside;         /* true if all boids are inside the torus */
    bool has_ties;          /* true if a boid was as far as the farthest neighbour */
    struct flock_axis x, y; /* those of a plane if no neighbour is across the seam */
    bool is_plain;          /* true if the rule has neither a view nor an inner radius */
    num_square radius_squared;
    num_square farthest; /* a boid at a larger distance does not count */
    uint32_t max;
    struct nearest_neighbours found;
};

static uint32_t id_at_place(const struct nearest_search *search, uint32_t place)
{
    return search->index ? (uint32_t)search->index->keys[place]
                         : (search->boid_of ? search->boid_of[place] : place);
}

static void insert_neighbour(struct nearest_search *search, num_square squared, uint32_t place)
{
    const uint32_t id = id_at_place(search, place);
    uint32_t at = search->found.count;
    search->has_ties |= at == search->max && !num_square_less(squared, search->found.at[at - 1].squared);
    while (at > 0 && (num_square_less(squared, search->found.at[at - 1].squared) ||
                      (!num_square_less(search->found.at[at - 1].squared, squared) &&
                       id < search->found.at[at - 1].id)))
        at--;
    if (at >= search->max)
        return;
    search->found.count += search->found.count < search->max;
    for (uint32_t k = search->found.count - 1; k > at; k--)
        search->found.at[k] = search->found.at[k - 1];
    search->found.at[at].squared = squared;
    search->found.at[at].id = id;
    search->found.at[at].place = place;
    if (search->found.count == search->max)
        search->farthest = search->found.at[search->max - 1].squared;
}

static bool counts_as_neighbour(const struct nearest_search *search, struct flock_vec away,
                                num_square squared)
{
    if (search->is_plain)
        return num_square_less(squared, search->radius_squared);
    const struct neighbour_masks masks = perceive_masks(search->params, &search->perception, away, squared);
    return masks.separation || masks.alignment || masks.cohesion;
}

static inline void compare_places(struct nearest_search *search, uint32_t begin, uint32_t end)
{
    for (uint32_t place = begin; place < end; place++) {
        const struct flock_vec away =
            offset_between(search->params, search->me->position, search->agents[place].position);
        const num_square squared = lane_vec_norm_squared(away);
        if (!num_square_less(search->farthest, squared) && place != search->self &&
            counts_as_neighbour(search, away, squared))
            insert_neighbour(search, squared, place);
    }
}

/* The following loops visit the eight boids of a leaf or the eight boxes of a group, on a torus or on a plane. They
 * have no branches, so that compilers generate SIMD instructions. */

/* a - b[k] to the nearest image, for boids that are inside of the torus. */
static inline void leaf_offsets(const struct flock_axis *axis, num a, const num *b, num *offsets)
{
    for (uint32_t k = 0; k < FLOCK_NEAREST_LEAF; k++)
        offsets[k] = num_subtract(a, b[k]);
    if (!axis->is_torus)
        return;
    const num length = axis->length, half = axis->half, minus_half = num_subtract(num_zero(), half);
    for (uint32_t k = 0; k < FLOCK_NEAREST_LEAF; k++) {
        const num below = num_subtract(offsets[k], length), above = num_add(offsets[k], length);
        const num wrapped = num_less(half, offsets[k]) ? below : offsets[k];
        offsets[k] = num_less(offsets[k], minus_half) ? above : wrapped;
    }
}

/* A bit is set for each squared distance that is not above that of the k-th neighbour so far. Branches would be
 * mispredicted. */
static inline unsigned mask_of_near(const struct nearest_search *search, const num_square *squares,
                                    uint32_t count)
{
    unsigned bits = 0;
    for (uint32_t k = 0; k < count; k++)
        bits |= (unsigned)!num_square_less(search->farthest, squares[k]) << k;
    return bits;
}

static void compare_leaf(struct nearest_search *search, uint32_t leaf)
{
    const uint32_t first = leaf * FLOCK_NEAREST_LEAF,
                   end = smaller_of(first + FLOCK_NEAREST_LEAF, search->agent_count);
    if (!search->is_inside) {
        compare_places(search, first, end);
        return;
    }
    const struct flock_nearest_leaf *boids = &search->index->leaves[leaf];
    num x[FLOCK_NEAREST_LEAF], y[FLOCK_NEAREST_LEAF];
    num_square squares[FLOCK_NEAREST_LEAF];
    leaf_offsets(&search->x, search->me->position.x, boids->x, x);
    leaf_offsets(&search->y, search->me->position.y, boids->y, y);
    for (uint32_t k = 0; k < FLOCK_NEAREST_LEAF; k++)
        squares[k] = num_norm_squared(x[k], y[k]);
    for (unsigned left = mask_of_near(search, squares, end - first); left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        if (first + k != search->self &&
            counts_as_neighbour(search, (struct flock_vec){x[k], y[k]}, squares[k]))
            insert_neighbour(search, squares[k], first + k);
    }
}

/* Visit the nodes of a group, without those whose bits are in `skipped`. */
static void search_group(struct nearest_search *search, uint32_t level, uint32_t group, unsigned skipped)
{
    const struct flock_nearest_index *index = search->index;
    const struct flock_vec me = search->me->position;
    const struct nearest_reach reach = {&search->x, &search->y, me, me, search->farthest};
    const uint32_t high_id = search->has_ties ? search->found.at[search->max - 1].id : UINT32_MAX;
    const uint32_t first = group * FLOCK_NEAREST_FAN_OUT;
    const uint32_t size = smaller_of(FLOCK_NEAREST_FAN_OUT, index->nodes[level] - first);
    unsigned left =
        search->is_inside ? nodes_in_reach(&reach, index, level, group, high_id) : (1U << size) - 1;
    for (left &= ~skipped; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        if (level == 0)
            compare_leaf(search, first + k);
        else
            search_group(search, level - 1, first + k, 0);
    }
}

static void search_from_own_leaf(struct nearest_search *search)
{
    const struct flock_nearest_index *index = search->index;
    const struct flock_vec me = search->me->position;
    search->found.count = 0;
    search->has_ties = false;
    search->x = axis_of_search(&search->params->x, me.x, me.x, search->farthest);
    search->y = axis_of_search(&search->params->y, me.y, me.y, search->farthest);
    uint32_t node = search->self / FLOCK_NEAREST_LEAF;
    compare_leaf(search, node);
    for (uint32_t level = 0; level + 1 < index->levels; level++) {
        search_group(search, level, node / FLOCK_NEAREST_FAN_OUT, 1U << node % FLOCK_NEAREST_FAN_OUT);
        node /= FLOCK_NEAREST_FAN_OUT;
    }
}

/* For most boids, the distance of the farthest neighbour is about that of the last step, so a first search has a
 * slightly larger radius. Its result is exact if it finds enough neighbours. */
static void search_index(struct nearest_search *search, num_square *last)
{
    const num_square guess = num_square_widen(*last);
    const bool is_limited = !num_square_is_zero(*last) && num_square_less(guess, search->farthest);
    if (is_limited)
        search->farthest = guess;
    search_from_own_leaf(search);
    if (is_limited && search->found.count < search->max) {
        search->farthest = search->radius_squared;
        search_from_own_leaf(search);
    }
    *last = search->farthest;
}

static void search_cells(struct nearest_search *search, const struct flock_grid *grid, bool is_list)
{
    uint32_t around[9];
    const int n =
        flock_grid_around(search->params, flock_grid_cell(search->params, search->me->position), around);
    for (int c = 0; c < n; c++) {
        const uint32_t begin = grid->start[around[c]];
        if (!is_list)
            compare_places(search, begin, grid->start[around[c] + 1]);
        for (uint32_t j = begin; is_list && j != FLOCK_NONE; j = grid->next[j])
            compare_places(search, j, j + 1);
    }
}

/* Add the neighbours that were found to the sums of `rules`. */
static void add_neighbours(struct neighbour_sums *sums, const struct nearest_search *search, unsigned rules)
{
    const struct perception *perception = &search->perception;
    for (uint32_t i = 0; i < search->found.count; i++) {
        const struct flock_agent *other = &search->agents[search->found.at[i].place];
        const num_square squared = search->found.at[i].squared;
        struct flock_vec away = {num_zero(), num_zero()};
        if (rules & (RULE_SEPARATION | RULE_COHESION))
            away = offset_between(search->params, search->me->position, other->position);
        if (rules & RULE_SEPARATION)
            perceive_separation(&sums->separation, perception, true, away, squared);
        if (rules & RULE_ALIGNMENT)
            perceive_alignment(&sums->alignment, perception, true, other->velocity, search->me->velocity,
                               squared);
        if (rules & RULE_COHESION)
            perceive_cohesion(&sums->cohesion, perception, true, away, squared);
    }
}

void flock_add_nearest(struct neighbour_sums *sums, const struct flock *flock,
                       const struct flock_params *params, enum rule_set wanted, const struct flock_agent *me,
                       bool is_list, const struct view_cones *views)
{
    const struct flock_agent *base = is_list ? flock->boids : flock->grid.slots;
    const uint32_t *boid_of = is_list ? NULL : flock->grid.boid_of;
    const uint32_t at = (uint32_t)(me - base);
    uint32_t id = 0;
    struct nearest_search search; /* not initialised, because the whole list is large */
    search.params = params;
    search.me = me;
    search.agents = base;
    search.boid_of = boid_of;
    search.self = at;
    search.agent_count = flock->count;
    search.index = NULL;
    search.is_inside = search.has_ties = false;
    if (has_index(flock)) {
        search.index = &flock->nearest;
        search.is_inside = !flock->nearest.is_outside;
        search.agents = flock->nearest.agents;
        id = boid_of ? boid_of[at] : at;
        search.self = flock->nearest.place_of[id];
    }
    for (unsigned alike, left = flock_rules_on(params, wanted, true); left != 0; left &= ~alike) {
        const struct flock_rule *rule;
        alike = flock_first_alike(params, left, &rule);
        search.perception = perception_of(params, (enum rule_set)(alike & -alike));
        search.perception.views = views;
        search.is_plain = !rule->has_view && num_square_is_zero(rule->inner_squared);
        search.farthest = search.radius_squared = rule->radius_squared;
        search.found.count = 0;
        search.max = rule->nearest;
        if (search.index)
            search_index(&search, &flock->nearest.last[id]);
        else if (flock_is_unlimited(params, rule))
            compare_places(&search, 0, flock->count);
        else
            search_cells(&search, &flock->grid, is_list);
        add_neighbours(sums, &search, alike);
    }
}
