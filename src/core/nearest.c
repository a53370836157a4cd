/* The k nearest neighbours of a boid, from the cells of the grid.
 *
 * A search visits rings of cells around the boid's own cell, each cell of the table once:
 *
 *     2 2 2 2 2
 *     2 1 1 1 2
 *     2 1 0 1 2       0: the boid's own cell
 *     2 1 1 1 2
 *     2 2 2 2 2
 *
 * It ends when no boid in a further ring can be as near as the k-th neighbour found so far. The neighbours are those with the
 * smallest (d^2, id), whatever the order of the search. Synchronous flocks of floats are searched in engine/simd/simd_nearest.h, with
 * a tree of boids and the same result.
 */
#include "nearest.h"

#include "grid.h"

/* The search for the nearest neighbours of one rule, or of all plain rules: those without a view and without an inner radius. The
 * neighbours within the largest radius are sorted by distance, and each plain rule takes the first of them. */
struct nearest_search {
    const struct flock_params *params;
    const struct flock_grid *grid;
    const struct flock_agent *me, *agents;
    uint32_t id;
    bool is_list;
    struct perception perception; /* for the rules that share the search */
    bool needs_only_distances;
    num_square radius_squared; /* of the rule with the largest radius */
    num_square farthest;       /* a boid at a larger distance does not count */
    uint32_t max, count;
    struct nearest_neighbour {
        num_square squared;
        uint32_t id, place;
    } found[NEAREST_MAX]; /* `count` neighbours, sorted by distance, then id */
};

static bool is_before(num_square squared, uint32_t id, const struct nearest_neighbour *other)
{
    return num_square_less(squared, other->squared) ||
           (!num_square_less(other->squared, squared) && id < other->id);
}

static void insert_neighbour(struct nearest_search *search, num_square squared, uint32_t id, uint32_t place)
{
    struct nearest_neighbour *at = search->found;
    const uint32_t last = search->max - 1;
    if (search->count > last && !is_before(squared, id, &at[last]))
        return;
    search->count += search->count <= last;
    uint32_t k = search->count - 1;
    for (; k > 0 && is_before(squared, id, &at[k - 1]); k--)
        at[k] = at[k - 1];
    at[k] = (struct nearest_neighbour){squared, id, place};
    if (search->count > last)
        search->farthest = at[last].squared;
}

static bool counts_as_neighbour(const struct nearest_search *search, struct flock_vec away,
                                num_square squared)
{
    if (search->needs_only_distances)
        return num_square_less(squared, search->radius_squared);
    const struct neighbour_masks masks = perceive_masks(search->params, &search->perception, away, squared);
    return masks.separation || masks.alignment || masks.cohesion;
}

/* Compare the boids in cells [first, last]; a list has one cell. */
static void compare_cells(struct nearest_search *search, int32_t first, int32_t last)
{
    const struct flock_grid *grid = search->grid;
    const uint32_t end = search->is_list ? FLOCK_NONE : grid->start[last + 1];
    for (uint32_t j = grid->start[first]; j != end; j = search->is_list ? grid->next[j] : j + 1) {
        const struct flock_vec away =
            offset_between(search->params, search->me->position, search->agents[j].position);
        const num_square squared = lane_vec_norm_squared(away);
        if (num_square_less(search->farthest, squared) || !counts_as_neighbour(search, away, squared))
            continue;
        const uint32_t id = search->is_list ? j : grid->boid_of[j];
        if (id != search->id)
            insert_neighbour(search, squared, id, j);
    }
}

static int32_t smaller_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t larger_of(int32_t a, int32_t b)
{
    return a < b ? b : a;
}

/* The number of borders of cells between two places of an axis, but at least 1. */
static int32_t borders_between(const struct flock_axis *axis, num low, num high)
{
    return larger_of(num_ratio_floor(high, axis->ratio) - num_ratio_floor(low, axis->ratio), 1);
}

/* The numbers of cells before and after that of a boid: all of the axis, which is a ring, or only those which may contain a boid as
 * near as the k-th neighbour found so far. The distance `reach` is slightly enlarged, like the cells, to allow for rounding errors.
 * The cells of a torus are the same when they are counted from its upper edge; this cannot overflow. */
static void find_cells_in_reach(const struct flock_axis *axis, num at, const num *reach, int32_t cells[2])
{
    const int32_t half = axis->table_cells / 2;
    const num left = num_subtract(axis->length, at);
    cells[0] = (axis->table_cells - 1) / 2;
    cells[1] = half;
    if (!reach || !num_less(*reach, axis->length) || num_ratio_floor(*reach, axis->ratio) + 1 >= half)
        return;
    cells[0] = borders_between(axis, num_subtract(at, *reach), at);
    cells[1] = axis->is_torus ? borders_between(axis, num_subtract(left, *reach), left)
                              : borders_between(axis, at, num_add(at, *reach));
}

/* Wrap the index of a row or column: the table is a ring. */
static int32_t on_ring(int32_t index, int32_t cells)
{
    return index < 0 ? index + cells : index < cells ? index : index - cells;
}

