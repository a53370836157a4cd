/* num as Q16.16 fixed point: a 32-bit integer with 16 bits before the binary point and 16 after it.
 *
 * It is a struct with one member, so that a * b is a compile error. The same rules hold on the host and on the
 * microcontroller:
 *
 *     saturation   a result outside of +-32767.99998 becomes +-32767.99998
 *     products     by a factor, another number, a cosine or a sine are rounded to nearest, ties upwards; dot and
 *                  cross products are computed exactly in 64 bits and then rounded down
 *     quotients    are rounded towards zero, so that boids in mirrored situations turn by opposite amounts
 *     roots        are rounded down
 *     squares      are exact, in 64 bits (Q32.32); so are sums over neighbours (Q48.16)
 *
 * In Q16.16, a factor of 0.0005 would be 33/65536, which is 0.7 % too large. So num_factor has 31 significant bits
 * and its own number of bits after the point.
 */
#pragma once

typedef struct {
    int64_t raw; /* value * 65536 */
} num_sum;

enum { NUM_ONE = 65536 };

/** True if the sum and the mean of n equal numbers never have a rounding error. */
static inline bool num_sums_are_exact(void)
{
    return true;
}

static inline num num_raw(int32_t raw)
{
    return (num){raw};
}

static inline num num_saturate(int64_t raw)
{
    const int32_t low = (int32_t)raw;
    if (low == raw && low != INT32_MIN)
        return num_raw(low);
    return num_raw(raw < 0 ? -INT32_MAX : INT32_MAX);
}

/* Operations that have a faster implementation on some processors: the macro NUM_FIXED_PLATFORM names its header,
 * which must give the same bits. */
#if defined NUM_FIXED_PLATFORM
#include NUM_FIXED_PLATFORM
#else
#include "num_fixed_generic.h"
#endif

static inline num num_zero(void)
{
    return num_raw(0);
}

static inline uint64_t num_bits(num a)
{
    return (uint32_t)a.raw;
}

static inline bool num_holds(double a)
{
    return a > -32768 && a < 32768;
}

/** Convert a factor, with as many bits after the binary point as fit into 32 bits, but at most 30. Used on the host
 * only. */
static inline num_factor num_factor_from_double(double a)
{
    double scaled = a;
    int32_t point = 0;
    if (scaled >= INT32_MAX || scaled <= -INT32_MAX)
        return (num_factor){scaled > 0 ? INT32_MAX : -INT32_MAX, 0};
    for (; point < 30 && scaled * 2 < INT32_MAX && scaled * 2 > -INT32_MAX; point++)
        scaled *= 2;
    return (num_factor){(int32_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5), point};
}

static inline bool num_is_finite(num a)
{
    (void)a;
    return true;
}

/* No number is out of range, because numbers saturate. */
static inline num num_out_of_range(void)
{
    return num_raw(INT32_MAX);
}

static inline num num_half(num a)
{
    return num_raw(a.raw / 2);
}

static inline bool num_less(num a, num b)
{
    return a.raw < b.raw;
}

static inline bool num_is_zero(num a)
{
    return a.raw == 0;
}

/** a * to / d: a component of a vector of length d, scaled to the length `to`. `squared` is d*d and must not be zero.
 * d may exceed the range of a num. */
static inline num num_scale_to(num a, num to, num_square squared)
{
    return num_saturate(num_over(num_product(a.raw, to.raw), num_root_raw(squared)));
}

/* Squares are exact. */
#define num_square_is_small num_square_is_zero
#define num_square_is_lost  num_square_is_zero

static inline num num_square_rescale(num_square a)
{
    (void)a;
    return num_raw(NUM_ONE);
}

static inline bool num_square_is_finite(num_square a)
{
    (void)a;
    return true;
}

static inline num num_over_length(num a, num_square squared)
{
    return num_saturate(num_over((int64_t)a.raw * NUM_ONE, num_root_raw(squared)));
}

/* d^2 as a num, limited so that its square plus 1 does not overflow. */
static inline num_square num_quartic(num_square squared)
{
    const num cut = num_saturate((int64_t)(squared >> 16));
    return num_norm_squared(cut, num_raw(NUM_ONE));
}

static inline num num_dot(num ax, num ay, num bx, num by)
{
    return num_saturate((num_product(ax.raw, bx.raw) + num_product(ay.raw, by.raw)) >> 16);
}

static inline num num_cross(num ax, num ay, num bx, num by)
{
    return num_saturate((num_product(ax.raw, by.raw) - num_product(ay.raw, bx.raw)) >> 16);
}

static inline num num_multiply(num a, num b)
{
    return num_saturate((num_product(a.raw, b.raw) + NUM_ONE / 2) >> 16);
}

