/* The innermost loop of near.h: sums over those boids of some runs of slots who are within a circle. */
#ifndef SUM_H
#define SUM_H

#include "flock/flock.h"

/** A circle around a boid. Squares of distances are first compared in units of 2^NEAR_UNIT, squared: from `beyond` on
 * nobody is within, and everybody is from SUM_BAND below it. In between the exact square decides. Runs refer to
 * `slots`. */
struct sum_circle {
    uint64_t square;
    int32_t beyond;
    const struct flock_agent *slots;
};

enum { SUM_BAND = 1 << 17 };

/** Slots side by side, at least one; in bytes from the first. */
struct sum_run {
    uint32_t begin, end;
};

/** Sums of offsets from the boid and of velocities. */
struct sum {
    int32_t x, y, vx, vy;
    uint32_t count;
};

/** Sum up everybody in runs [begin, end) who is within the circle around `at`. Offsets must fit into 32 bits, and their
 * squares, in units, too. */
void sum_within(const struct sum_run *begin, const struct sum_run *end, struct flock_vec at,
                const struct sum_circle *circle, struct sum *sum);

/** The exact comparison; called by the loop. */
bool sum_is_within(int32_t x, int32_t y, const struct sum_circle *circle);

#endif
