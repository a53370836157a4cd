/* Fixed-point operations for processors that have 64-bit products and division; num_fixed.h includes this header. */
#pragma once

/* Computed in 32 bits, which is four times as fast on a 32-bit processor. A sum can only overflow if both numbers
 * have the same sign. */
static inline num num_add(num a, num b)
{
    int32_t sum;
    if (__builtin_add_overflow(a.raw, b.raw, &sum) || sum == INT32_MIN)
        return num_raw((a.raw | b.raw) < 0 ? -INT32_MAX : INT32_MAX);
    return num_raw(sum);
}

/* A difference can only overflow if the numbers have opposite signs. */
static inline num num_subtract(num a, num b)
{
    int32_t difference;
    if (__builtin_sub_overflow(a.raw, b.raw, &difference) || difference == INT32_MIN)
        return num_raw(a.raw < 0 ? -INT32_MAX : INT32_MAX);
    return num_raw(difference);
}

/** a * b. */
static inline int64_t num_product(int32_t a, int32_t b)
{
    return (int64_t)a * b;
}

/** a / b, towards zero. */
static inline int64_t num_over(int64_t a, uint32_t b)
{
    return a / (int64_t)b;
}

static inline num_square num_norm_squared(num x, num y)
{
    return (uint64_t)((int64_t)x.raw * x.raw) + (uint64_t)((int64_t)y.raw * y.raw);
}

/* The root of a Q32.32 number is a Q16.16 number, rounded down. The root in double may differ by 1. Without double in hardware, the
 * binary digits are computed from the highest on. */
__attribute__((const)) static inline uint32_t num_root_raw(num_square a)
{
#ifndef __arm__
    const double near = __builtin_sqrt((double)a);
    uint64_t root = near < UINT32_MAX ? (uint64_t)near : UINT32_MAX;
    root -= root * root > a;
    root += a - root * root > 2 * root;
#else
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 62; bit != 0; bit >>= 2) {
        const bool fits = a >= root + bit;
        a -= fits ? root + bit : 0;
        root = (root >> 1) + (fits ? bit : 0);
    }
#endif
    return (uint32_t)root;
}

/** a / d^2. Because a is at most d, the quotient can only overflow if d is below 2^-15; then it saturates. */
static inline num num_over_square(num a, num_square squared)
{
    return num_saturate(a.raw * (INT64_C(1) << 32) / (int64_t)squared);
}

static inline num num_sum_mean(num_sum sum, uint32_t count)
{
    return num_saturate(sum.raw / (int64_t)count);
}

static inline num num_scale(num_factor factor, num a)
{
    int64_t half = (INT64_C(1) << factor.point) / 2;
    return num_saturate(((int64_t)factor.raw * a.raw + half) >> factor.point);
}
