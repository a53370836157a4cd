/* Sums over the neighbours of a boid, one per rule (neighbour_terms.h). */
#pragma once

#include "lane_ops_scalar.h"
#include "neighbour_terms.h"

#define flock_neighbour_sums_linked FLOCK_TYPED(flock_neighbour_sums_linked)
#define flock_neighbour_sums_sorted FLOCK_TYPED(flock_neighbour_sums_sorted)

/** The sums for the boid in slot `self`; call flock_sort() first. */
struct neighbour_sums flock_neighbour_sums_sorted(const struct flock *flock,
                                                  const struct flock_params *params, uint32_t self,
                                                  enum rule_set wanted);

/** The sums for boid `self`, from the linked lists of flock_grid_link() and flock_grid_move(). */
struct neighbour_sums flock_neighbour_sums_linked(const struct flock *flock,
                                                  const struct flock_params *params, uint32_t self);
