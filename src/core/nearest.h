/* The k nearest neighbours of a boid, for rules with `nearest`, within a radius or at any distance. */
#ifndef FLOCK_NEAREST_H
#define FLOCK_NEAREST_H

#include "lane_ops_scalar.h"
#include "neighbour_terms.h"

#define flock_add_nearest        FLOCK_TYPED(flock_add_nearest)
#define flock_nearest_build      FLOCK_TYPED(flock_nearest_build)
#define flock_nearest_lay_out    FLOCK_TYPED(flock_nearest_lay_out)
#define flock_nearest_move       FLOCK_TYPED(flock_nearest_move)
#define flock_uses_nearest_index FLOCK_TYPED(flock_uses_nearest_index)

/** True if the sums of these rules need the candidates in the cells of the grid. */
static inline bool flock_needs_cells(const struct flock_params *params, enum rule_set wanted)
{
    const bool counts_seen = wanted & RULE_SEPARATION && params->separation.normalise == FLOCK_BY_SEEN;
    return !num_is_zero(params->widest) && (counts_seen || flock_rules_on(params, wanted, false) != 0);
}

/** True if a rule uses its nearest neighbours at any distance. Its radius then exceeds the widest finite one. */
static inline bool flock_is_unlimited(const struct flock_params *params, const struct flock_rule *rule)
{
    return num_square_less(params->widest_squared, rule->radius_squared);
}

/** True if the nearest neighbours in a flock of `count` boids are found through the index: if a rule with `nearest`
 * has no radius, or if the cells of the grid contain many boids. Otherwise the cells have fewer boids than the index
 * would compare. */
bool flock_uses_nearest_index(const struct flock_params *params, uint32_t count);

/** Place the arrays of an index of `count` boids in `memory`, unless `memory` is NULL. Returns the number of bytes
 * that the arrays need. */
size_t flock_nearest_lay_out(struct flock_nearest_index *index, uint32_t count, void *memory);

/** Build the index of flock->boids, if the flock has memory for one. Cost: a sort of the boids. */
void flock_nearest_build(struct flock *flock, const struct flock_params *params);

/** Replace boid `id` in the index. */
void flock_nearest_move(struct flock *flock, uint32_t id, struct flock_agent agent);

/** For each rule of `wanted`, add its nearest neighbours to its sum, in order of (d^2, id).
 *
 * @param me      the boid, in flock->grid.slots, or in flock->boids if it `is_list`.
 * @param views   its views; NULL: no rule has a view.
 */
void flock_add_nearest(struct neighbour_sums *sums, const struct flock *flock,
                       const struct flock_params *params, enum rule_set wanted, const struct flock_agent *me,
                       bool is_list, const struct view_cones *views);

#endif
