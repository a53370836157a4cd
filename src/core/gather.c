/* One pair at a time, plainly: this is the reference that every faster path must reproduce to the bit. */
#include "gather.h"

#include "grid.h"

LANE_OP void see(struct sight_view *view, const struct flock_params *params, enum sight_wanted wanted,
                 const struct flock_agent *me, const struct flock_agent *other)
{
    const struct sight sight = {.wanted = wanted, .form = params->separation_form};
    /* clang-tidy loses count of a crowd. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    const lane_vec away = sight_offset(params, me->position, other->position);
    sight_meet(view, params, &sight, away, lane_vec_norm_squared(away), other->velocity, me->velocity,
               lane_mask_set1(true));
}

/* Two of three candidates are too far for any rule, in no order that a processor could foresee: a branch on it would be
 * mispredicted. So they are first passed over without one, and only those who are near are looked at. Room for them is
 * not cleared, which would be 512 bytes for each who looks around. */
enum { CROWD = 64 };

struct crowd {
    const struct flock_agent *boids[CROWD];
    int count;
};

LANE_OP void meet(struct crowd *crowd, const struct flock_params *params, const struct flock_agent *me,
                  const struct flock_agent *other)
{
    const num_square distance = lane_vec_norm_squared(sight_offset(params, me->position, other->position));
    crowd->boids[crowd->count] = other;
    crowd->count += num_square_less(distance, params->widest_squared) & (other != me);
}

/* Of those who count for a rule the nearest, by distance, then id. */
struct hood {
    struct {
        num_square squared;
        uint32_t id;
        const struct flock_agent *boid;
    } near[SIGHT_MOST_NEAREST];
    uint32_t count;
};

LANE_OP bool is_before(num_square a, uint32_t id, num_square b, uint32_t other)
{
    return num_square_less(a, b) || (!num_square_less(b, a) && id < other);
}

static void keep_near(struct hood *hood, uint32_t most, num_square squared, uint32_t id,
                      const struct flock_agent *boid)
{
    uint32_t at = hood->count;
    while (at > 0 && is_before(squared, id, hood->near[at - 1].squared, hood->near[at - 1].id))
        at--;
    if (at >= most)
        return;
    hood->count += hood->count < most;
    for (uint32_t k = hood->count - 1; k > at; k--)
        hood->near[k] = hood->near[k - 1];
    hood->near[at].squared = squared;
    hood->near[at].id = id;
    hood->near[at].boid = boid;
}

/* A rule and its neighbours, who are seen when all have been met. */
struct chooser {
    const struct flock_rule *rule;
    enum sight_wanted wanted;
    struct hood hood;
};

/* For flocks that ask for more than rings (sight_rings_of()). */
struct gaze_of_one {
    struct sight_gaze gaze;
    struct chooser choosers[3];
    const struct flock_agent *base;
    const uint32_t *ids; /* of the boids from `base` on; NULL: they stand in order */
};

static __attribute__((noinline)) void begin_more(struct gaze_of_one *more, const struct flock_params *params,
                                                 const struct flock_agent *me, const struct flock_agent *base,
                                                 const uint32_t *ids)
{
    const struct flock_rule *const rules[3] = {&params->separation, &params->alignment, &params->cohesion};
    more->gaze = sight_gaze_of(params, me->velocity);
    more->base = base;
    more->ids = ids;
    for (int k = 0; k < 3; k++) {
        more->choosers[k].rule = rules[k];
        more->choosers[k].wanted = (enum sight_wanted)(1 << k);
        more->choosers[k].hood.count = 0;
    }
}

static struct sight sight_more(const struct gaze_of_one *more, const struct flock_params *params,
                               enum sight_wanted wanted)
{
    return (struct sight){.wanted = wanted,
                          .form = params->separation_form,
                          .cohesion_form = params->cohesion_form,
                          .gaze = &more->gaze,
                          .is_relative = params->aligns_differences};
}

static bool counts(const struct sight_who *who, enum sight_wanted rule)
{
    return (rule == SIGHT_SEPARATION && who->separation) || (rule == SIGHT_ALIGNMENT && who->alignment) ||
           (rule == SIGHT_COHESION && who->cohesion);
}

static void choose(struct gaze_of_one *more, const struct flock_params *params, const struct sight *sight,
                   const struct flock_agent *other, struct flock_vec away, num_square squared)
{
    const struct sight_who who = sight_who(params, sight, away, squared);
    const uint32_t place = (uint32_t)(other - more->base);
    for (int k = 0; k < 3; k++) {
        struct chooser *chooser = &more->choosers[k];
        if (chooser->rule->nearest > 0 && counts(&who, chooser->wanted))
            keep_near(&chooser->hood, chooser->rule->nearest, squared, more->ids ? more->ids[place] : place,
                      other);
    }
}

/* The rules that take whoever counts. */
static enum sight_wanted wanted_at_once(const struct flock_params *params, enum sight_wanted wanted)
{
    const unsigned chosen = (params->separation.nearest > 0 ? SIGHT_SEPARATION : 0) |
                            (params->alignment.nearest > 0 ? SIGHT_ALIGNMENT : 0) |
                            (params->cohesion.nearest > 0 ? SIGHT_COHESION : 0);
    return (enum sight_wanted)(wanted & ~chosen);
}

static __attribute__((noinline)) void see_more(struct sight_view *view, struct gaze_of_one *more,
                                               struct crowd *crowd, const struct flock_params *params,
                                               enum sight_wanted wanted, const struct flock_agent *me)
{
    const struct sight all = sight_more(more, params, wanted);
    const struct sight at_once = sight_more(more, params, wanted_at_once(params, wanted));
    for (int i = 0; i < crowd->count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): so it does here. */
        const struct flock_agent *other = crowd->boids[i];
        const lane_vec away = sight_offset(params, me->position, other->position);
        const num_square squared = lane_vec_norm_squared(away);
        sight_meet(view, params, &at_once, away, squared, other->velocity, me->velocity,
                   lane_mask_set1(true));
        if (at_once.wanted != wanted)
            choose(more, params, &all, other, away, squared);
    }
    view->seen += (lane_count)crowd->count;
    crowd->count = 0;
}

