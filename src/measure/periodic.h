/* The two ways from point to point along an axis of a torus; on a plane, where the period is infinite, there is one. */
#ifndef PERIODIC_H
#define PERIODIC_H

#include <math.h>

static inline double periodic_shorter(double straight, double around)
{
    return around < straight ? around : straight;
}

/** The image within a torus, 0 to the period. fmod is exact, on every machine. */
static inline double periodic_wrap(double a, double period)
{
    if ((a >= 0 && a <= period) || isinf(period))
        return a;
    const double rest = fmod(a, period);
    return rest < 0 ? rest + period : rest;
}

#endif
