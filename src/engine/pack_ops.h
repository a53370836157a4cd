/* A pack: as many numbers abreast as a register holds, one boid a lane.
 *
 * pack_step.c is written once against these names and compiled for each instruction set. + - * / are the compiler's
 * own on vectors: every lane is rounded exactly as a scalar would be, so a boid's result does not depend on how many
 * fly beside it. Nothing here adds across lanes.
 */
#ifndef PACK_OPS_H
#define PACK_OPS_H

#include "flock/num.h"

#include <string.h>

#if defined PACK_V2 || defined PACK_V3 || defined PACK_V4
#include <immintrin.h>
#endif

#if defined PACK_V4
enum { PACK_BYTES = 64 };
#elif defined PACK_V3
enum { PACK_BYTES = 32 };
#else /* SSE2, NEON, or whatever the compiler makes of it */
enum { PACK_BYTES = 16 };
#endif

enum { PACK_LANES = PACK_BYTES / sizeof(num) };
typedef num pack __attribute__((vector_size(PACK_BYTES)));

#if defined FLOCK_FLOAT32_CORE
#define PACK_NAME(width, name) _mm##width##_##name##_ps
typedef int32_t pack_word;
#else
#define PACK_NAME(width, name) _mm##width##_##name##_pd
typedef int64_t pack_word;
#endif

/** The same number in every lane. */
static inline pack pack_all(num a)
{
#if defined PACK_V4
    return PACK_NAME(512, set1)(a);
#elif defined PACK_V3
    return PACK_NAME(256, set1)(a);
#else
    return (pack){0} + a;
#endif
}

/** PACK_LANES numbers from anywhere. */
static inline pack pack_load(const num *numbers)
{
    pack a;
    memcpy(&a, numbers, sizeof a);
    return a;
}

static inline pack pack_root(pack a)
{
#if defined PACK_V4
    return PACK_NAME(512, sqrt)(a);
#elif defined PACK_V3
    return PACK_NAME(256, sqrt)(a);
#elif defined PACK_V2
    return PACK_NAME(, sqrt)(a);
#else
    for (int lane = 0; lane < PACK_LANES; lane++)
        a[lane] = NUM_ROOT(a[lane]);
    return a;
#endif
}

/* Masks: AVX-512 has registers of its own for them, elsewhere they are packs of all ones or zeros. */
#if defined PACK_V4

#if defined FLOCK_FLOAT32_CORE
typedef __mmask16 pack_mask;
#else
typedef __mmask8 pack_mask;
#endif

static inline pack_mask pack_less(pack a, pack b)
{
#if defined FLOCK_FLOAT32_CORE
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
#else
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
#endif
}

static inline pack pack_add_where(pack_mask where, pack sum, pack a)
{
    return PACK_NAME(512, mask_add)(sum, where, sum, a);
}

static inline pack pack_choose(pack_mask where, pack yes, pack no)
{
    return PACK_NAME(512, mask_blend)(where, no, yes);
}

static inline pack_mask pack_or(pack_mask a, pack_mask b)
{
    return (pack_mask)(a | b);
}

/** All lanes but one. */
static inline pack_mask pack_all_but(unsigned lane)
{
    return (pack_mask) ~(1U << lane);
}

/** The lanes as bits, lane 0 lowest. */
static inline unsigned pack_bits(pack_mask where)
{
    return where;
}

#else

typedef pack_word pack_mask __attribute__((vector_size(PACK_BYTES)));

static inline pack_mask pack_less(pack a, pack b)
{
    return (pack_mask)(a < b);
}

/* A lane that does not count adds +0, which changes no sum: none is ever -0, for each began at +0. */
static inline pack pack_add_where(pack_mask where, pack sum, pack a)
{
    return sum + (pack)(where & (pack_mask)a);
}

static inline pack pack_choose(pack_mask where, pack yes, pack no)
{
    return (pack)((where & (pack_mask)yes) | (~where & (pack_mask)no));
}

static inline pack_mask pack_or(pack_mask a, pack_mask b)
{
    return a | b;
}

static inline pack_mask pack_all_but(unsigned lane)
{
    pack_mask all = ~(pack_mask){0};
    all[lane] = 0;
    return all;
}

static inline unsigned pack_bits(pack_mask where)
{
    unsigned bits = 0;
    for (int lane = 0; lane < PACK_LANES; lane++)
        bits |= (unsigned)(where[lane] & 1) << lane;
    return bits;
}

#endif

static inline pack_mask pack_and(pack_mask a, pack_mask b)
{
    return (pack_mask)(a & b);
}

static inline pack_mask pack_and_not(pack_mask a, pack_mask b)
{
    return (pack_mask)(a & ~b);
}

