/* Sums over neighbours, one pair at a time: the reference that every faster path must reproduce to the bit. */
#include "gather.h"

#include "grid.h"

LANE_OP void see(struct neighbour_sums *view, const struct flock_params *params, enum rule_set wanted,
                 const struct flock_agent *me, const struct flock_agent *other)
{
    const struct perception perception = {.wanted = wanted, .form = params->separation_form};
    /* clang-tidy loses count of a crowd. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    const lane_vec away = offset_between(params, me->position, other->position);
    perceive_pair(view, params, &perception, away, lane_vec_norm_squared(away), other->velocity, me->velocity,
                  lane_mask_set1(true));
}

/* Two of three candidates are too far for any rule, in an order that no branch predictor knows. So candidates within the widest radius
 * are first collected without a branch, in batches. A batch is not cleared, which would write 512 bytes per boid. */
enum { BATCH_MAX = 64 };

struct batch {
    const struct flock_agent *boids[BATCH_MAX];
    int count;
};

LANE_OP void meet(struct batch *batch, const struct flock_params *params, const struct flock_agent *me,
                  const struct flock_agent *other)
{
    const num_square distance = lane_vec_norm_squared(offset_between(params, me->position, other->position));
    batch->boids[batch->count] = other;
    batch->count += num_square_less(distance, params->widest_squared) & (other != me);
}

/* The nearest neighbours of a rule, sorted by distance, then id. */
struct nearest_list {
    struct {
        num_square squared;
        uint32_t id;
        const struct flock_agent *boid;
    } near[NEAREST_MAX];
    uint32_t count;
};

LANE_OP bool is_before(num_square a, uint32_t id, num_square b, uint32_t other)
{
    return num_square_less(a, b) || (!num_square_less(b, a) && id < other);
}

static void insert_nearest(struct nearest_list *nearest_list, uint32_t most, num_square squared, uint32_t id,
                           const struct flock_agent *boid)
{
    uint32_t at = nearest_list->count;
    while (at > 0 &&
           is_before(squared, id, nearest_list->near[at - 1].squared, nearest_list->near[at - 1].id))
        at--;
    if (at >= most)
        return;
    nearest_list->count += nearest_list->count < most;
    for (uint32_t k = nearest_list->count - 1; k > at; k--)
        nearest_list->near[k] = nearest_list->near[k - 1];
    nearest_list->near[at].squared = squared;
    nearest_list->near[at].id = id;
    nearest_list->near[at].boid = boid;
}

/* A rule and its nearest neighbours so far; they are added after the last candidate. */
struct nearest_rule {
    const struct flock_rule *rule;
    enum rule_set wanted;
    struct nearest_list nearest_list;
};

/* The state of a gather for flocks that need more than rings of distances (zone_layout_of()). */
struct general_search {
    struct view_cones views;
    struct nearest_rule nearest_rules[3];
    const struct flock_agent *base;
    const uint32_t *ids; /* of the boids from `base` on; NULL: they stand in order */
};

static __attribute__((noinline)) void begin_general(struct general_search *more,
                                                    const struct flock_params *params,
                                                    const struct flock_agent *me,
                                                    const struct flock_agent *base, const uint32_t *ids)
{
    const struct flock_rule *const rules[3] = {&params->separation, &params->alignment, &params->cohesion};
    more->views = view_cones_of(params, me->velocity);
    more->base = base;
    more->ids = ids;
    for (int k = 0; k < 3; k++) {
        more->nearest_rules[k].rule = rules[k];
        more->nearest_rules[k].wanted = (enum rule_set)(1 << k);
        more->nearest_rules[k].nearest_list.count = 0;
    }
}

static struct perception perception_general(const struct general_search *more,
                                            const struct flock_params *params, enum rule_set wanted)
{
    return (struct perception){.wanted = wanted,
                               .form = params->separation_form,
                               .cohesion_form = params->cohesion_form,
                               .views = &more->views,
                               .is_relative = params->aligns_differences};
}

static bool counts(const struct neighbour_masks *masks, enum rule_set rule)
{
    return (rule == RULE_SEPARATION && masks->separation) || (rule == RULE_ALIGNMENT && masks->alignment) ||
           (rule == RULE_COHESION && masks->cohesion);
}

static void choose(struct general_search *more, const struct flock_params *params,
                   const struct perception *perception, const struct flock_agent *other,
                   struct flock_vec away, num_square squared)
{
    const struct neighbour_masks masks = perceive_masks(params, perception, away, squared);
    const uint32_t place = (uint32_t)(other - more->base);
    for (int k = 0; k < 3; k++) {
        struct nearest_rule *nearest_rule = &more->nearest_rules[k];
        if (nearest_rule->rule->nearest > 0 && counts(&masks, nearest_rule->wanted))
            insert_nearest(&nearest_rule->nearest_list, nearest_rule->rule->nearest, squared,
                           more->ids ? more->ids[place] : place, other);
    }
}

/* The rules without a limit of the number of neighbours: their sums need no list. */
static enum rule_set wanted_at_once(const struct flock_params *params, enum rule_set wanted)
{
    const unsigned chosen = (params->separation.nearest > 0 ? RULE_SEPARATION : 0) |
                            (params->alignment.nearest > 0 ? RULE_ALIGNMENT : 0) |
                            (params->cohesion.nearest > 0 ? RULE_COHESION : 0);
    return (enum rule_set)(wanted & ~chosen);
}

static __attribute__((noinline)) void see_general(struct neighbour_sums *view, struct general_search *more,
                                                  struct batch *batch, const struct flock_params *params,
                                                  enum rule_set wanted, const struct flock_agent *me)
{
    const struct perception all = perception_general(more, params, wanted);
    const struct perception at_once = perception_general(more, params, wanted_at_once(params, wanted));
    for (int i = 0; i < batch->count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): so it does here. */
        const struct flock_agent *other = batch->boids[i];
        const lane_vec away = offset_between(params, me->position, other->position);
        const num_square squared = lane_vec_norm_squared(away);
        perceive_pair(view, params, &at_once, away, squared, other->velocity, me->velocity,
                      lane_mask_set1(true));
        if (at_once.wanted != wanted)
            choose(more, params, &all, other, away, squared);
    }
    view->seen += (lane_count)batch->count;
    batch->count = 0;
}

