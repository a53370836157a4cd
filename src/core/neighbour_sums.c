/* Sums over neighbours, one pair at a time. This is the reference: every faster implementation must give the same
 * bits. */
#include "neighbour_sums.h"

#include "grid.h"
#include "nearest.h"

/* About two of three candidates are outside of every radius, and branch prediction fails for them. So a loop without
 * branches first collects the candidates within the widest radius. The array is not initialised, because that would
 * write 512 bytes per boid. */
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

/* The square of the widest radius. Rules with `nearest` are left out, unless the neighbours that a boid sees are counted. */
static num_square widest_squared_of(const struct flock_params *params, enum rule_set without_nearest)
{
    num_square reach = num_norm_squared(num_zero(), num_zero());
    if (params->separation.normalise == FLOCK_BY_SEEN)
        return params->widest_squared;
    for (unsigned k = 0; k < 3; k++)
        if (without_nearest & 1U << k && num_square_less(reach, flock_rule_at(params, k)->radius_squared))
            reach = flock_rule_at(params, k)->radius_squared;
    return reach;
}

LANE_OP void add_batch(struct neighbour_sums *sums, struct batch *batch, const struct flock_params *params,
                       const struct perception *perception, const struct flock_agent *me)
{
    for (int i = 0; i < batch->count; i++) {
        /* clang-tidy does not see that the count is small. NOLINTNEXTLINE(clang-analyzer-core*) */
        const struct flock_agent *other = batch->boids[i];
        const lane_vec away = offset_between(params, me->position, other->position);
        perceive_pair(sums, params, perception, away, lane_vec_norm_squared(away), other->velocity,
                      me->velocity, lane_mask_set1(true));
    }
    sums->seen_count += (lane_count)batch->count;
    batch->count = 0;
}

/* Sum over the candidates in sorted slots (`self` is a slot) or, with `is_list`, in linked lists (`self` is an id).
 * Callers pass `is_general` as a constant, so the compiler generates separate code for flocks whose rules depend on
 * more than distances (zone_layout_of()). */
LANE_OP struct neighbour_sums sum_neighbours(const struct flock *flock, const struct flock_params *params,
                                             uint32_t self, enum rule_set wanted, bool is_list,
                                             bool is_general)
{
    struct neighbour_sums sums = neighbour_sums_zero();
    const struct flock_grid *grid = &flock->grid;
    const struct flock_agent *all = is_list ? flock->boids : grid->slots, *me = &all[self];
    struct perception perception = {.wanted = wanted, .form = params->separation_form};
    struct view_cones views;
    struct batch batch;
    batch.count = 0;
    if (is_general) {
        perception = perception_of(params, flock_rules_on(params, wanted, false));
        if (flock_has_views(params)) {
            views = view_cones_of(params, me->velocity);
            perception.views = &views;
        }
    }
    const num_square reach = is_general || wanted != RULES_ALL ? widest_squared_of(params, perception.wanted)
                                                               : params->widest_squared;
    const bool needs_cells = is_general ? flock_needs_cells(params, wanted) : !num_is_zero(params->widest);
    uint32_t around[9];
    const int n = needs_cells ? flock_grid_around(params, flock_grid_cell(params, me->position), around) : 0;
    for (int c = 0; c < n; c++) {
        const uint32_t end = is_list ? FLOCK_NONE : grid->start[around[c] + 1];
        for (uint32_t j = grid->start[around[c]]; j != end; j = is_list ? grid->next[j] : j + 1) {
            collect_if_near(&batch, params, reach, me, &all[j]);
            if (batch.count == BATCH_MAX)
                add_batch(&sums, &batch, params, &perception, me);
        }
    }
    add_batch(&sums, &batch, params, &perception, me);
    if (is_general && flock_rules_on(params, wanted, true))
        flock_add_nearest(&sums, flock, params, wanted, me, is_list ? self : grid->boid_of[self], is_list,
                          perception.views);
    return sums;
}

static __attribute__((noinline)) struct neighbour_sums sum_general(const struct flock *flock,
                                                                   const struct flock_params *params,
                                                                   uint32_t self, enum rule_set wanted,
                                                                   bool is_list)
{
    return sum_neighbours(flock, params, self, wanted, is_list, true);
}

static bool needs_general_path(const struct flock_params *params)
{
    return params->needs_general_path || params->aligns_differences;
}

struct neighbour_sums flock_neighbour_sums_sorted(const struct flock *flock,
                                                  const struct flock_params *params, uint32_t self,
                                                  enum rule_set wanted)
{
    return needs_general_path(params) ? sum_general(flock, params, self, wanted, false)
                                      : sum_neighbours(flock, params, self, wanted, false, false);
}

struct neighbour_sums flock_neighbour_sums_linked(const struct flock *flock,
                                                  const struct flock_params *params, uint32_t self)
{
    return needs_general_path(params) ? sum_general(flock, params, self, RULES_ALL, true)
                                      : sum_neighbours(flock, params, self, RULES_ALL, true, false);
}
