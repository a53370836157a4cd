/* Sums without rounding errors (a superaccumulator).
 *
 * A sum is held as a whole number of units of 2^-1074, the smallest double above 0, and is rounded once, to the
 * nearest double (ties to even), when it is read. So the result does not depend on the order of the addends and is
 * equal to that of Python's math.fsum. Unlike in fsum, partial sums may exceed the range of double.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** The number of limbs, for values from 2^-1074 to 2^31 times DBL_MAX. No limb overflows for up to 2^31 addends. */
enum { EXACT_SUM_LIMBS = 67 };

/** All zeros: an empty sum. */
struct exact_sum {
    int64_t limbs[EXACT_SUM_LIMBS]; /**< limbs of 32 bits plus carry, the lowest first */
    uint64_t used;                  /**< bit k: a number was added to limbs k to k + 2 */
    double special;                 /**< the sum of the infinities and NaNs; 0 if there is none */
};

void exact_sum_add(struct exact_sum *sum, double value);

/** Add many values. The result is bit-identical to adding them one by one, but several times as fast if most values
 * have a similar magnitude. */
void exact_sum_add_all(struct exact_sum *sum, const double *values, size_t count);

/** The sum, rounded once. The result is infinite if it exceeds DBL_MAX or if an infinity was added. It is NaN if a
 * NaN or infinities of both signs were added. */
double exact_sum_round(const struct exact_sum *sum);
