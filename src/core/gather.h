/* What a boid sees: sums over its neighbours, one for each rule (perception.h). */
#ifndef FLOCK_GATHER_H
#define FLOCK_GATHER_H

#include "lane_scalar.h"
#include "perception.h"

#define flock_gather_linked FLOCK_TYPED(flock_gather_linked)
#define flock_gather_sorted FLOCK_TYPED(flock_gather_sorted)

/** The view of the boid in slot `self`, from runs as flock_sort() left them. */
struct neighbour_sums flock_gather_sorted(const struct flock *flock, const struct flock_params *params,
                                          uint32_t self, enum rule_set wanted);

/** The view of boid `self`, from lists as flock_grid_link() and flock_grid_move() keep them. */
struct neighbour_sums flock_gather_linked(const struct flock *flock, const struct flock_params *params,
                                          uint32_t self);

#endif
