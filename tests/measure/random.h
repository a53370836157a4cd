/* Random numbers for the tests of this folder, from another generator than the program's (splitmix64). */
#pragma once

#include "../suite.h"

static uint64_t random_state;

static inline uint64_t random_bits(void)
{
    random_state += 0x9E3779B97F4A7C15;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static inline double uniform(double low, double high)
{
    return low + (high - low) * ((double)(random_bits() >> 11) / 9007199254740992.0);
}

/** Equal up to a tolerance, or both NAN. */
static inline void near(double a, double b, double tolerance)
{
    if (!(isnan(a) && isnan(b)) && !(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}