static inline num num_length(num_square squared)
{
    return num_saturate(num_root_raw(squared));
}

static inline num num_sqrt_diff_squares(num_square hypotenuse, num leg)
{
    return num_length(hypotenuse - num_norm_squared(leg, num_zero()));
}

/** a*b < c*d, exactly. */
static inline bool num_product_less(num a, num b, num c, num d)
{
    return num_product(a.raw, b.raw) < num_product(c.raw, d.raw);
}

static inline num_sum num_sum_zero(void)
{
    return (num_sum){0};
}

static inline num_sum num_sum_add(num_sum sum, num a)
{
    return (num_sum){sum.raw + a.raw};
}

static inline num_sum num_sum_subtract(num_sum sum, num a)
{
    return (num_sum){sum.raw - a.raw};
}

static inline num num_sum_total(num_sum sum)
{
    return num_saturate(sum.raw);
}

static inline bool num_sum_fits(num_sum sum)
{
    return (int32_t)sum.raw == sum.raw && (int32_t)sum.raw != INT32_MIN;
}

/** Halve both components of a vector of sums until both are in the range of a num. @return the number of halvings */
static inline int num_sums_fit(num_sum *x, num_sum *y)
{
    int halvings = 0;
    for (; !num_sum_fits(*x) || !num_sum_fits(*y); halvings++) {
        x->raw /= 2;
        y->raw /= 2;
    }
    return halvings;
}

/** factor * a * 2^doublings. */
static inline num num_scale_doubled(num_factor factor, num a, int doublings)
{
    for (; doublings > 0 && factor.point > 0; doublings--)
        factor.point--;
    num product = num_scale(factor, a);
    for (; doublings > 0; doublings--)
        product = num_add(product, product);
    return product;
}

/** sum - a * count. */
static inline num_sum num_sum_subtract_times(num_sum sum, num a, uint32_t count)
{
    return (num_sum){sum.raw - (int64_t)a.raw * count};
}

static inline bool num_factor_is_negative(num_factor factor)
{
    return factor.raw < 0;
}

static inline bool num_factor_is_zero(num_factor factor)
{
    return factor.raw == 0;
}

/** a - b minus a whole number of periods; the number of periods is rounded towards zero. Intermediate results do not saturate. */
static inline num num_difference_modulo(num a, num b, num period)
{
    return num_raw((int32_t)(((int64_t)a.raw - b.raw) % period.raw));
}

static inline num num_modulo(num a, num period, bool *is_odd)
{
    int32_t turns = a.raw / period.raw;
    int32_t rest = a.raw % period.raw;
    if (rest < 0) {
        rest += period.raw;
        turns--;
    }
    *is_odd = turns & 1;
    return num_raw(rest);
}

/* The ratio is rounded up, so each cell is smaller than planned by 2^-30 of its size, and the last cell of a torus is
 * larger. This does no harm, because the planned size is already 2^-10 larger than necessary (num_widen()). */
static inline num_ratio num_ratio_make(int32_t cells, num length)
{
    int32_t point = 31;
    for (int32_t side = length.raw / cells; side > 1; side /= 2)
        point++;
    return (num_ratio){((((int64_t)cells << point) - 1) / length.raw) + 1, point};
}

static inline int32_t num_ratio_floor(num a, num_ratio ratio)
{
    return (int32_t)((a.raw * ratio.multiplier) >> ratio.point);
}

static inline int32_t num_quotient(num a, num b, int32_t max)
{
    int32_t quotient = a.raw / b.raw;
    return quotient < max ? quotient : max;
}

static inline num num_widen(num a)
{
    return num_saturate((int64_t)a.raw + a.raw / 1024 + 1);
}

static inline num num_uniform(num low, num high, uint64_t bits)
{
    int64_t span = (int64_t)high.raw - low.raw;
    int64_t part = (int64_t)(((uint64_t)(span < 0 ? -span : span) * (bits >> 32)) >> 32);
    return num_saturate(low.raw + (span < 0 ? -part : part));
}

/* Products with a cosine or a sine are rounded to nearest, ties upwards; a sum of two such products is rounded only
 * once. */
enum { NUM_HALF_Q30 = 1 << 29 };

static inline num num_component(num length, int32_t part)
{
    return num_saturate((num_product(part, length.raw) + NUM_HALF_Q30) >> 30);
}

static inline num num_turned_x(num x, num y, int32_t cosine, int32_t sine)
{
    return num_saturate((num_product(cosine, x.raw) - num_product(sine, y.raw) + NUM_HALF_Q30) >> 30);
}

static inline num num_from_q31(int32_t a)
{
    return num_raw(a >> 15);
}
