/* See num_fixed_m0plus.h: square roots and quotients, by the divider of the SIO. */
#include "num.h"

int32_t m0plus_wide_mean(int64_t sum, uint32_t count);

enum { STEP = 8 };

/* Two steps of the divider, if the dividend has at most 40 bits and the divisor 24, as the lengths of velocities
 * have. */
static inline uint32_t quotient_of(uint64_t dividend, uint32_t divisor)
{
    const uint32_t upper = (uint32_t)(dividend >> STEP), lower = (uint32_t)dividend & ((1u << STEP) - 1);
    const uint32_t first = upper / divisor, rest = upper - first * divisor;
    return (first << STEP) + (rest << STEP | lower) / divisor;
}

int64_t m0plus_over(int64_t a, uint32_t b)
{
    const uint64_t size = a < 0 ? -(uint64_t)a : (uint64_t)a;
    if (size >> 40 || b >> 24 || b <= (uint32_t)(size >> 32))
        return a / (int64_t)b;
    const int64_t quotient = quotient_of(size, b);
    return a < 0 ? -quotient : quotient;
}

int32_t m0plus_wide_mean(int64_t sum, uint32_t count)
{
    return num_saturate(sum / (int64_t)count).raw;
}

/* One binary digit after the other, from the highest that may be set. */
static uint32_t root_by_digits(uint64_t a)
{
    uint64_t root = 0, bit = UINT64_C(1) << 62;
    while (bit > a)
        bit >>= 2;
    for (; bit != 0; bit >>= 2) {
        const bool fits = a >= root + bit;
        if (fits)
            a -= root + bit;
        root = (root >> 1) + (fits ? bit : 0);
    }
    return (uint32_t)root;
}

/* Newton's method: a guess g is improved to g + (a - g^2) / 2g, which is slightly too large; the next step corrects
 * it. Squares of speeds are between 2^32 and 2^40 and the divider has 32 bits, so the first two steps are taken in
 * coarser units. */
uint32_t m0plus_root(uint64_t a)
{
    const uint32_t high = (uint32_t)(a >> 32);
    if (high == 0 || high > 255)
        return root_by_digits(a);
    const uint32_t coarse = (uint32_t)(a >> 8);
    uint32_t guess = 1;
    while (guess * guess <= high)
        guess++;
    /* In units of 2^4, so that squares are in units of 2^8; after the second step the error is some units of 2^4. */
    guess <<= 12;
    guess = (guess + coarse / guess) >> 1;
    guess = (guess + coarse / guess) >> 1;
    guess = (guess + coarse / guess) >> 1;
    uint32_t root = guess << 4;
    int64_t rest = (int64_t)a - (int64_t)m0plus_norm_squared((int32_t)root, 0);
    root = (uint32_t)((int32_t)root + (int32_t)rest / (int32_t)(2 * root));
    rest = (int64_t)a - (int64_t)m0plus_norm_squared((int32_t)root, 0);
    for (; rest < 0; root--)
        rest += 2 * root - 1;
    for (; rest > (int64_t)(2 * root); root++)
        rest -= 2 * root + 1;
    return root;
}
