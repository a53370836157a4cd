/* Sums over neighbours, one pair at a time. This is the reference: every faster implementation must give the same
 * bits. */
#include "gather.h"

#include "grid.h"
#include "nearest.h"

LANE_OP void add_pair(struct neighbour_sums *sums, const struct flock_params *params, enum rule_set wanted,
                      const struct flock_agent *me, const struct flock_agent *other)
{
    const struct perception perception = {.wanted = wanted, .form = params->separation_form};
    /* clang-tidy does not see that the count is small. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    const lane_vec away = offset_between(params, me->position, other->position);
    perceive_pair(sums, params, &perception, away, lane_vec_norm_squared(away), other->velocity, me->velocity,
                  lane_mask_set1(true));
}

/* About two of three candidates are outside of every radius, in an unpredictable order. So a loop without branches
 * first collects the candidates within the widest radius. The array is not initialised, because that would write 512
 * bytes per boid. */
enum { BATCH_MAX = 64 };

struct batch {
    const struct flock_agent *boids[BATCH_MAX];
    int count;
};

LANE_OP void collect_if_near(struct batch *batch, const struct flock_params *params, num_square reach,
                             const struct flock_agent *me, const struct flock_agent *other)
{
    const num_square distance = lane_vec_norm_squared(offset_between(params, me->position, other->position));
    batch->boids[batch->count] = other;
    batch->count += num_square_less(distance, reach) & (other != me);
}

/* The additional data for flocks whose rules depend on more than ranges of distances (zone_layout_of()). */
struct general_search {
    struct view_cones views;
    enum rule_set without_nearest; /* the rules without `nearest` */
};

static bool has_views(const struct flock_params *params)
{
    return params->separation.has_view || params->alignment.has_view || params->cohesion.has_view;
}

/* The square of the widest radius of the rules `without_nearest`, or of all rules if the neighbours seen are counted. */
static num_square widest_squared_of(const struct flock_params *params, enum rule_set without_nearest)
{
    const struct flock_rule *const rules[3] = {&params->separation, &params->alignment, &params->cohesion};
    num_square reach = num_norm_squared(num_zero(), num_zero());
    if (params->separation.normalise == FLOCK_BY_SEEN)
        return params->widest_squared;
    for (unsigned k = 0; k < 3; k++)
        if (without_nearest & 1U << k && num_square_less(reach, rules[k]->radius_squared))
            reach = rules[k]->radius_squared;
    return reach;
}

static __attribute__((noinline)) void add_batch_general(struct neighbour_sums *sums,
                                                        const struct general_search *general,
                                                        struct batch *batch,
                                                        const struct flock_params *params,
                                                        const struct flock_agent *me)
{
    const struct perception perception = {.wanted = general->without_nearest,
                                          .form = params->separation_form,
                                          .cohesion_form = params->cohesion_form,
                                          .views = has_views(params) ? &general->views : NULL,
                                          .is_relative = params->aligns_differences};
    for (int i = 0; i < batch->count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): as above. */
        const struct flock_agent *other = batch->boids[i];
        const lane_vec away = offset_between(params, me->position, other->position);
        perceive_pair(sums, params, &perception, away, lane_vec_norm_squared(away), other->velocity,
                      me->velocity, lane_mask_set1(true));
    }
    sums->seen += (lane_count)batch->count;
    batch->count = 0;
}

static void add_batch_simple(struct neighbour_sums *sums, struct batch *batch,
                             const struct flock_params *params, enum rule_set wanted,
                             const struct flock_agent *me)
{
    for (int i = 0; i < batch->count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): and here. */
        add_pair(sums, params, wanted, me, batch->boids[i]);
    batch->count = 0;
}

/* `general` is NULL if the rules only use ranges of distances. Callers pass a constant, so the compiler generates
 * separate code for both cases. */
LANE_OP void add_batch(struct neighbour_sums *sums, struct batch *batch, struct general_search *general,
                       const struct flock_params *params, enum rule_set wanted, const struct flock_agent *me)
{
    if (general)
        add_batch_general(sums, general, batch, params, me);
    else
        add_batch_simple(sums, batch, params, wanted, me);
}

static bool needs_general_path(const struct flock_params *params)
{
    return params->needs_general_path || params->aligns_differences;
}

/* Sum over the candidates in sorted slots (`self` is a slot) or, with `is_list`, in linked lists (`self` is an id). */
LANE_OP struct neighbour_sums gather(const struct flock *flock, const struct flock_params *params,
                                     uint32_t self, enum rule_set wanted, bool is_list,
                                     struct general_search *general)
{
    struct neighbour_sums sums = neighbour_sums_zero();
    const struct flock_grid *grid = &flock->grid;
    const struct flock_agent *all = is_list ? flock->boids : grid->slots;
    const struct flock_agent *me = &all[self];
    num_square reach = params->widest_squared;
    struct batch batch;
    batch.count = 0;
    if (general) {
        if (has_views(params))
            general->views = view_cones_of(params, me->velocity);
        general->without_nearest = flock_rules_on(params, wanted, false);
        reach = widest_squared_of(params, general->without_nearest);
    } else if (wanted != RULES_ALL) {
        reach = widest_squared_of(params, wanted);
    }
    uint32_t around[9];
    const bool needs_cells = general ? flock_needs_cells(params, wanted) : !num_is_zero(params->widest);
    const int n = needs_cells ? flock_grid_around(params, flock_grid_cell(params, me->position), around) : 0;
    for (int c = 0; c < n; c++) {
        const uint32_t end = is_list ? FLOCK_NONE : grid->start[around[c] + 1];
        for (uint32_t j = grid->start[around[c]]; j != end; j = is_list ? grid->next[j] : j + 1) {
            collect_if_near(&batch, params, reach, me, &all[j]);
            if (batch.count == BATCH_MAX)
                add_batch(&sums, &batch, general, params, wanted, me);
        }
    }
    add_batch(&sums, &batch, general, params, wanted, me);
    if (general && flock_rules_on(params, wanted, true))
        flock_add_nearest(&sums, flock, params, wanted, me, is_list,
                          has_views(params) ? &general->views : NULL);
    return sums;
}

static __attribute__((noinline)) struct neighbour_sums gather_sorted_general(
    const struct flock *flock, const struct flock_params *params, uint32_t self, enum rule_set wanted)
{
    struct general_search general;
    return gather(flock, params, self, wanted, false, &general);
}

static __attribute__((noinline)) struct neighbour_sums gather_linked_general(
    const struct flock *flock, const struct flock_params *params, uint32_t self)
{
    struct general_search general;
    return gather(flock, params, self, RULES_ALL, true, &general);
}

struct neighbour_sums flock_gather_sorted(const struct flock *flock, const struct flock_params *params,
                                          uint32_t self, enum rule_set wanted)
{
    return needs_general_path(params) ? gather_sorted_general(flock, params, self, wanted)
                                      : gather(flock, params, self, wanted, false, NULL);
}

struct neighbour_sums flock_gather_linked(const struct flock *flock, const struct flock_params *params,
                                          uint32_t self)
{
    return needs_general_path(params) ? gather_linked_general(flock, params, self)
                                      : gather(flock, params, self, RULES_ALL, true, NULL);
}
