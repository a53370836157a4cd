/* Counts the points that are near any of a few others: boids near predators.
 *
 * It compares every pair, as the step does for fleeing boids, so it costs less than a step.
 */
#ifndef COUNT_WITHIN_H
#define COUNT_WITHIN_H

#include "agent.h"

#include <stddef.h>

/** The number of points that are nearer than `radius` to at least one of `others`. Periods are the sides of a torus,
 * INFINITY on a plane. Cost: count * other_count. */
size_t count_within(const struct agent *points, size_t count, const struct agent *others, size_t other_count,
                    const double period[2], double radius);

#endif
