/* The number the core computes with.
 *
 * The core is written once, against `num` and the functions here, and compiled for one of three types, chosen by a
 * macro on the compiler's command line:
 *
 *     FLOCK_FLOAT32_CORE   num is float                        names end in _f32
 *     FLOCK_FLOAT64_CORE   num is double                       names end in _f64
 *     FLOCK_FIXED_CORE     num is Q16.16 in a one-member struct  names end in _fixed
 *
 * The type is part of every link name, so that objects of different builds cannot be mixed and all three live in one
 * program. Besides `num` there are three wider or finer companions, so that the core need not know where a type runs
 * out of bits: `num_square` holds a squared length, `num_sum` a sum over any number of neighbours, and `num_factor` a
 * rule's weight.
 *
 * Results must be the same bits on every machine. So: + - * / and square root only, each rounded once.
 */
#ifndef FLOCK_NUM_H
#define FLOCK_NUM_H

#include <stdbool.h>
#include <stdint.h>

#if defined __FAST_MATH__
#error "the core promises the same bits everywhere; -ffast-math breaks that promise"
#endif

#define FLOCK_PASTE(name, tag) name##_##tag

#if defined FLOCK_FLOAT32_CORE || defined FLOCK_FLOAT64_CORE
#include "flock/num_float.h"
#elif defined FLOCK_FIXED_CORE
#define FLOCK_TAGGED(name) FLOCK_PASTE(name, fixed)
#include "flock/num_fixed.h"
#else
#error "compile the core with one of FLOCK_FLOAT32_CORE, FLOCK_FLOAT64_CORE, FLOCK_FIXED_CORE"
#endif

/** |a|. */
static inline num num_absolute(num a)
{
    return num_less(a, num_zero()) ? num_subtract(num_zero(), a) : a;
}

#endif
