/* Who is near, faster: a gather of the board's own that gives the bits of src/core/gather.c.
 *
 * Integer sums may be taken in any order, so a sum over a disc of neighbours can be put together from sums over cells:
 *
 *          . . r r r . .        r   cells that the circle crosses: each boid in them is measured
 *          . r + + + r .        +   cells inside: a difference of two running sums a row
 *          r + + + + + r
 *          r + + o + + r        o   cells near the boid: measured again, for the small circle of separation
 *          r + + + + + r
 *          . r + + + r .
 *          . . r r r . .
 *
 * The cells are a power of two wide, 4 to 8 to a radius. They are laid over the flock anew in each step, for it may fly
 * far out of the world: twice as wide when it has spread so far that they would be too many. When even those do not
 * reach, boids beyond them are filed in the outermost cells; whoever comes near those is measured against everybody in
 * reach.
 *
 * It serves synchronous flocks on a plane with separation of the form `offset`, whose alignment and cohesion have the
 * same radii, the inner one 0 or that of separation: adams and its relatives. The configuration's header says whether
 * a flock is one (DISC_SUM_IS_ON); then flock_gather_sorted() is this room's.
 */
#ifndef DISC_SUM_H
#define DISC_SUM_H

#include "flock/flock.h"

void disc_sum_start(const struct flock *flock, const struct flock_params *params);

/** File every boid, in place of flock_sort(). */
void disc_sum_sort(struct flock *flock);

#endif
