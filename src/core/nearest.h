/* The k nearest neighbours of a boid, for rules with `nearest`, within a radius or at any distance. */
#pragma once

#include "lane_ops_scalar.h"
#include "neighbour_terms.h"

#define flock_add_nearest FLOCK_TYPED(flock_add_nearest)

/** For each rule of `wanted` with `nearest`, add its nearest neighbours to its sum, in order of (d^2, id).
 *
 * @param me       the boid; flock->grid must contain all boids.
 * @param is_list  the form of the grid: linked if true, otherwise sorted.
 * @param views    its views; NULL: no rule has a view.
 * @return         the squared distance within which all neighbours of the last of these rules are.
 *
 * Cost: visits the cells around the boid ring by ring, up to its farthest neighbour.
 */
num_square flock_add_nearest(struct neighbour_sums *sums, const struct flock *flock,
                             const struct flock_params *params, enum rule_set wanted,
                             const struct flock_agent *me, uint32_t id, bool is_list,
                             const struct view_cones *views);
