/* Operations on flock_num, under short names: the type `num` and the functions of num_float.h or num_fixed.h.
 *
 * The core uses only these operations. Besides `num`, there are types with more range or precision: `num_square` for
 * a squared length, `num_sum` for a sum over neighbours, `num_factor` for the factor of a rule, `num_ratio` for the
 * number of cells per length.
 *
 * Results must have the same bits on every machine, so the only operations are + - * / and square root, each rounded
 * once.
 */
#pragma once

#include "flock/num.h"

#include <stdbool.h>

#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || defined __RECIPROCAL_MATH__ || \
    __FINITE_MATH_ONLY__
#error "the core needs IEEE arithmetic; compile without -ffast-math and the options that it includes"
#endif

typedef flock_num num;
typedef flock_square num_square;
typedef flock_factor num_factor;
typedef flock_ratio num_ratio;

#define num_from_double flock_num_from_double
#define num_to_double   flock_num_to_double

static inline bool num_square_less(num_square a, num_square b)
{
    return a < b;
}

static inline bool num_square_is_same(num_square a, num_square b)
{
    return a == b;
}

static inline bool num_square_is_zero(num_square a)
{
    return a == 0;
}

#if defined FLOCK_FIXED_CORE
#include "num_fixed.h"
#else
#include "num_float.h"
#endif

/** |a|. */
static inline num num_absolute(num a)
{
    return num_less(a, num_zero()) ? num_subtract(num_zero(), a) : a;
}
