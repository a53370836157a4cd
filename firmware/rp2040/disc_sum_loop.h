/* The innermost loop of disc_sum.h: it adds up the boids within a disc. Its candidates are in several runs of slots. */
#ifndef DISC_SUM_LOOP_H
#define DISC_SUM_LOOP_H

#include "flock/flock.h"

/** A disc around a boid. Squared distances are first compared in coarse units of (2^DISC_SUM_UNIT)^2. A boid is
 * outside if its coarse squared distance is at least `beyond`, and inside if it is at most `beyond` - DISC_BAND.
 * Between these values, the exact squares are compared. Runs are offsets into `slots`. */
struct disc {
    uint64_t square;
    int32_t beyond;
    const struct flock_agent *slots;
};

enum { DISC_BAND = 1 << 17 };

/** One or more adjacent slots, given as byte offsets. */
struct slot_run {
    uint32_t begin, end;
};

/** Sums of offsets from the boid and of velocities. */
struct disc_sum {
    int32_t x, y, vx, vy;
    uint32_t count;
};

/** Sum over the boids in runs [begin, end) whose positions are in the disc around `at`. Offsets must fit into 32 bits,
 * and so must their squares in the coarse units. */
void disc_sum_loop(const struct slot_run *begin, const struct slot_run *end, struct flock_vec at,
                   const struct disc *circle, struct disc_sum *sum);

/** Compares the exact squares; called by the loop. */
bool disc_contains(int32_t x, int32_t y, const struct disc *circle);

#endif
