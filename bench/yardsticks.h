/* What the engine is measured against: the same flock, V. Hunter Adams' rules in float, written straight down.
 *
 * Both step synchronously on a plane with bounce borders, and both are what a good programmer writes in an afternoon.
 */
#ifndef YARDSTICKS_H
#define YARDSTICKS_H

#include <stdint.h>

struct yard_boid {
    float x, y, vx, vy;
};

struct yard {
    struct yard_boid *now, *next;
    uint32_t count;
    float width, height;
};

/** Every boid looks at every other. */
void yard_step_all_pairs(struct yard *yard);

/** Every boid looks at the boids in the cells around it; cells of the radius, filled by a counting sort. */
void yard_step_grid(struct yard *yard);

/** Boids within the radius, and boids in the nine cells, a boid on average. */
void yard_count(const struct yard *yard, double *neighbours, double *candidates);

/** Additions and multiplications a second that this processor does in float, all lanes busy. */
double yard_peak(void);

/** Bytes a second that memcpy reads and writes, far beyond the caches. */
double yard_copy(void);

#endif
