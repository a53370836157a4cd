/* A boid or a predator outside the core. A double holds every float32, float64 and Q16.16 number exactly. */
#pragma once

#include <math.h>
#include <stdbool.h>

/** Position in world units, velocity in world units per step. */
struct agent {
    double x, y, vx, vy;
};

/** In frames of tracked animals, the four numbers of an animal that is absent are NAN. */
static inline bool agent_is_absent(const struct agent *agent)
{
    return isnan(agent->x) && isnan(agent->y) && isnan(agent->vx) && isnan(agent->vy);
}

/** Wrap a coordinate into [0, period). fmod() is exact on every machine. */
static inline double periodic_wrap(double a, double period)
{
    if ((a >= 0 && a <= period) || isinf(period))
        return a;
    const double rest = fmod(a, period);
    return rest < 0 ? rest + period : rest;
}
