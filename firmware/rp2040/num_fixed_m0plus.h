/* The operations of src/core/num_fixed_generic.h for the Cortex-M0+, which has 32-bit products and the divider of
 * the SIO: the same bits in a third of the time. Long operations are functions (ram/fixed_mul.S and
 * ram/fixed_div_sqrt.c), so that they do not occupy registers of the caller.
 */
#ifndef NUM_FIXED_M0PLUS_H
#define NUM_FIXED_M0PLUS_H

int64_t num_product(int32_t a, int32_t b);
int64_t num_over(int64_t a, uint32_t b);
uint32_t num_root_raw(num_square a) __attribute__((const));
uint64_t m0plus_norm_squared(int32_t x, int32_t y);
/** high:low / count, towards zero and saturated. */
int32_t m0plus_mean(uint32_t low, int32_t high, uint32_t count);
int32_t m0plus_over_square(int32_t a, uint64_t squared);
/** a * factor / 2^30, halves rounded upwards. */
int32_t m0plus_weigh(int32_t a, int32_t factor);

/* A flag of the processor is set if a sum overflowed. The sum then has the wrong sign, and the saturated value
 * follows from this sign. */
#define M0PLUS_SATURATE                                                \
    "bvc 1f\n\tlsrs %0, %0, #31\n\tlsls %0, %0, #1\n\tsubs %0, #1\n\t" \
    "movs %1, #1\n\tlsls %1, %1, #31\n\tsubs %0, %1, %0\n1:"

/* INT32_MIN is not a valid number, so it is replaced by -INT32_MAX. Twice this number
 * is 0 modulo 2^32, which is true for no other number except 0. */
static inline num m0plus_checked(int32_t a)
{
    return num_raw(__builtin_expect((uint32_t)a << 1 == 0 && a != 0, false) ? -INT32_MAX : a);
}

static inline num num_add(num a, num b)
{
    int32_t sum;
    __asm("adds %0, %2, %1\n\t" M0PLUS_SATURATE : "=&l"(sum), "+l"(b.raw) : "l"(a.raw) : "cc");
    return m0plus_checked(sum);
}

static inline num num_subtract(num a, num b)
{
    int32_t difference;
    __asm("subs %0, %2, %1\n\t" M0PLUS_SATURATE : "=&l"(difference), "+l"(b.raw) : "l"(a.raw) : "cc");
    return m0plus_checked(difference);
}

static inline num_square num_norm_squared(num x, num y)
{
    return m0plus_norm_squared(x.raw, y.raw);
}

static inline num num_over_square(num a, num_square squared)
{
    return num_raw(m0plus_over_square(a.raw, squared));
}

static inline num num_sum_mean(num_sum sum, uint32_t count)
{
    return num_raw(m0plus_mean((uint32_t)sum.raw, (int32_t)(sum.raw >> 32), count));
}

/* Most factors are below 1; then nothing overflows. */
static inline num num_scale(num_factor factor, num a)
{
    if (factor.point == 30 && factor.raw <= 1 << 30 && factor.raw >= -(1 << 30))
        return num_raw(m0plus_weigh(a.raw, factor.raw));
    const int64_t half = (INT64_C(1) << factor.point) / 2;
    return num_saturate((num_product(factor.raw, a.raw) + half) >> factor.point);
}

#endif
