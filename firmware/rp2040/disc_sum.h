/* Fast sums over neighbours, bit-identical to the sums of src/core/neighbour_sums.c.
 *
 * Integers may be added in any order, so a sum over a disc of neighbours can be put together from sums over cells:
 *
 *          . . r r r . .        r   cells that the circle crosses: each boid in them is compared
 *          . r + + + r .        +   cells inside: per row, a difference of two prefix sums
 *          r + + + + + r
 *          r + + o + + r        o   cells near the boid: compared again, for the small disc of separation
 *          r + + + + + r
 *          . r + + + r .
 *          . . r r r . .
 *
 * The side of a cell is a power of two, a quarter to an eighth of the radius. In each step the cells are placed over
 * the whole flock, which may be far outside the world; if this would need too many cells, the sides of the cells are
 * doubled. If even the larger cells do not cover the flock, the boids outside them belong to the outermost cells, and
 * a boid near the outermost cells is compared with every boid in reach.
 *
 * If the radii of alignment and cohesion differ, there are two such sums. Separation with another form than `offset`
 * adds the terms of src/core/neighbour_terms.h.
 *
 * This code supports synchronous flocks on a plane whose rules need all boids between two radii (no view, no `nearest`).
 * The inner radius of alignment and of cohesion is 0 or the radius of separation. configuration.h says whether this
 * code supports a flock (DISC_SUM_IS_ON). If so, this code defines flock_neighbour_sums_sorted().
 */
#ifndef DISC_SUM_H
#define DISC_SUM_H

#include "flock/flock.h"

void disc_sum_start(const struct flock *flock);

/** Sort the boids into cells, in place of flock_sort(). */
void disc_sum_sort(struct flock *flock);

#endif