/* Compare the boids in columns [left, right] of a row. Up to the seam of the table, these are adjacent, unless cells are lists. */
static void compare_row(struct nearest_search *search, int32_t row, int32_t left, int32_t right)
{
    const int32_t columns = search->params->x.table_cells;
    const int32_t begin = on_ring(row, search->params->y.table_cells) * columns;
    for (int32_t last; left <= right; left = last + 1) {
        last = search->is_list ? left
                               : smaller_of(right, left < 0         ? -1
                                                   : left < columns ? columns - 1
                                                                    : right);
        compare_cells(search, begin + on_ring(left, columns), begin + on_ring(last, columns));
    }
}

/* Each cell of the table is visited in the direction in which it is nearer. The first two rings are always
 * visited. After them, the cells in reach are found again only when the k-th neighbour is nearer than before: the root takes long
 * on a board. */
static void search_rings(struct nearest_search *search)
{
    const struct flock_axis *x = &search->params->x, *y = &search->params->y;
    const struct flock_vec position = search->me->position;
    const int32_t cell = (int32_t)flock_grid_cell(search->params, position);
    const int32_t own_column = cell % x->table_cells, own_row = cell / x->table_cells;
    num_square known = search->farthest;
    int32_t columns[2], rows[2], last = 0;
    for (int32_t ring = 0; ring <= last; ring++) {
        if (ring == 0 || ring == 2 || num_square_less(search->farthest, known)) {
            const num reach = ring < 2 ? num_zero() : num_widen(num_length(search->farthest));
            known = search->farthest;
            find_cells_in_reach(x, position.x, ring < 2 ? NULL : &reach, columns);
            find_cells_in_reach(y, position.y, ring < 2 ? NULL : &reach, rows);
            last = larger_of(larger_of(columns[0], columns[1]), larger_of(rows[0], rows[1]));
        }
        const int32_t left = own_column - smaller_of(ring, columns[0]);
        const int32_t right = own_column + smaller_of(ring, columns[1]);
        const int32_t top = own_row - smaller_of(ring, rows[0]);
        const int32_t bottom = own_row + smaller_of(ring, rows[1]);
        for (int32_t row = top; row <= bottom; row++) {
            if (row == own_row - ring || row == own_row + ring) {
                compare_row(search, row, left, right);
                continue;
            }
            if (left == own_column - ring)
                compare_row(search, row, left, left);
            if (right == own_column + ring)
                compare_row(search, row, right, right);
        }
    }
}

/* The rules in `rules` that use the neighbour at index `place` of the list. */
static unsigned rules_that_choose(const struct nearest_search *search, unsigned rules, uint32_t place)
{
    for (unsigned k = 0; k < 3; k++) {
        const struct flock_rule *rule = flock_rule_at(search->params, k);
        if (place >= rule->nearest || !num_square_less(search->found[place].squared, rule->radius_squared))
            rules &= ~(1U << k);
    }
    return rules;
}

/* Add the neighbours that were found to the sums of the rules that share the search. */
static void add_neighbours(struct neighbour_sums *sums, const struct nearest_search *search, unsigned sharing)
{
    for (uint32_t i = 0; i < search->count; i++) {
        const struct flock_agent *other = &search->agents[search->found[i].place];
        const num_square squared = search->found[i].squared;
        const unsigned rules = rules_that_choose(search, sharing, i);
        struct flock_vec away = {num_zero(), num_zero()};
        if (rules & (RULE_SEPARATION | RULE_COHESION))
            away = offset_between(search->params, search->me->position, other->position);
        perceive_terms(sums, &search->perception, rules, (struct neighbour_masks){true, true, true}, away,
                       squared, other->velocity, search->me->velocity);
    }
}

/* Prepare a search for as many rules of a set as can share it. Returns these rules. */
static unsigned rules_of_search(struct nearest_search *search, unsigned set)
{
    unsigned sharing = 0;
    search->needs_only_distances = true;
    search->max = 0;
    search->radius_squared = num_norm_squared(num_zero(), num_zero());
    for (unsigned k = 0; k < 3 && search->needs_only_distances; k++) {
        const struct flock_rule *rule = flock_rule_at(search->params, k);
        const bool is_plain = !rule->has_view && num_square_is_zero(rule->inner_squared);
        if (!(set & 1U << k) || (sharing != 0 && !is_plain))
            continue;
        search->needs_only_distances = is_plain;
        search->max = rule->nearest > search->max ? rule->nearest : search->max;
        if (num_square_less(search->radius_squared, rule->radius_squared))
            search->radius_squared = rule->radius_squared;
        sharing |= 1U << k;
    }
    return sharing;
}

num_square flock_add_nearest(struct neighbour_sums *sums, const struct flock *flock,
                             const struct flock_params *params, enum rule_set wanted,
                             const struct flock_agent *me, uint32_t id, bool is_list,
                             const struct view_cones *views)
{
    struct nearest_search search; /* not initialised, because the list of neighbours is large */
    search.params = params;
    search.grid = &flock->grid;
    search.me = me;
    search.agents = is_list ? flock->boids : flock->grid.slots;
    search.id = id;
    search.is_list = is_list;
    search.farthest = num_norm_squared(num_zero(), num_zero());
    for (unsigned sharing, left = flock_rules_on(params, wanted, true); left != 0; left &= ~sharing) {
        sharing = rules_of_search(&search, left);
        search.perception = perception_of(params, (enum rule_set)sharing);
        search.perception.views = views;
        search.farthest = search.radius_squared;
        search.count = 0;
        search_rings(&search);
        add_neighbours(sums, &search, sharing);
    }
    return search.farthest;
}