/* After the last candidate: add the nearest neighbours, the nearest first. */
static __attribute__((noinline)) void end_general(struct neighbour_sums *view,
                                                  const struct general_search *more,
                                                  const struct flock_params *params,
                                                  const struct flock_agent *me)
{
    for (int k = 0; k < 3; k++) {
        const struct nearest_rule *nearest_rule = &more->nearest_rules[k];
        const struct perception perception = perception_general(more, params, nearest_rule->wanted);
        for (uint32_t i = 0; i < nearest_rule->nearest_list.count; i++) {
            const struct flock_agent *other = nearest_rule->nearest_list.near[i].boid;
            const lane_vec away = offset_between(params, me->position, other->position);
            perceive_pair(view, params, &perception, away, nearest_rule->nearest_list.near[i].squared,
                          other->velocity, me->velocity, lane_mask_set1(true));
        }
    }
}

static void see_all(struct neighbour_sums *view, struct batch *batch, const struct flock_params *params,
                    enum rule_set wanted, const struct flock_agent *me)
{
    for (int i = 0; i < batch->count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): and here. */
        see(view, params, wanted, me, batch->boids[i]);
    batch->count = 0;
}

/* `more` is NULL for a flock of rings, which is known at compile time: each of the two cases has code of its own. */
LANE_OP void see_batch(struct neighbour_sums *view, struct batch *batch, struct general_search *more,
                       const struct flock_params *params, enum rule_set wanted, const struct flock_agent *me)
{
    if (more)
        see_general(view, more, batch, params, wanted, me);
    else
        see_all(view, batch, params, wanted, me);
}

static bool needs_general_path(const struct flock_params *params)
{
    return params->needs_general_path || params->aligns_differences;
}

/* From runs, where `self` is a slot, or, with `is_list`, from lists, where it is a boid. */
LANE_OP struct neighbour_sums gather(const struct flock *flock, const struct flock_params *params,
                                     uint32_t self, enum rule_set wanted, bool is_list,
                                     struct general_search *more)
{
    struct neighbour_sums view = neighbour_sums_zero();
    if (num_is_zero(params->widest))
        return view;
    const struct flock_grid *grid = &flock->grid;
    const struct flock_agent *all = is_list ? flock->boids : grid->slots;
    const struct flock_agent *me = &all[self];
    struct batch batch;
    batch.count = 0;
    if (more)
        begin_general(more, params, me, all, is_list ? NULL : grid->boid_of);
    uint32_t around[9];
    const int n = flock_grid_around(params, flock_grid_cell(params, me->position), around);
    for (int c = 0; c < n; c++) {
        const uint32_t end = is_list ? FLOCK_NONE : grid->start[around[c] + 1];
        for (uint32_t j = grid->start[around[c]]; j != end; j = is_list ? grid->next[j] : j + 1) {
            meet(&batch, params, me, &all[j]);
            if (batch.count == BATCH_MAX)
                see_batch(&view, &batch, more, params, wanted, me);
        }
    }
    see_batch(&view, &batch, more, params, wanted, me);
    if (more)
        end_general(&view, more, params, me);
    return view;
}

static __attribute__((noinline)) struct neighbour_sums gather_sorted_general(
    const struct flock *flock, const struct flock_params *params, uint32_t self, enum rule_set wanted)
{
    struct general_search more;
    return gather(flock, params, self, wanted, false, &more);
}

static __attribute__((noinline)) struct neighbour_sums gather_linked_general(
    const struct flock *flock, const struct flock_params *params, uint32_t self)
{
    struct general_search more;
    return gather(flock, params, self, RULES_ALL, true, &more);
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
