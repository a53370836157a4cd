/* One pair at a time, plainly: this is the reference that every faster path must reproduce to the bit. */
#include "gather.h"

#include "grid.h"

static inline bool counts(const struct flock_rule *rule, num_square distance)
{
    return rule->is_on && num_square_less(distance, rule->radius_squared) &&
           !num_square_less(distance, rule->inner_squared);
}

static void see(struct flock_view *view, const struct flock_params *params, enum flock_wanted wanted,
                const struct flock_agent *me, const struct flock_agent *other)
{
    const struct vec away = flock_difference(params, me->position, other->position);
    const num_square distance = vec_norm_squared(away);
    if ((wanted & FLOCK_WANT_SEPARATION) && counts(&params->separation, distance))
        flock_sum_separate(&view->separation, params->separation_form, away, distance);
    if ((wanted & FLOCK_WANT_ALIGNMENT) && counts(&params->alignment, distance))
        flock_sum_add(&view->alignment, other->velocity.x, other->velocity.y);
    if ((wanted & FLOCK_WANT_COHESION) && counts(&params->cohesion, distance))
        flock_sum_add(&view->cohesion, num_subtract(num_zero(), away.x), num_subtract(num_zero(), away.y));
}

/* Two of three candidates are too far for any rule, in no order that a processor could foresee. So they are first
 * passed over without a branch, and only those who are near are looked at. */
enum { CROWD = 64 };

struct crowd {
    const struct flock_agent *boids[CROWD];
    int count;
};

static inline void meet(struct crowd *crowd, const struct flock_params *params, const struct flock_agent *me,
                        const struct flock_agent *other)
{
    const num_square distance = vec_norm_squared(flock_difference(params, me->position, other->position));
    crowd->boids[crowd->count] = other;
    crowd->count += num_square_less(distance, params->widest_squared) & (other != me);
}

static void see_all(struct flock_view *view, struct crowd *crowd, const struct flock_params *params,
                    enum flock_wanted wanted, const struct flock_agent *me)
{
    for (int i = 0; i < crowd->count; i++)
        see(view, params, wanted, me, crowd->boids[i]);
    crowd->count = 0;
}

static struct flock_view empty_view(void)
{
    const struct flock_sum nobody = {num_sum_zero(), num_sum_zero(), 0};
    return (struct flock_view){nobody, nobody, nobody};
}

struct flock_view flock_gather_run(const struct flock *flock, const struct flock_params *params,
                                   uint32_t self, enum flock_wanted wanted)
{
    struct flock_view view = empty_view();
    if (num_is_zero(params->widest))
        return view;
    const struct flock_grid *grid = &flock->grid;
    const struct flock_agent *me = &grid->slots[self];
    struct crowd crowd = {.count = 0};
    uint32_t around[9];
    const int n = flock_grid_around(params, flock_grid_cell(params, me->position), around);
    for (int c = 0; c < n; c++)
        for (uint32_t s = grid->start[around[c]]; s < grid->start[around[c] + 1]; s++) {
            meet(&crowd, params, me, &grid->slots[s]);
            if (crowd.count == CROWD)
                see_all(&view, &crowd, params, wanted, me);
        }
    see_all(&view, &crowd, params, wanted, me);
    return view;
}

struct flock_view flock_gather_list(const struct flock *flock, const struct flock_params *params,
                                    uint32_t self)
{
    struct flock_view view = empty_view();
    if (num_is_zero(params->widest))
        return view;
    const struct flock_grid *grid = &flock->grid;
    const struct flock_agent *me = &flock->boids[self];
    struct crowd crowd = {.count = 0};
    uint32_t around[9];
    const int n = flock_grid_around(params, flock_grid_cell(params, me->position), around);
    for (int c = 0; c < n; c++)
        for (uint32_t j = grid->start[around[c]]; j != FLOCK_NOBODY; j = grid->next[j]) {
            meet(&crowd, params, me, &flock->boids[j]);
            if (crowd.count == CROWD)
                see_all(&view, &crowd, params, FLOCK_WANT_ALL, me);
        }
    see_all(&view, &crowd, params, FLOCK_WANT_ALL, me);
    return view;
}
