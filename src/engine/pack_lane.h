/* The words of core/lane.h for a pack: as many boids abreast as a register holds, one in each lane.
 *
 * The rules (core/sight.h, core/turn.h) are compiled with these words for each instruction set. Every word does in each lane
 * what the scalar word does, to the bit, so a boid's result does not depend on how many fly beside it. Nothing here adds
 * across lanes. What all numbers have in common stands here, the rest in pack_float.h.
 */
#ifndef PACK_LANE_H
#define PACK_LANE_H

#if defined FLOCK_LANE_H
#error "one boid or a pack: a source includes lane.h or pack_lane.h"
#endif

#include "num.h"
#include "rng.h"

#include "flock/flock.h"

#include <string.h>

#if defined PACK_V2 || defined PACK_V3 || defined PACK_V4
#include <immintrin.h>
#elif defined __aarch64__
#define PACK_NEON 1
#include <arm_neon.h>
#endif

#if defined PACK_V4
enum { PACK_BYTES = 64 };
#elif defined PACK_V3
enum { PACK_BYTES = 32 };
#else /* SSE2, NEON, or whatever the compiler makes of it */
enum { PACK_BYTES = 16 };
#endif

#define LANE_WORD  static inline __attribute__((always_inline))
#define LANE_APART static __attribute__((noinline, cold, unused)) /* as in core/lane.h */

enum { PACK_LANES = PACK_BYTES / sizeof(num) };

/* An integer of the size of a lane, and how Intel and Arm call what works on such floats. */
#if defined FLOCK_FLOAT64_CORE
typedef int64_t pack_word;
#define PACK_NAME(width, name) _mm##width##_##name##_pd
#define PACK_NEON_NAME(name)   name##_f64
#else
typedef int32_t pack_word;
#define PACK_NAME(width, name) _mm##width##_##name##_ps
#define PACK_NEON_NAME(name)   name##_f32
#endif

typedef num pack __attribute__((vector_size(PACK_BYTES)));

/* AVX-512 has registers of its own for masks, elsewhere they are packs of all ones or zeros. */
#if defined PACK_V4 && defined FLOCK_FLOAT64_CORE
typedef __mmask8 lane_mask;
#elif defined PACK_V4
typedef __mmask16 lane_mask;
#else
typedef pack_word lane_mask __attribute__((vector_size(PACK_BYTES)));
#endif

typedef pack lane, lane_count;

typedef struct {
    pack x, y;
} lane_vec;

/** Of each lane, one behind the other: words whose lower half is an id. */
typedef const uint64_t *lane_id;

/* As many numbers of 64 bits as a register holds, and as many of 32 as there are lanes. */
typedef int64_t pack_wide __attribute__((vector_size(PACK_BYTES)));
typedef uint64_t pack_wide_naturals __attribute__((vector_size(PACK_BYTES)));
typedef int32_t pack_integers __attribute__((vector_size(PACK_LANES * sizeof(int32_t))));

/* A word of 64 bits for each lane, in one register or in two; of an angle the lower 32 count. */
enum { PACK_WIDES = 8 / sizeof(num) };
typedef struct {
    pack_wide_naturals of[PACK_WIDES];
} lane_draws, lane_turns;

/* Cosines and sines in Q2.30. */
typedef struct {
    pack_integers cosine, sine;
} lane_circle;

/* Masks. */

LANE_WORD lane_mask lane_if(bool condition)
{
#if defined PACK_V4
    return condition ? (lane_mask)-1 : 0;
#else
    return (lane_mask){0} - (pack_word)condition;
#endif
}

LANE_WORD bool lane_any(lane_mask where)
{
    (void)where;
    return true;
}

LANE_WORD unsigned pack_bits(lane_mask where);

LANE_WORD bool lane_some(lane_mask where)
{
    return pack_bits(where) != 0;
}

LANE_WORD lane_mask lane_and(lane_mask a, lane_mask b)
{
    return (lane_mask)(a & b);
}

LANE_WORD lane_mask lane_and_not(lane_mask a, lane_mask b)
{
    return (lane_mask)(a & ~b);
}

LANE_WORD lane_mask lane_or(lane_mask a, lane_mask b)
{
    return (lane_mask)(a | b);
}

/** The lanes as bits, lane 0 lowest. */
LANE_WORD unsigned pack_bits(lane_mask where)
{
#if defined PACK_V4
    return where;
#elif defined PACK_V3
    return (unsigned)PACK_NAME(256, movemask)((pack)where);
#elif defined PACK_V2
    return (unsigned)PACK_NAME(, movemask)((pack)where);
#elif defined PACK_NEON && !defined FLOCK_FLOAT64_CORE
    return vaddvq_u32(vandq_u32((uint32x4_t)where, (uint32x4_t){1, 2, 4, 8}));
#elif defined PACK_NEON
    return (unsigned)vaddvq_u64(vandq_u64((uint64x2_t)where, (uint64x2_t){1, 2}));
#else
    unsigned bits = 0;
    for (int k = 0; k < PACK_LANES; k++)
        bits |= (unsigned)(where[k] & 1) << k;
    return bits;
#endif
}

/* Numbers, squares of lengths, vectors by lengths, sums. */

#include "pack_float.h"

/* In a pack nobody was put outside of a torus (engine.c sees to it), so no difference is longer than its period. */
LANE_WORD lane lane_shorten(lane d, lane a, lane b, num period)
{
    (void)a, (void)b, (void)period;
    return d;
}

#include "pack_draw.h"

#include "lane_vec.h"

#endif
