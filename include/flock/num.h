/* The number type of a flock, for programs that use the library.
 *
 * The core is compiled for one of three types, chosen by a macro on the compiler's command line:
 *
 *     FLOCK_FLOAT32_CORE   flock_num is float                          names end in _f32
 *     FLOCK_FLOAT64_CORE   flock_num is double                         names end in _f64
 *     FLOCK_FIXED_CORE     flock_num is Q16.16 in a one-member struct  names end in _fixed
 *
 * The name of each symbol includes the type, so object files of different types cannot be mixed by mistake, and one
 * program can contain all three. Squares of lengths, factors of rules and the number of cells per length have their
 * own types. src/core/num.h has the operations.
 */
#pragma once

#include <stdint.h>

#define FLOCK_PASTE(name, tag) name##_##tag

#if defined FLOCK_FLOAT32_CORE
#define FLOCK_TYPED(name) FLOCK_PASTE(name, f32)
typedef float flock_num;
#elif defined FLOCK_FLOAT64_CORE
#define FLOCK_TYPED(name) FLOCK_PASTE(name, f64)
typedef double flock_num;
#elif defined FLOCK_FIXED_CORE
#define FLOCK_TYPED(name) FLOCK_PASTE(name, fixed)
typedef struct {
    int32_t raw; /* value * 65536 */
} flock_num;
#else
#error "compile with one of FLOCK_FLOAT32_CORE, FLOCK_FLOAT64_CORE, FLOCK_FIXED_CORE"
#endif

#if defined FLOCK_FIXED_CORE

typedef uint64_t flock_square; /* Q32.32 */

typedef struct {
    int32_t raw; /* value * 2^point */
    int32_t point;
} flock_factor;

/* multiplier / 2^point, with 31 bits of precision for any point. */
typedef struct {
    int64_t multiplier;
    int32_t point;
} flock_ratio;

/** Round to the nearest 1/65536 and limit to +-32767.99998. */
static inline flock_num flock_num_from_double(double a)
{
    const double scaled = a * 65536;
    flock_num rounded;
    if (scaled > INT32_MAX)
        rounded.raw = INT32_MAX;
    else if (scaled < -INT32_MAX)
        rounded.raw = -INT32_MAX;
    else
        rounded.raw = (int32_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    return rounded;
}

static inline double flock_num_to_double(flock_num a)
{
    return (double)a.raw / 65536;
}

#else

typedef flock_num flock_square;
typedef flock_num flock_factor;
/* A double even if flock_num is float, because rounding to float could put two neighbours into cells that are not
 * adjacent. */
typedef double flock_ratio;

static inline flock_num flock_num_from_double(double a)
{
    return (flock_num)a;
}

static inline double flock_num_to_double(flock_num a)
{
    return (double)a;
}

#endif
