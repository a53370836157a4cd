/* What a boid sees: sums over its neighbours, one for each rule (sight.h). */
#ifndef FLOCK_GATHER_H
#define FLOCK_GATHER_H

#include "lane_scalar.h"
#include "sight.h"

#define flock_gather_list FLOCK_TAGGED(flock_gather_list)
#define flock_gather_run  FLOCK_TAGGED(flock_gather_run)

/** The view of the boid in slot `self`, from runs as flock_sort() left them. */
struct sight_view flock_gather_run(const struct flock *flock, const struct flock_params *params,
                                   uint32_t self, enum sight_wanted wanted);

/** The view of boid `self`, from lists as flock_grid_link() and flock_grid_move() keep them. */
struct sight_view flock_gather_list(const struct flock *flock, const struct flock_params *params,
                                    uint32_t self);

#endif
