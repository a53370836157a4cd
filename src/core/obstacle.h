/* Obstacles are hard: what becomes of an agent that has moved into one. */
#ifndef FLOCK_OBSTACLE_H
#define FLOCK_OBSTACLE_H

#include "flock/flock.h"

#define flock_leave_obstacles FLOCK_TAGGED(flock_leave_obstacles)

/** Put an agent that has moved, which must be where num can hold it, out of each circle that it is in, one after another: step 6
 * of docs/models.md. */
void flock_leave_obstacles(struct flock_agent *agent, const struct flock_params *params);

#endif
