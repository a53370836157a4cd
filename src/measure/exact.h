/* Sums without rounding errors: a superaccumulator.
 *
 * A sum is held as a whole number of units of 2^-1074, the smallest double above 0, and is rounded once, to the nearest
 * double (ties to even), when it is asked for. So it depends neither on the order of what was added nor on how that was
 * divided among sums that are merged later: it is what Python's math.fsum returns. Unlike there, sums that leave the
 * range of double on the way come back from there.
 */
#ifndef EXACT_H
#define EXACT_H

#include <stddef.h>
#include <stdint.h>

/** From 2^-1074 to 2^31 times DBL_MAX. So many addends no limb overflows, merged or not. */
enum { EXACT_LIMBS = 67 };

/** All zero is a sum of nothing. Two sums are merged by adding their members one by one: exact_merge(). */
struct exact {
    int64_t limbs[EXACT_LIMBS];  /**< of 32 bits, the lowest first, each with what it carries */
    int64_t infinities[2], nans; /**< how many were added, the positive ones first */
};

void exact_add(struct exact *sum, double value);

/** Add many at once, the same to the bit and several times as fast when most of them are alike in size. */
void exact_add_all(struct exact *sum, const double *values, size_t count);

/** The sum, rounded once. Beyond DBL_MAX it is infinite, and so with an infinity among what was added; with both, or
 * with a NaN, it is NaN. */
double exact_round(const struct exact *sum);

#endif
