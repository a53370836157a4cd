/* The innermost loop of disc_sum.h: sums over those boids of some runs of slots who are within a circle. */
#ifndef DISC_SUM_LOOP_H
#define DISC_SUM_LOOP_H

#include "flock/flock.h"

/** A circle around a boid. Squares of distances are first compared in units of 2^DISC_SUM_UNIT, squared: from `beyond` on
 * nobody is within, and everybody is from DISC_BAND below it. In between the exact square decides. Runs refer to
 * `slots`. */
struct disc {
    uint64_t square;
    int32_t beyond;
    const struct flock_agent *slots;
};

enum { DISC_BAND = 1 << 17 };

/** Slots side by side, at least one; in bytes from the first. */
struct slot_run {
    uint32_t begin, end;
};

/** Sums of offsets from the boid and of velocities. */
struct disc_sum {
    int32_t x, y, vx, vy;
    uint32_t count;
};

/** Sum up everybody in runs [begin, end) who is within the circle around `at`. Offsets must fit into 32 bits, and their
 * squares, in units, too. */
void disc_sum_loop(const struct slot_run *begin, const struct slot_run *end, struct flock_vec at,
                   const struct disc *circle, struct disc_sum *sum);

/** The exact comparison; called by the loop. */
bool disc_contains(int32_t x, int32_t y, const struct disc *circle);

#endif
