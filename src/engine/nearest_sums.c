/* Rules that choose the same neighbours share a search. */
#include "nearest_sums.h"

#include "nearest.h"
#include "neighbour_sums.h"

#include <string.h>

static bool choose_alike(const struct flock_rule *a, const struct flock_rule *b)
{
    return a == b || (a->nearest == b->nearest && !a->has_view && !b->has_view &&
                      num_square_is_same(a->radius_squared, b->radius_squared) &&
                      num_square_is_same(a->inner_squared, b->inner_squared));
}

/* The rules of `set` that choose the same neighbours as its first rule. */
static unsigned first_alike(const struct flock_params *params, unsigned set)
{
    unsigned alike = 0;
    for (unsigned k = 0; k < 3; k++)
        if (set & 1U << k &&
            choose_alike(flock_rule_at(params, (unsigned)__builtin_ctz(set)), flock_rule_at(params, k)))
            alike |= 1U << k;
    return alike;
}

struct nearest_sums *nearest_sums_allocate(struct nearest_sums *nearest, const struct flock_params *params,
                                           uint32_t count, struct arena *arena)
{
    unsigned left = flock_rules_on(params, RULES_ALL, true);
    if (left == 0)
        return NULL;
    nearest->params = params;
    ARENA_ARRAY(arena, nearest->flock.grid.boid_of, count);
    for (unsigned k = 0; left != 0; left &= ~nearest->rule_sets[k++]) {
        nearest->rule_sets[k] = first_alike(params, left);
        ARENA_ARRAY(arena, nearest->farthest[k], count);
        if (nearest->farthest[k])
            memset(nearest->farthest[k], 0, count * sizeof *nearest->farthest[k]);
    }
    return nearest;
}

num nearest_sums_search(const struct nearest_sums *nearest, uint32_t slot, unsigned rules,
                        struct nearest_sum sums[3])
{
    const struct flock_agent *boid = &nearest->flock.grid.slots[slot];
    const struct view_cones views = view_cones_of(nearest->params, boid->velocity);
    struct neighbour_sums found = neighbour_sums_zero();
    const num farthest = flock_add_nearest(&found, &nearest->flock, nearest->params, (enum rule_set)rules,
                                           boid, nearest->flock.grid.boid_of[slot], false, &views);
    const struct neighbour_sum *const of_rule[3] = {&found.separation, &found.alignment, &found.cohesion};
    for (unsigned k = 0; k < 3; k++)
        sums[k] = (struct nearest_sum){of_rule[k]->x, of_rule[k]->y, (num)of_rule[k]->count};
    return farthest;
}
