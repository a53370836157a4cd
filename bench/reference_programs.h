/* Two simple reference programs for the engine: the same flock, with V. Hunter Adams' rules in float.
 *
 * Both step synchronously on a plane with bounce borders, and both take a good programmer an afternoon.
 */
#ifndef BENCH_REFERENCE_PROGRAMS_H
#define BENCH_REFERENCE_PROGRAMS_H

#include <stdint.h>

struct reference_boid {
    float x, y, vx, vy;
};

struct reference_flock {
    struct reference_boid *now, *next;
    uint32_t count;
    float width, height;
};

/** Compares every boid with every other. */
void reference_step_all_pairs(struct reference_flock *flock);

/** Compares every boid with those in the cells around it; cells have the width of the radius, filled by a counting sort. */
void reference_step_grid(struct reference_flock *flock);

/** Mean number per boid of boids within the radius, and of boids in the nine cells. */
void reference_count(const struct reference_flock *flock, double *neighbours, double *candidates);

#endif
