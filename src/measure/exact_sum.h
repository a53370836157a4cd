/* Sums without rounding errors: a superaccumulator.
 *
 * A sum is held as a whole number of units of 2^-1074, the smallest double above 0, and is rounded once, to the nearest
 * double (ties to even), when it is asked for. So it does not depend on the order of what was added: it is what Python's
 * math.fsum returns. Unlike there, sums that leave the range of double on the way come back from there.
 */
#ifndef EXACT_SUM_H
#define EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>

/** From 2^-1074 to 2^31 times DBL_MAX. No limb overflows for up to 2^31 addends. */
enum { EXACT_SUM_LIMBS = 67 };

/** All zero is a sum of nothing. */
struct exact_sum {
    int64_t limbs[EXACT_SUM_LIMBS]; /**< of 32 bits, the lowest first, each with what it carries */
    int64_t infinities[2], nans;    /**< how many were added, the positive ones first */
};

void exact_sum_add(struct exact_sum *sum, double value);

/** Add many at once, the same to the bit and several times as fast when most of them are alike in size. */
void exact_sum_add_all(struct exact_sum *sum, const double *values, size_t count);

/** The sum, rounded once. Beyond DBL_MAX it is infinite, and so with an infinity among what was added; with both, or
 * with a NaN, it is NaN. */
double exact_sum_round(const struct exact_sum *sum);

#endif
