/* Rules that choose the same neighbours share a search. */
#include "nearest_sums.h"

#include "gather.h"
#include "nearest.h"

#include <string.h>

/* Nodes of the tree in a chunk for a thread. */
enum { CHUNK_NODES = 16 };

bool nearest_sums_are_needed(const struct flock_params *params)
{
    return flock_rules_on(params, RULES_ALL, true) != 0;
}

void nearest_sums_allocate(struct nearest_sums *nearest, const struct flock_params *params, uint32_t count,
                           struct arena *arena)
{
    const unsigned rules = flock_rules_on(params, RULES_ALL, true);
    nearest->params = params;
    nearest_tree_allocate(&nearest->tree, count, arena);
    nearest->flock.count = count;
    nearest->flock.boids = arena_alloc(arena, count, sizeof *nearest->flock.boids);
    nearest->flock.grid.boid_of = arena_alloc(arena, count, sizeof *nearest->flock.grid.boid_of);
    for (unsigned k = 0; k < 3; k++) {
        nearest->sums[k] = arena_alloc(arena, rules & 1U << k ? count : 0, sizeof *nearest->sums[k]);
        if (rules & 1U << k && nearest->sums[k])
            memset(nearest->sums[k], 0, count * sizeof *nearest->sums[k]);
    }
}

/* Search with core/nearest.c, which compares ids and finds all neighbours within the radius of the rule. */
static void search_again(struct nearest_sums *nearest, uint32_t id, unsigned rules)
{
    const struct flock_agent *boid = &nearest->flock.boids[id];
    const struct view_cones views = view_cones_of(nearest->params, boid->velocity);
    struct neighbour_sums found = neighbour_sums_zero();
    const num farthest = flock_add_nearest(&found, &nearest->flock, nearest->params, (enum rule_set)rules,
                                           boid, id, false, &views);
    const struct neighbour_sum *const sums[3] = {&found.separation, &found.alignment, &found.cohesion};
    for (unsigned k = 0; k < 3; k++) {
        if (!(rules & 1U << k))
            continue;
        nearest->sums[k][id].x = sums[k]->x;
        nearest->sums[k][id].y = sums[k]->y;
        nearest->sums[k][id].count = (num)sums[k]->count;
        nearest->sums[k][id].farthest = farthest;
    }
}

static uint32_t node_count(const struct nearest_tree *tree)
{
    return (tree->count + TREE_NODE_BOIDS - 1) / TREE_NODE_BOIDS;
}

/* For search_chunk(). */
struct search_task {
    struct nearest_sums *nearest;
    unsigned rules;
};

static void search_chunk(void *context, int chunk)
{
    const struct search_task *task = context;
    struct nearest_sums *nearest = task->nearest;
    const struct nearest_tree *tree = &nearest->tree;
    const uint32_t nodes = node_count(tree), begin = (uint32_t)chunk * CHUNK_NODES;
    for (uint32_t node = begin; node < nodes && node < begin + CHUNK_NODES; node++) {
        uint64_t again =
            nearest->kernels->search_nearest(tree, nearest->params, task->rules, node, nearest->sums);
        const uint64_t *keys = tree->keys + (size_t)node * TREE_NODE_BOIDS;
        for (; again != 0; again &= again - 1)
            search_again(nearest, (uint32_t)keys[__builtin_ctzll(again)], task->rules);
    }
}

static void search_all(struct nearest_sums *nearest, unsigned rules, struct team *team)
{
    struct search_task task = {nearest, rules};
    const int chunks = (int)((node_count(&nearest->tree) + CHUNK_NODES - 1) / CHUNK_NODES);
    if (team) {
        team_parallel_for(team, search_chunk, &task, chunks);
        return;
    }
    for (int chunk = 0; chunk < chunks; chunk++)
        search_chunk(&task, chunk);
}

/* True if two rules with `nearest` choose the same neighbours. */
static bool flock_choose_alike(const struct flock_rule *a, const struct flock_rule *b)
{
    return a->nearest == b->nearest && !a->has_view && !b->has_view &&
           num_square_is_same(a->radius_squared, b->radius_squared) &&
           num_square_is_same(a->inner_squared, b->inner_squared);
}

/* The first rule of a set, and all others of the set that choose the same neighbours. `first` receives that rule; NULL
 * if the set is empty. */
static unsigned flock_first_alike(const struct flock_params *params, unsigned set,
                                  const struct flock_rule **first)
{
    unsigned alike = 0;
    *first = set ? flock_rule_at(params, (unsigned)__builtin_ctz(set)) : NULL;
    for (unsigned k = 0; k < 3; k++)
        if (set & 1U << k &&
            (flock_rule_at(params, k) == *first || flock_choose_alike(*first, flock_rule_at(params, k))))
            alike |= 1U << k;
    return alike;
}

void nearest_sums_compute(struct nearest_sums *nearest, struct team *team)
{
    const struct flock_params *params = nearest->params;
    nearest_tree_build(&nearest->tree, nearest->flock.boids);
    for (unsigned alike, left = flock_rules_on(params, RULES_ALL, true); left != 0; left &= ~alike) {
        const struct flock_rule *first;
        alike = flock_first_alike(params, left, &first);
        search_all(nearest, alike, team);
    }
}
