/* Two simple reference programs for the engine: the same flock, with V. Hunter Adams' rules in float.
 *
 * Both step synchronously on a plane with bounce borders, and both take a good programmer an afternoon.
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

/** Compares every boid with every other. */
void yard_step_all_pairs(struct yard *yard);

/** Compares every boid with those in the cells around it; cells have the width of the radius, filled by a counting sort. */
void yard_step_grid(struct yard *yard);

/** Mean number per boid of boids within the radius, and of boids in the nine cells. */
void yard_count(const struct yard *yard, double *neighbours, double *candidates);

/** Additions and multiplications per second of this processor in float, with all lanes busy. */
double yard_peak(void);

/** Bytes per second that memcpy reads and writes, in blocks much larger than the caches. */
double yard_copy(void);

#endif
