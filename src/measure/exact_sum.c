/* The 53 bits of a double belong to at most three limbs of 32 bits. They are added to these limbs without a carry,
 * because a limb has 31 spare bits; carries are propagated when the sum is rounded.
 *
 *     limb     66  ...   2         1         0
 *             |...|  |31 .. 0| |31 .. 0| |31 .. 0|      bit 0 is worth 2^-1074
 *                          |m m m m m m m|
 *
 * Most sums are over hundreds of numbers of similar size. In this case, two roundings split each number of a block
 * into two slices. All first slices of a block are multiples of the same unit, so their sum in doubles has no
 * rounding error. The same is true of the second slices, whose unit is smaller. If a number has bits left after two
 * slices, which is rare, the numbers are added one by one. (Rump, Ogita and Oishi call this method the extraction of
 * vectors, SIAM J. Sci. Comput. 31, 189, 2008.)
 */
#include "exact_sum.h"

#include "base/double_bits.h"
#include "simd_double2.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LIMB_BITS = 32, LOWEST_BIT = -1074, DIGITS = 53, BIAS = 1023, SPECIAL = 2047 };

static const uint64_t limb_mask = UINT32_MAX;

void exact_sum_add(struct exact_sum *sum, double value)
{
    const uint64_t bits = double_to_bits(value), fraction = bits & (UINT64_MAX >> 12);
    const unsigned exponent = bits >> 52 & SPECIAL;
    if (exponent == SPECIAL) {
        sum->special += value;
        return;
    }
    const unsigned shift = exponent == 0 ? 0 : exponent - 1;
    const uint64_t digits = exponent == 0 ? fraction : fraction | UINT64_C(1) << 52;
    const uint64_t low = digits << shift % LIMB_BITS;
    const uint64_t high = digits >> 1 >> (63 - shift % LIMB_BITS);
    int64_t *limbs = &sum->limbs[shift / LIMB_BITS];
    sum->used |= UINT64_C(1) << shift / LIMB_BITS;
    const int64_t sign = value < 0 ? -1 : 1;
    limbs[0] += sign * (int64_t)(low & limb_mask);
    limbs[1] += sign * (int64_t)(low >> LIMB_BITS);
    limbs[2] += sign * (int64_t)high;
}

/* Adding many numbers at once. */

enum { BLOCK_BITS = 9, BLOCK = 1 << BLOCK_BITS, ABREAST = 4 };

/* The largest exponent of the values, as stored in a double. An infinity has the largest possible one. NaNs are ignored. */
static int largest_exponent(const double *values, size_t count)
{
    const double2_mask minus = (double2_mask)double2_set1(-0.0);
    double2 min[2] = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < count; i += ABREAST)
        for (size_t k = 0; k < 2; k++)
            min[k] = double2_min((double2)((double2_mask)double2_load(values + i + 2 * k) | minus), min[k]);
    const double2 both = double2_min(min[0], min[1]);
    return (int)(double_to_bits(both[0] < both[1] ? both[0] : both[1]) >> 52 & SPECIAL);
}

/* Let P = 2^(e + BLOCK_BITS). If a number below 2^e is added to P, all bits below the unit 2^-53 P are rounded
 * away. After P is subtracted again, the result is a multiple of this unit. The sum of BLOCK such
 * results is also a multiple of the unit and not larger than P, so a double holds it exactly. The
 * rest of each number is smaller than one unit and also exact; the second slice is taken from this rest.
 *
 * Each addition to a vector waits for the one before it, so two vectors are processed in parallel.
 *
 * @return false if a number has bits left after two slices, or if it is a NaN; then nothing is added. */
