/* One pair at a time, plainly: this is the reference that every faster path must reproduce to the bit. */
#include "gather.h"

#include "grid.h"

LANE_WORD void see(struct sight_view *view, const struct flock_params *params, enum sight_wanted wanted,
                   const struct flock_agent *me, const struct flock_agent *other)
{
    const struct sight sight = {.wanted = wanted, .form = params->separation_form};
    /* clang-tidy loses count of a crowd. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    const lane_vec away = sight_offset(params, me->position, other->position);
    sight_meet(view, params, &sight, away, lane_vec_norm_squared(away), other->velocity, lane_if(true));
}

/* Two of three candidates are too far for any rule, in no order that a processor could foresee: a branch on it would be
 * mispredicted. So they are first passed over without one, and only those who are near are looked at. */
enum { CROWD = 64 };

struct crowd {
    const struct flock_agent *boids[CROWD];
    int count;
};

LANE_WORD void meet(struct crowd *crowd, const struct flock_params *params, const struct flock_agent *me,
                    const struct flock_agent *other)
{
    const num_square distance = lane_vec_norm_squared(sight_offset(params, me->position, other->position));
    crowd->boids[crowd->count] = other;
    crowd->count += num_square_less(distance, params->widest_squared) & (other != me);
}

static void see_all(struct sight_view *view, struct crowd *crowd, const struct flock_params *params,
                    enum sight_wanted wanted, const struct flock_agent *me)
{
    for (int i = 0; i < crowd->count; i++)
        see(view, params, wanted, me, crowd->boids[i]);
    view->seen += (lane_count)crowd->count;
    crowd->count = 0;
}

struct sight_view flock_gather_run(const struct flock *flock, const struct flock_params *params,
                                   uint32_t self, enum sight_wanted wanted)
{
    struct sight_view view = sight_nobody();
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

struct sight_view flock_gather_list(const struct flock *flock, const struct flock_params *params,
                                    uint32_t self)
{
    struct sight_view view = sight_nobody();
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
                see_all(&view, &crowd, params, SIGHT_ALL, me);
        }
    see_all(&view, &crowd, params, SIGHT_ALL, me);
    return view;
}
