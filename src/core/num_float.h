/* num as float or double: the operations of the core for these types.
 *
 * Compilers must not contract these operations into fused multiply-adds (build with -ffp-contract=off) or compute
 * them in wider registers, because the last bit would then differ between machines.
 */
#pragma once

#include <float.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16 // 16: as 0, but with separate operations for half precision
#error \
    "FLT_EVAL_METHOD must be 0: intermediate results wider than their type change bits (on x86, use -mfpmath=sse)"
#endif

#if defined FLOCK_FLOAT32_CORE
typedef uint32_t num_word;
#define NUM_LARGEST FLT_MAX
#define NUM_ROOT    __builtin_sqrtf
/* A square below NUM_LEAST_SQUARE may have lost bits. If the square of a length is too small or too large, the length is multiplied by
 * NUM_ENLARGE or NUM_REDUCE, two powers of two. The new square loses no bits. */
#define NUM_LEAST_SQUARE 0x1p-100F
#define NUM_ENLARGE      0x1p100F
#define NUM_REDUCE       0x1p-70F
enum { NUM_RANDOM_BITS = 24 };
#else
typedef uint64_t num_word;
#define NUM_LARGEST      DBL_MAX
#define NUM_ROOT         __builtin_sqrt
#define NUM_LEAST_SQUARE 0x1p-900
#define NUM_ENLARGE      0x1p700
#define NUM_REDUCE       0x1p-600
enum { NUM_RANDOM_BITS = 53 };
#endif

typedef num num_sum;

/** True if the sum and the mean of n equal numbers never have a rounding error. */
static inline bool num_sums_are_exact(void)
{
    return false;
}

static inline num num_zero(void)
{
    return 0;
}