static bool add_slices(struct exact_sum *sum, const double *values, size_t count, double power)
{
    const double2 first = double2_set1(power),
                  second = double2_set1(power / (INT64_C(1) << (DIGITS - BLOCK_BITS)));
    double2 slices[2] = {{0, 0}, {0, 0}}, next_slices[2] = {{0, 0}, {0, 0}};
    double2_mask left = {0, 0};
    for (size_t i = 0; i < count; i += ABREAST)
        for (size_t k = 0; k < 2; k++) {
            const double2 value = double2_load(values + i + 2 * k), slice = (value + first) - first;
            const double2 rest = value - slice, next = (rest + second) - second;
            slices[k] += slice;
            next_slices[k] += next;
            left |= (double2_mask)(rest - next);
        }
    if (((left[0] | left[1]) & INT64_MAX) != 0)
        return false;
    const double2 sums = slices[0] + slices[1], next_sums = next_slices[0] + next_slices[1];
    exact_sum_add(sum, sums[0] + sums[1]);
    exact_sum_add(sum, next_sums[0] + next_sums[1]);
    return true;
}

void exact_sum_add_all(struct exact_sum *sum, const double *values, size_t count)
{
    while (count > 0) {
        const size_t length = count < ABREAST ? count : count < BLOCK ? count - count % ABREAST : BLOCK;
        /* Only powers of two well within the range of double are used. */
        const int exponent =
            length < ABREAST ? INT_MAX : largest_exponent(values, length) - BIAS + 1 + BLOCK_BITS;
        if (exponent < -800 || exponent > 1000 ||
            !add_slices(sum, values, length, bits_to_double((uint64_t)(exponent + BIAS) << 52)))
            for (size_t i = 0; i < length; i++)
                exact_sum_add(sum, values[i]);
        values += length;
        count -= length;
    }
}

/* Rounding. */

/* Propagate carries, so that every limb except the last is from 0 to 2^32 - 1. The last limb has the sign of the
 * sum. */
static void carry(int64_t *limbs, int count)
{
    for (int i = 0; i < count - 1; i++) {
        const int64_t rest = limbs[i] & (int64_t)limb_mask;
        limbs[i + 1] += (limbs[i] - rest) / ((int64_t)1 << LIMB_BITS);
        limbs[i] = rest;
    }
}

/* Round non-negative limbs, from number `first` on: the conversion of the highest 64 bits rounds to 53 bits. The lowest of
 * these 64 bits is set if any bit below them is set, so that ties are rounded correctly. */
static double round_limbs(const int64_t *limbs, int count, int first)
{
    int top = count - 1;
    while (top > 1 && limbs[top] == 0)
        top--;
    const int lowest_bit = LOWEST_BIT + LIMB_BITS * (first + top - 1);
    uint64_t bits = (uint64_t)limbs[top] << LIMB_BITS | (uint64_t)limbs[top - 1];
    if (top == 1)
        return ldexp((double)bits, lowest_bit);
    const uint64_t next = (uint64_t)limbs[top - 2];
    const int unused = __builtin_clzll(bits);
    bits = bits << unused | next >> (LIMB_BITS - unused);
    bool has_more = (next << unused & limb_mask) != 0;
    for (int i = 0; i < top - 2; i++)
        has_more |= limbs[i] != 0;
    return ldexp((double)(bits | has_more), lowest_bit - unused);
}

double exact_sum_round(const struct exact_sum *sum)
{
    int64_t limbs[EXACT_SUM_LIMBS];
    if (sum->special != 0 || sum->used == 0)
        return sum->special;
    /* The limbs that were used, and one for their carry. All others are 0. */
    const int first = __builtin_ctzll(sum->used),
              count = EXACT_SUM_LIMBS - first - __builtin_clzll(sum->used);
    memcpy(limbs, sum->limbs + first, (size_t)count * sizeof *limbs);
    carry(limbs, count);
    if (limbs[count - 1] >= 0)
        return round_limbs(limbs, count, first);
    for (int i = 0; i < count; i++)
        limbs[i] = -limbs[i];
    carry(limbs, count);
    return -round_limbs(limbs, count, first);
}
