/* See num_fixed_m0plus.h: square roots and quotients by the hardware divider. Each core has its own, in the SIO block of registers. */
#include "num.h"

int32_t m0plus_wide_mean(int64_t sum, uint32_t count);

enum { STEP = 8 };

/* Divide in two steps of the divider. The dividend must have at most 40 bits and the divisor at most 24 bits. Calculations with
 * lengths of velocities stay within this. */
static inline uint32_t quotient_of(uint64_t dividend, uint32_t divisor)
{
    const uint32_t upper = (uint32_t)(dividend >> STEP), lower = (uint32_t)dividend & ((1u << STEP) - 1);
    const uint32_t first = upper / divisor, rest = upper - first * divisor;
    return (first << STEP) + (rest << STEP | lower) / divisor;
}

int64_t num_over(int64_t a, uint32_t b)
{
    const uint64_t size = a < 0 ? -(uint64_t)a : (uint64_t)a;
    if (size >> 40 || b >> 24 || b <= (uint32_t)(size >> 32))
        return a / (int64_t)b;
    const int64_t quotient = quotient_of(size, b);
    return a < 0 ? -quotient : quotient;
}

/* If d is at least 1, the quotient has at most 17 bits. The first estimate divides by the upper 16 bits of d^2 plus 1,
 * so it is slightly too small. The last loop corrects it. */
int32_t m0plus_over_square(int32_t a, uint64_t squared)
{
    const uint32_t size = a < 0 ? -(uint32_t)a : (uint32_t)a;
    if (squared >> 32 == 0 || squared >> 47 != 0)
        return num_saturate(a * (INT64_C(1) << 32) / (int64_t)squared).raw;
    uint32_t upper = (uint32_t)(squared >> 16), shifted = size;
#pragma GCC unroll 4
    for (int step = 8; step > 0; step >>= 1)
        if (upper >> (32 - step) == 0) {
            upper <<= step;
            shifted <<= step;
        }
    uint32_t quotient = shifted / ((upper >> 16) + 1);
    const uint32_t high = (uint32_t)(squared >> 32), middle = squared >> 16 & 0xffff, low = squared & 0xffff;
    uint64_t rest =
        ((uint64_t)(size - quotient * high) << 32) - ((uint64_t)(quotient * middle) << 16) - quotient * low;
    for (; rest >= squared; rest -= squared)
        quotient++;
    return a < 0 ? -(int32_t)quotient : (int32_t)quotient;
}

int32_t m0plus_wide_mean(int64_t sum, uint32_t count)
{
    return num_saturate(sum / (int64_t)count).raw;
}

/* The root, rounded down, of a 32-bit number with at least one of its upper two bits set: two steps of Newton's
 * method from a linear estimate with an error of at most 4 %. The result of a step is never less than the root
 * rounded down. */
static inline uint32_t upper_root(uint32_t a)
{
    uint32_t guess = ((a >> 16) * 43 >> 6) + 22700;
    guess = (guess + a / guess) >> 1;
    guess = (guess + a / guess) >> 1;
    return guess > UINT16_MAX || guess * guess > a ? guess - 1 : guess;
}

/* The root has two digits of 16 bits, as in long division; the lower one is too large by at most one. The root of a
 * * 4^shift is the root of a times 2^shift. */
uint32_t num_root_raw(num_square a)
{
    int shift = 0;
    if (a == 0)
        return 0;
    for (int step = 16; step > 0; step >>= 1)
        if (a >> (64 - 2 * step) == 0) {
            a <<= 2 * step;
            shift += step;
        }
    const uint32_t high = (uint32_t)(a >> 32), low = (uint32_t)a;
    const uint32_t first = upper_root(high), rest = (high - first * first) << 15 | low >> 17;
    uint32_t second = rest / first;
    if (second > UINT16_MAX)
        second = UINT16_MAX;
    const uint64_t left = (uint64_t)(rest - second * first) << 17 | (low & 0x1ffff);
    return ((first << 16) + second - (left < second * second)) >> shift;
}
