/* Periodic boundaries along one axis. The period is infinite on a plane. */
#ifndef PERIODIC_H
#define PERIODIC_H

#include <math.h>

/** The minimum image: the shorter of the straight distance and that around the torus. */
static inline double periodic_shorter(double straight, double around)
{
    return around < straight ? around : straight;
}

/** Wrap a coordinate to 0 up to the period. fmod() is exact on every machine. */
static inline double periodic_wrap(double a, double period)
{
    if ((a >= 0 && a <= period) || isinf(period))
        return a;
    const double rest = fmod(a, period);
    return rest < 0 ? rest + period : rest;
}

#endif
