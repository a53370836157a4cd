/* How many of many points are near any of a few others: boids and their predators.
 *
 * Every pair is looked at, as the flock itself does when boids flee, so it costs less than the step before it.
 */
#ifndef WITHIN_H
#define WITHIN_H

#include "agent.h"

#include <stddef.h>

/** Periods are the sides of a torus, INFINITY on a plane. Within the radius means d < radius. */
struct within_question {
    double period[2];
    double radius;
};

/** Of `count` points, how many are within the radius of at least one of `others`. Cost: count * other_count. */
size_t within_count(const struct within_question *question, const struct agent *points, size_t count,
                    const struct agent *others, size_t other_count);

#endif