/** Append base + lane to a list for each lane of `bits`, lowest first; the list has room for a pack more than it holds.
 * @return how many there were. */
static inline unsigned pack_append(uint32_t *list, uint32_t base, unsigned bits)
{
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i all = _mm512_add_epi32(_mm512_set1_epi32((int)base), lanes);
    _mm512_storeu_si512(list, _mm512_maskz_compress_epi32((__mmask16)bits, all));
    return (unsigned)__builtin_popcount(bits);
#elif defined PACK_V4
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i all = _mm256_add_epi32(_mm256_set1_epi32((int)base), lanes);
    _mm256_storeu_si256((__m256i *)(void *)list, _mm256_maskz_compress_epi32((__mmask8)bits, all));
    return (unsigned)__builtin_popcount(bits);
#else
    unsigned n = 0;
    for (; bits != 0; bits &= bits - 1)
        list[n++] = base + (uint32_t)__builtin_ctz(bits);
    return n;
#endif
}

/* Records of four numbers to one pack a field, and back, in steps of two: pairs of packs are split into their even and
 * odd halves, twice. LANES / 4 records lie in a pack.
 *
 *     x y u v x y u v | x y u v x y u v   ->   x u x u x u x u | y v y v y v y v   ->   x x x x | u u u u ...
 */
#if defined FLOCK_FLOAT32_CORE || defined PACK_V3 || defined PACK_V4
#define PACK_HAS_SHUFFLES 1
#endif

#if PACK_HAS_SHUFFLES
#define PACK_SHUFFLE __builtin_shufflevector

static inline pack pack_even(pack a, pack b)
{
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
    return PACK_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#elif defined PACK_V4 || (defined PACK_V3 && defined FLOCK_FLOAT32_CORE)
    return PACK_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
#else
    return PACK_SHUFFLE(a, b, 0, 2, 4, 6);
#endif
}

static inline pack pack_odd(pack a, pack b)
{
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
    return PACK_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif defined PACK_V4 || (defined PACK_V3 && defined FLOCK_FLOAT32_CORE)
    return PACK_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
    return PACK_SHUFFLE(a, b, 1, 3, 5, 7);
#endif
}

/** a0 b0 a1 b1 ... of the lower halves of a and b. */
static inline pack pack_zip_low(pack a, pack b)
{
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
    return PACK_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#elif defined PACK_V4 || (defined PACK_V3 && defined FLOCK_FLOAT32_CORE)
    return PACK_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#else
    return PACK_SHUFFLE(a, b, 0, 4, 1, 5);
#endif
}

/** The same of the upper halves. */
static inline pack pack_zip_high(pack a, pack b)
{
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
    return PACK_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif defined PACK_V4 || (defined PACK_V3 && defined FLOCK_FLOAT32_CORE)
    return PACK_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
    return PACK_SHUFFLE(a, b, 2, 6, 3, 7);
#endif
}
#endif

/** The fields of PACK_LANES records that lie one behind the other at `records`. */
static inline void pack_load_records(const num *records, pack fields[4])
{
#if PACK_HAS_SHUFFLES
    const pack a = pack_load(records), b = pack_load(records + PACK_LANES);
    const pack c = pack_load(records + 2 * PACK_LANES), d = pack_load(records + 3 * PACK_LANES);
    const pack xu_low = pack_even(a, b), xu_high = pack_even(c, d);
    const pack yv_low = pack_odd(a, b), yv_high = pack_odd(c, d);
    fields[0] = pack_even(xu_low, xu_high);
    fields[1] = pack_even(yv_low, yv_high);
    fields[2] = pack_odd(xu_low, xu_high);
    fields[3] = pack_odd(yv_low, yv_high);
#else
    for (int lane = 0; lane < PACK_LANES; lane++)
        for (int field = 0; field < 4; field++)
            fields[field][lane] = records[4 * lane + field];
#endif
}

/** The other way. */
static inline void pack_store_records(num *records, const pack fields[4])
{
#if PACK_HAS_SHUFFLES
    const pack xu_low = pack_zip_low(fields[0], fields[2]), xu_high = pack_zip_high(fields[0], fields[2]);
    const pack yv_low = pack_zip_low(fields[1], fields[3]), yv_high = pack_zip_high(fields[1], fields[3]);
    const pack raw[4] = {pack_zip_low(xu_low, yv_low), pack_zip_high(xu_low, yv_low),
                         pack_zip_low(xu_high, yv_high), pack_zip_high(xu_high, yv_high)};
    memcpy(records, raw, sizeof raw);
#else
    for (int lane = 0; lane < PACK_LANES; lane++)
        for (int field = 0; field < 4; field++)
            records[4 * lane + field] = fields[field][lane];
#endif
}

#endif