/** The bits as they are stored. */
static inline uint64_t num_bits(num a)
{
    num_word bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

/** True if a double can be represented: finite after rounding. */
static inline bool num_holds(double a)
{
    return a >= -(double)NUM_LARGEST && a <= (double)NUM_LARGEST;
}

static inline num_factor num_factor_from_double(double a)
{
    return (num)a;
}

/** False for infinities and NaN: the boid has left the range of num. */
static inline bool num_is_finite(num a)
{
    return a - a == 0;
}

/** A number that num_is_finite() rejects. */
static inline num num_out_of_range(void)
{
    return (num)__builtin_nan("");
}

static inline num num_add(num a, num b)
{
    return a + b;
}

static inline num num_subtract(num a, num b)
{
    return a - b;
}

static inline num num_half(num a)
{
    return a / 2;
}

static inline bool num_less(num a, num b)
{
    return a < b;
}

static inline bool num_is_zero(num a)
{
    return a == 0;
}

/** x*x + y*y. */
static inline num_square num_norm_squared(num x, num y)
{
    return x * x + y * y;
}

/** True if the square of a length is zero or has lost bits. */
static inline bool num_square_is_small(num_square a)
{
    return a < NUM_LEAST_SQUARE;
}

/** True if the square is small or may have overflowed. */
static inline bool num_square_is_lost(num_square a)
{
    return num_square_is_small(a) || a > NUM_LARGEST;
}

/** For a length whose square has lost bits: a power of two. The square of the length times this power loses no bits. */
static inline num num_square_rescale(num_square a)
{
    return a < 1 ? NUM_ENLARGE : NUM_REDUCE;
}

/** False if a length was so large that its square overflowed. */
#define num_square_is_finite num_is_finite

/** a * to / d: a component of a vector of length d, scaled to the length `to`. `squared` is d*d and must not be zero.
 * Both components use the same ratio. */
static inline num num_scale_to(num a, num to, num_square squared)
{
    return a * (to / NUM_ROOT(squared));
}

/** a / d, a component of a unit vector; `squared` is d*d, not zero. */
static inline num num_over_length(num a, num_square squared)
{
    return a / NUM_ROOT(squared);
}

/** a / d^2; `squared` is d*d, not zero. */
static inline num num_over_square(num a, num_square squared)
{
    return a / squared;
}

/** d^4 + 1, a divisor; `squared` is d*d. */
static inline num_square num_quartic(num_square squared)
{
    return squared * squared + 1;
}

/** The dot product a . b of two vectors, given by their components. */
static inline num num_dot(num ax, num ay, num bx, num by)
{
    return ax * bx + ay * by;
}

/** a x b: positive if b is to the left of a (with y upwards). */
static inline num num_cross(num ax, num ay, num bx, num by)
{
    return ax * by - ay * bx;
}

static inline num num_multiply(num a, num b)
{
    return a * b;
}

/** The square root of a num_square. */
#define num_length NUM_ROOT

/** The other leg of a right triangle, from the square of its hypotenuse and one leg, which must be shorter. */
static inline num num_sqrt_diff_squares(num_square hypotenuse, num leg)
{
    return NUM_ROOT(hypotenuse - leg * leg);
}

/** a*b < c*d. */
static inline bool num_product_less(num a, num b, num c, num d)
{
    return a * b < c * d;
}

#define num_sum_zero     num_zero
#define num_sum_add      num_add
#define num_sum_subtract num_subtract

static inline num num_sum_total(num_sum sum)
{
    return sum;
}

/** sum / count, count not zero. */
static inline num num_sum_mean(num_sum sum, uint32_t count)
{
    return sum / (num)count;
}

/** In fixed point, this halves both components of a vector of sums until they fit into a num, and returns the number of
 * halvings. Sums of floats always fit. */
static inline int num_sums_fit(num_sum *x, num_sum *y)
{
    (void)x, (void)y;
    return 0;
}

/** sum - a * count. */
static inline num_sum num_sum_subtract_times(num_sum sum, num a, uint32_t count)
{
    return sum - a * (num)count;
}

static inline bool num_factor_is_negative(num_factor factor)
{
    return factor < 0;
}

#define num_factor_is_zero num_is_zero
#define num_scale          num_multiply

/** factor * a * 2^doublings, where num_sums_fit() gave the number of doublings: always 0 for floats. */
static inline num num_scale_doubled(num_factor factor, num a, int doublings)
{
    (void)doublings;
    return factor * a;
}

/* Every double above 2^52 is a whole number, and the cast below would overflow. */
static inline double num_floor_double(double a)
{
    if (!(a > -4503599627370496.0 && a < 4503599627370496.0))
        return a;
    double whole = (double)(int64_t)a;
    return whole > a ? whole - 1 : whole;
}

/** The remainder of `a` after division by `period`, in [0, period]; *is_odd: whether the quotient is odd. */
static inline num num_modulo(num a, num period, bool *is_odd)
{
    double turns = num_floor_double((double)a / (double)period);
    double rest = (double)a - turns * (double)period;
    *is_odd = num_floor_double(turns / 2) * 2 != turns;
    if (!(rest > 0))
        rest = 0;
    return rest > (double)period ? period : (num)rest;
}

/** a - b minus a whole number of periods; the number of periods is rounded towards zero. */
static inline num num_difference_modulo(num a, num b, num period)
{
    bool is_odd;
    const num d = a - b;
    return d < 0 ? -num_modulo(-d, period, &is_odd) : num_modulo(d, period, &is_odd);
}

/** Cells per length, for num_ratio_floor(). */
static inline num_ratio num_ratio_make(int32_t cells, num length)
{
    double ratio = (double)cells / (double)length;
    return ratio > DBL_MAX ? DBL_MAX : ratio;
}

/** floor(a * ratio), limited to +-2^30. */
static inline int32_t num_ratio_floor(num a, num_ratio ratio)
{
    enum { FARTHEST = 1 << 30 };
    double cell = (double)a * ratio;
    if (!(cell > -FARTHEST))
        return -FARTHEST;
    if (cell > FARTHEST)
        return FARTHEST;
    int32_t whole = (int32_t)cell;
    return whole - ((double)whole > cell);
}

/** floor(a / b) for lengths, at most `max`. */
static inline int32_t num_quotient(num a, num b, int32_t max)
{
    double quotient = (double)a / (double)b;
    return quotient < max ? (int32_t)quotient : max;
}

/** A slightly larger width, so that a cell is wider than the distance to any neighbour in spite of rounding errors. */
static inline num num_widen(num a)
{
    return a + a / 1024;
}

/** A random number in [low, high], from 64 random bits. */
static inline num num_uniform(num low, num high, uint64_t bits)
{
    num unit = (num)(bits >> (64 - NUM_RANDOM_BITS)) / (num)(UINT64_C(1) << NUM_RANDOM_BITS);
    return low + (high - low) * unit;
}

/** a * b, of whole numbers. */
static inline int64_t num_product(int32_t a, int32_t b)
{
    return (int64_t)a * b;
}

/** A cosine or a sine in Q2.30. */
static inline num num_from_q30(int32_t a)
{
    return (num)a / (num)1073741824.0;
}

/** length * part, where `part` is a cosine or a sine in Q2.30. */
static inline num num_component(num length, int32_t part)
{
    return num_from_q30(part) * length;
}

/** cosine * x - sine * y, both in Q2.30. */
static inline num num_turned_x(num x, num y, int32_t cosine, int32_t sine)
{
    return num_from_q30(cosine) * x - num_from_q30(sine) * y;
}

/** a / 2^31: an integer as a number in [-1, 1). */
static inline num num_from_q31(int32_t a)
{
    return (num)a / (num)2147483648.0;
}
