/* `bench --jumps` searches for sudden changes of speed, in every update order: with the number of boids, the density, the width of a
 * torus, the radius of nearest neighbours, the number of hunters, and in clumps, the last of which is one point. It prints the largest
 * ratio of the costs of neighbouring rows. */
#ifndef BENCH_COST_JUMPS_H
#define BENCH_COST_JUMPS_H

#include <stdbool.h>

/** Print all searches. Returns false if a ratio is above 2. */
bool jumps_report(void);

#endif