/* When all have been met: the nearest are seen, the nearest first. */
static __attribute__((noinline)) void end_more(struct sight_view *view, const struct gaze_of_one *more,
                                               const struct flock_params *params,
                                               const struct flock_agent *me)
{
    for (int k = 0; k < 3; k++) {
        const struct chooser *chooser = &more->choosers[k];
        const struct sight sight = sight_more(more, params, chooser->wanted);
        for (uint32_t i = 0; i < chooser->hood.count; i++) {
            const struct flock_agent *other = chooser->hood.near[i].boid;
            const lane_vec away = sight_offset(params, me->position, other->position);
            sight_meet(view, params, &sight, away, chooser->hood.near[i].squared, other->velocity,
                       me->velocity, lane_mask_set1(true));
        }
    }
}

static void see_all(struct sight_view *view, struct crowd *crowd, const struct flock_params *params,
                    enum sight_wanted wanted, const struct flock_agent *me)
{
    for (int i = 0; i < crowd->count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): and here. */
        see(view, params, wanted, me, crowd->boids[i]);
    crowd->count = 0;
}

/* `more` is NULL for a flock of rings, and a constant: each of the two has code of its own. */
LANE_OP void see_crowd(struct sight_view *view, struct crowd *crowd, struct gaze_of_one *more,
                       const struct flock_params *params, enum sight_wanted wanted,
                       const struct flock_agent *me)
{
    if (more)
        see_more(view, more, crowd, params, wanted, me);
    else
        see_all(view, crowd, params, wanted, me);
}

static bool asks_more(const struct flock_params *params)
{
    return params->asks_more || params->aligns_differences;
}

/* From runs, where `self` is a slot, or, with `is_list`, from lists, where it is a boid. */
LANE_OP struct sight_view gather(const struct flock *flock, const struct flock_params *params, uint32_t self,
                                 enum sight_wanted wanted, bool is_list, struct gaze_of_one *more)
{
    struct sight_view view = sight_nobody();
    if (num_is_zero(params->widest))
        return view;
    const struct flock_grid *grid = &flock->grid;
    const struct flock_agent *all = is_list ? flock->boids : grid->slots;
    const struct flock_agent *me = &all[self];
    struct crowd crowd;
    crowd.count = 0;
    if (more)
        begin_more(more, params, me, all, is_list ? NULL : grid->boid_of);
    uint32_t around[9];
    const int n = flock_grid_around(params, flock_grid_cell(params, me->position), around);
    for (int c = 0; c < n; c++) {
        const uint32_t end = is_list ? FLOCK_NOBODY : grid->start[around[c] + 1];
        for (uint32_t j = grid->start[around[c]]; j != end; j = is_list ? grid->next[j] : j + 1) {
            meet(&crowd, params, me, &all[j]);
            if (crowd.count == CROWD)
                see_crowd(&view, &crowd, more, params, wanted, me);
        }
    }
    see_crowd(&view, &crowd, more, params, wanted, me);
    if (more)
        end_more(&view, more, params, me);
    return view;
}

static __attribute__((noinline)) struct sight_view gather_run_more(const struct flock *flock,
                                                                   const struct flock_params *params,
                                                                   uint32_t self, enum sight_wanted wanted)
{
    struct gaze_of_one more;
    return gather(flock, params, self, wanted, false, &more);
}

static __attribute__((noinline)) struct sight_view gather_list_more(const struct flock *flock,
                                                                    const struct flock_params *params,
                                                                    uint32_t self)
{
    struct gaze_of_one more;
    return gather(flock, params, self, SIGHT_ALL, true, &more);
}

struct sight_view flock_gather_run(const struct flock *flock, const struct flock_params *params,
                                   uint32_t self, enum sight_wanted wanted)
{
    return asks_more(params) ? gather_run_more(flock, params, self, wanted)
                             : gather(flock, params, self, wanted, false, NULL);
}

struct sight_view flock_gather_list(const struct flock *flock, const struct flock_params *params,
                                    uint32_t self)
{
    return asks_more(params) ? gather_list_more(flock, params, self)
                             : gather(flock, params, self, SIGHT_ALL, true, NULL);
}
