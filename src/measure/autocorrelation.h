/* The integrated autocorrelation time of a series of values: a multiple-tau correlator (Ramirez et al., J. Chem. Phys.
 * 133, 154103, 2010).
 *
 * Values are added one at a time and not stored, so the memory does not grow with the series. The results depend
 * only on the values and their order. Formulas are in docs/observables.md.
 */
#ifndef AUTOCORRELATION_H
#define AUTOCORRELATION_H

#include <stdint.h>

/** AUTOCORRELATION_MIN is the minimum number of values for an autocorrelation time. */
enum { AUTOCORRELATION_LAGS = 8, AUTOCORRELATION_LEVELS = 40, AUTOCORRELATION_MIN = 32 };

/** The means of blocks of 2^k successive values, where k is the index of the level. */
struct autocorrelation_level {
    uint64_t count; /**< number of blocks */
    double
        recent[AUTOCORRELATION_LAGS]; /**< the last blocks; block i is at index i modulo the number of lags */
    double products[AUTOCORRELATION_LAGS +
                    1]; /**< for each lag, the sum of a b over the pairs of blocks (a, b) */
    double sums[AUTOCORRELATION_LAGS + 1]; /**< the sum of a + b over the same pairs */
};

/** All zeros: an empty series. */
struct autocorrelation {
    double origin; /**< the first value, which is subtracted from all */
    struct autocorrelation_level levels[AUTOCORRELATION_LEVELS];
};

/** Add a value. This computes the products of two levels on average. */
void autocorrelation_add(struct autocorrelation *series, double value);

/** The integrated autocorrelation time, 1/2 + the sum of rho(k) over all lags k > 0, in units of the interval between two values. It is 1/2
 * for independent values and never less. The relative standard error is about 3.5 sqrt(time / number of values). If the
 * result is longer than a twentieth of the series, it is only a lower bound. NAN for fewer than AUTOCORRELATION_MIN
 * values, or if all values are equal. */
double autocorrelation_time(const struct autocorrelation *series);

#endif
