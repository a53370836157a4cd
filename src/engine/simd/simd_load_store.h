/* Conversions between memory and lanes: records of four numbers, lists of slots. */
#pragma once

#include "simd_ops.h"

#include <string.h>

/** Load SIMD_LANES numbers from any address. */
LANE_OP simd_vec simd_load(const num *numbers)
{
    simd_vec a;
    memcpy(&a, numbers, sizeof a);
    return a;
}

LANE_OP void simd_store(num *numbers, simd_vec a)
{
    memcpy(numbers, &a, sizeof a);
}

/* The value of a macro for each lane, 0 to SIMD_LANES - 1. */
#define SIMD_4(MACRO, k) MACRO(k), MACRO((k) + 1), MACRO((k) + 2), MACRO((k) + 3)
#define SIMD_8(MACRO, k) SIMD_4(MACRO, k), SIMD_4(MACRO, (k) + 4)
#if defined SIMD_X86_V4 && !defined FLOCK_FLOAT64_CORE
#define SIMD_EACH(MACRO) SIMD_8(MACRO, 0), SIMD_8(MACRO, 8)
#elif defined SIMD_X86_V4 || (defined SIMD_X86_V3 && !defined FLOCK_FLOAT64_CORE)
#define SIMD_EACH(MACRO) SIMD_8(MACRO, 0)
#else
#define SIMD_EACH(MACRO) SIMD_4(MACRO, 0)
#endif
#define SIMD_INDEX(k) (k)

/** All lanes except lane k. */
LANE_OP lane_mask simd_mask_all_but(unsigned k)
{
#if defined SIMD_X86_V4
    return (lane_mask) ~(1U << k);
#else
    lane_mask all = ~(lane_mask){0};
    all[k] = 0;
    return all;
#endif
}

#if !defined SIMD_X86_V4 && (defined SIMD_X86_V3 || defined SIMD_NEON)
#define SIMD_HAS_COMPRESS_TABLE 1

/* For each subset of four words, the permutation that moves the words of the subset to the front; later words
 * overwrite the rest. A word is the indices of its bytes. The processor would mispredict the end of a loop over the set lanes nearly every time. */
enum {
    SIMD_WORD_0 = 0x03020100,
    SIMD_WORD_1 = 0x07060504,
    SIMD_WORD_2 = 0x0b0a0908,
    SIMD_WORD_3 = 0x0f0e0d0c
};
static const uint32_t simd_compress_table[16][4] __attribute__((aligned(16))) = {
    {0},
    {SIMD_WORD_0},
    {SIMD_WORD_1},
    {SIMD_WORD_0, SIMD_WORD_1},
    {SIMD_WORD_2},
    {SIMD_WORD_0, SIMD_WORD_2},
    {SIMD_WORD_1, SIMD_WORD_2},
    {SIMD_WORD_0, SIMD_WORD_1, SIMD_WORD_2},
    {SIMD_WORD_3},
    {SIMD_WORD_0, SIMD_WORD_3},
    {SIMD_WORD_1, SIMD_WORD_3},
    {SIMD_WORD_0, SIMD_WORD_1, SIMD_WORD_3},
    {SIMD_WORD_2, SIMD_WORD_3},
    {SIMD_WORD_0, SIMD_WORD_2, SIMD_WORD_3},
    {SIMD_WORD_1, SIMD_WORD_2, SIMD_WORD_3},
    {SIMD_WORD_0, SIMD_WORD_1, SIMD_WORD_2, SIMD_WORD_3},
};

/* Write base + lane for each of the four lanes whose bit is set. Four words are written; those after the last value are arbitrary. */
LANE_OP void simd_compress_four(uint32_t *list, uint32_t base, unsigned four)
{
#if defined SIMD_NEON
    const uint32x4_t all = vaddq_u32(vdupq_n_u32(base), (uint32x4_t){0, 1, 2, 3});
    const uint8x16_t order = (uint8x16_t)vld1q_u32(simd_compress_table[four]);
    vst1q_u32(list, (uint32x4_t)vqtbl1q_u8((uint8x16_t)all, order));
#else
    const __m128i all = _mm_add_epi32(_mm_set1_epi32((int)base), _mm_setr_epi32(0, 1, 2, 3));
    const __m128i order = _mm_load_si128((const __m128i *)(const void *)simd_compress_table[four]);
    _mm_storeu_si128((__m128i *)(void *)list, _mm_shuffle_epi8(all, order));
#endif
}
#endif

/** For each set lane of `bits`, lowest first, append base + lane to one list, which must have room for 16 more.
 *
 * @return the number of set lanes.
 */
