/* The operations of core/lane_ops_scalar.h for SIMD vectors, with one boid per lane.
 *
 * The rules (core/neighbour_selection.h, neighbour_terms.h, steering.h and update_after_steering.h) are compiled with these operations
 * for each instruction set. In each lane, an operation gives the same bits as the scalar one. No operation adds up
 * lanes, so the result of a boid does not depend on the other lanes. This header has masks and integers;
 * simd_ops_float.h has floating-point numbers.
 */
#pragma once
#define SIMD_OPS_H

#if defined FLOCK_LANE_OPS_SCALAR_H
#error "one boid or SIMD lanes: a source includes lane_ops_scalar.h or simd_ops.h"
#endif

#include "num.h"
#include "rng.h"

#include "flock/flock.h"

#if defined SIMD_X86_V3 || defined SIMD_X86_V4
#include <immintrin.h>
#elif defined __SSE2__
#define SIMD_SSE2 1
#include <emmintrin.h>
#elif defined __aarch64__
#define SIMD_NEON 1
#include <arm_neon.h>
#elif defined __wasm_simd128__
#include <wasm_simd128.h>
#endif

#if defined SIMD_X86_V4
enum { SIMD_BYTES = 64 };
#elif defined SIMD_X86_V3
enum { SIMD_BYTES = 32 };
#else /* SSE2, NEON, or other instructions that the compiler chooses */
enum { SIMD_BYTES = 16 };
#endif

#define LANE_OP static inline __attribute__((always_inline))

enum { SIMD_LANES = SIMD_BYTES / sizeof(num) };

/* An integer with the size of a lane, and the names of Intel's and Arm's intrinsics for floats of this size. */
#if defined FLOCK_FLOAT64_CORE
typedef int64_t simd_int;
#define SIMD_X86_NAME(width, name) _mm##width##_##name##_pd
#define SIMD_V4_COMPARE            _mm512_cmp_pd_mask
#define SIMD_NEON_NAME(name)       name##_f64
#else
typedef int32_t simd_int;
#define SIMD_X86_NAME(width, name) _mm##width##_##name##_ps
#define SIMD_V4_COMPARE            _mm512_cmp_ps_mask
#define SIMD_NEON_NAME(name)       name##_f32
#endif
#if defined SIMD_X86_V4
#define SIMD_AVX(name)              SIMD_X86_NAME(512, name)
#define SIMD_AVX_COMPARE(a, b, how) SIMD_V4_COMPARE(a, b, how)
#elif defined SIMD_X86_V3
#define SIMD_AVX(name)              SIMD_X86_NAME(256, name)
#define SIMD_AVX_COMPARE(a, b, how) ((lane_mask)SIMD_AVX(cmp)(a, b, how))
#endif

typedef num simd_vec __attribute__((vector_size(SIMD_BYTES)));

/* AVX-512 has mask registers; elsewhere masks are SIMD vectors of all ones or zeros. */
#if defined SIMD_X86_V4 && defined FLOCK_FLOAT64_CORE
typedef __mmask8 lane_mask;
#elif defined SIMD_X86_V4
typedef __mmask16 lane_mask;
#else
typedef simd_int lane_mask __attribute__((vector_size(SIMD_BYTES)));
#endif

typedef simd_vec lane, lane_count;

typedef struct {
    simd_vec x, y;
} lane_vec;

/** An array with one word per lane, whose lower half is an id. */
typedef const uint64_t *lane_id;

/* A register of 64-bit numbers, and a vector of 32-bit numbers, one per lane. */
typedef int64_t simd_int64 __attribute__((vector_size(SIMD_BYTES)));
typedef uint64_t simd_uint64 __attribute__((vector_size(SIMD_BYTES)));
typedef int32_t simd_int32 __attribute__((vector_size(SIMD_LANES * sizeof(int32_t))));

/* One word of 64 bits per lane, in one or two registers. An angle uses only the lower 32 bits. */
enum { SIMD_WIDES = 8 / sizeof(num) };
typedef struct {
    simd_uint64 of[SIMD_WIDES];
} lane_bits, lane_angle;

/* Cosines and sines in Q2.30. */
typedef struct {
    simd_int32 cosine, sine;
} lane_sincos;

/* Masks. */

LANE_OP lane_mask lane_mask_set1(bool condition)
{
#if defined SIMD_X86_V4
    return condition ? (lane_mask)-1 : 0;
#else
    return (lane_mask){0} - (simd_int)condition;
#endif
}

LANE_OP bool lane_worth_doing(lane_mask where)
{
    (void)where;
    return true;
}

LANE_OP unsigned simd_mask_bits(lane_mask where);

LANE_OP bool lane_any_of(lane_mask where)
{
    return simd_mask_bits(where) != 0;
}

LANE_OP lane_mask lane_and(lane_mask a, lane_mask b)
{
    return (lane_mask)(a & b);
}

LANE_OP lane_mask lane_and_not(lane_mask a, lane_mask b)
{
    return (lane_mask)(a & ~b);
}

LANE_OP lane_mask lane_or(lane_mask a, lane_mask b)
{
    return (lane_mask)(a | b);
}

/** The lanes as bits; lane 0 is the lowest bit. */
LANE_OP unsigned simd_mask_bits(lane_mask where)
{
#if defined SIMD_X86_V4
    return where;
#elif defined SIMD_X86_V3
    return (unsigned)SIMD_X86_NAME(256, movemask)((simd_vec)where);
#elif defined SIMD_SSE2
    return (unsigned)SIMD_X86_NAME(, movemask)((simd_vec)where);
#elif defined SIMD_NEON && !defined FLOCK_FLOAT64_CORE
    return vaddvq_u32(vandq_u32((uint32x4_t)where, (uint32x4_t){1, 2, 4, 8}));
#elif defined SIMD_NEON
    return (unsigned)vaddvq_u64(vandq_u64((uint64x2_t)where, (uint64x2_t){1, 2}));
#else
    unsigned bits = 0;
    for (int k = 0; k < SIMD_LANES; k++)
        bits |= (unsigned)(where[k] & 1) << k;
    return bits;
#endif
}

/* Numbers, squares of lengths, vectors divided by lengths, sums. */

#include "simd_ops_float.h"

/* No boid is outside of a torus (engine.c ensures this), so no difference is longer than the period. */
LANE_OP lane lane_wrap_period(lane d, lane a, lane b, num period)
{
    (void)a, (void)b, (void)period;
    return d;
}

#include "lane_vec2.h"

#include "simd_random_and_angles.h"
