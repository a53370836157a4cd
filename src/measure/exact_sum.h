/* Sums without rounding errors (a superaccumulator).
 *
 * A sum is held as a whole number of units of 2^-1074, the smallest double above 0, and is rounded once, to the nearest
 * double (ties to even), when it is asked for. So it does not depend on the order of what was added: it is what Python's
 * math.fsum returns. Unlike fsum, a sum may leave the range of double and return.
 */
#ifndef EXACT_SUM_H
#define EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>

/** From 2^-1074 to 2^31 times DBL_MAX. No limb overflows for up to 2^31 addends. */
enum { EXACT_SUM_LIMBS = 67 };

/** All zeros: an empty sum. */
struct exact_sum {
    int64_t limbs[EXACT_SUM_LIMBS]; /**< of 32 bits, the lowest first, each with its carry */
    int64_t infinities[2],
        nans; /**< numbers of infinities that were added, positive ones first, and of NaNs */
};

void exact_sum_add(struct exact_sum *sum, double value);

/** Add many values: the same bits, several times as fast if most of them are of similar size. */
void exact_sum_add_all(struct exact_sum *sum, const double *values, size_t count);

/** The sum, rounded once. It is infinite beyond DBL_MAX and after an infinity was added; it is NaN after both
 * infinities or a NaN were. */
double exact_sum_round(const struct exact_sum *sum);

#endif