LANE_OP unsigned simd_append_lanes(uint32_t *list, uint32_t base, unsigned bits)
{
#if defined SIMD_X86_V4
    const simd_int32 all = (int32_t)base + (simd_int32){SIMD_EACH(SIMD_INDEX)};
#if defined FLOCK_FLOAT64_CORE
    _mm256_storeu_si256((__m256i *)(void *)list, _mm256_maskz_compress_epi32((__mmask8)bits, (__m256i)all));
#else
    _mm512_storeu_si512(list, _mm512_maskz_compress_epi32((__mmask16)bits, (__m512i)all));
#endif
    return (unsigned)__builtin_popcount(bits);
#elif SIMD_HAS_COMPRESS_TABLE
    unsigned n = 0;
    for (unsigned first = 0; first < SIMD_LANES; first += 4) {
        const unsigned four = bits >> first & 15;
        simd_compress_four(list + n, base + first, four);
        n += (unsigned)__builtin_popcount(four);
    }
    return n;
#else
    unsigned n = 0;
    for (; bits != 0; bits &= bits - 1)
        list[n++] = base + (uint32_t)__builtin_ctz(bits);
    return n;
#endif
}

/* Converts records of four numbers to one SIMD vector per field, and back. This takes two rounds; in each round, pairs
 * of vectors are split into even and odd elements. LANES / 4 records lie in a SIMD vector.
 *
 *     x y u v x y u v | x y u v x y u v   ->   x u x u x u x u | y v y v y v y v   ->   x x x x | u u u u ...
 */
#if !defined FLOCK_FLOAT64_CORE || defined SIMD_X86_V3 || defined SIMD_X86_V4
#define SIMD_HAS_SHUFFLES 1
#endif

#if SIMD_HAS_SHUFFLES
/* Where lane k of the result comes from: a lane of a or, from SIMD_LANES on, of b. */
#define SIMD_EVEN(k) (2 * (k))
#define SIMD_ODD(k)  (2 * (k) + 1)
#define SIMD_LOW(k)  ((k) / 2 + (k) % 2 * SIMD_LANES)
#define SIMD_HIGH(k) (SIMD_LANES / 2 + SIMD_LOW(k))

LANE_OP simd_vec simd_even(simd_vec a, simd_vec b)
{
    return __builtin_shufflevector(a, b, SIMD_EACH(SIMD_EVEN));
}

LANE_OP simd_vec simd_odd(simd_vec a, simd_vec b)
{
    return __builtin_shufflevector(a, b, SIMD_EACH(SIMD_ODD));
}

/** a0 b0 a1 b1 ... of the lower halves of a and b. */
LANE_OP simd_vec simd_zip_low(simd_vec a, simd_vec b)
{
    return __builtin_shufflevector(a, b, SIMD_EACH(SIMD_LOW));
}

/** a0 b0 a1 b1 ... of the upper halves of a and b. */
LANE_OP simd_vec simd_zip_high(simd_vec a, simd_vec b)
{
    return __builtin_shufflevector(a, b, SIMD_EACH(SIMD_HIGH));
}
#endif

/** The fields of SIMD_LANES adjacent records at `records`. */
LANE_OP void simd_load_interleaved(const num *records, simd_vec fields[4])
{
#if SIMD_HAS_SHUFFLES
    const simd_vec a = simd_load(records), b = simd_load(records + SIMD_LANES);
    const simd_vec c = simd_load(records + 2 * SIMD_LANES), d = simd_load(records + 3 * SIMD_LANES);
    const simd_vec xu_low = simd_even(a, b), xu_high = simd_even(c, d);
    const simd_vec yv_low = simd_odd(a, b), yv_high = simd_odd(c, d);
    fields[0] = simd_even(xu_low, xu_high);
    fields[1] = simd_even(yv_low, yv_high);
    fields[2] = simd_odd(xu_low, xu_high);
    fields[3] = simd_odd(yv_low, yv_high);
#else
    for (int field = 0; field < 4; field++) {
        num numbers[SIMD_LANES];
        for (int k = 0; k < SIMD_LANES; k++)
            numbers[k] = records[4 * k + field];
        fields[field] = simd_load(numbers);
    }
#endif
}

/** Store one SIMD vector per field as SIMD_LANES adjacent records. */
LANE_OP void simd_store_interleaved(num *records, const simd_vec fields[4])
{
#if SIMD_HAS_SHUFFLES
    const simd_vec xu_low = simd_zip_low(fields[0], fields[2]), xu_high = simd_zip_high(fields[0], fields[2]);
    const simd_vec yv_low = simd_zip_low(fields[1], fields[3]), yv_high = simd_zip_high(fields[1], fields[3]);
    const simd_vec raw[4] = {simd_zip_low(xu_low, yv_low), simd_zip_high(xu_low, yv_low),
                             simd_zip_low(xu_high, yv_high), simd_zip_high(xu_high, yv_high)};
    memcpy(records, raw, sizeof raw);
#else
    for (int k = 0; k < SIMD_LANES; k++)
        for (int field = 0; field < 4; field++)
            records[4 * k + field] = fields[field][k];
#endif
}
