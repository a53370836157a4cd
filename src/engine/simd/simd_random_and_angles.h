/* Random numbers and angles of a SIMD vector (core/rng.h, core/sincos.h). Included by simd_ops.h. Numbers and angles
 * use 64 bits per lane (one register for float64, two for the other types), which is enough for a product of two 32-bit
 * numbers. Cosine and sine need nine such products. */
#pragma once

FLOCK_RNG_MIX(simd_mix, simd_uint64)

/* A comparison of 64-bit words gives too wide a mask for float32, so the lanes are set one by one. Few flocks need
 * this. */
LANE_OP lane_mask lane_id_below(lane_id ids, uint32_t limit)
{
    lane_mask below = lane_mask_set1(false);
    for (int i = 0; i < SIMD_LANES; i++) {
        const bool is_below = (uint32_t)ids[i] < limit;
#if defined SIMD_X86_V4
        below = (lane_mask)(below | (unsigned)is_below << i);
#else
        below[i] = -(simd_int)is_below;
#endif
    }
    return below;
}

/* Lanes without a boid have the id 0. */
LANE_OP lane_vec lane_vec_of_id(const struct flock_vec *vectors, lane_id ids)
{
    lane_vec chosen = lane_vec_zero();
    for (int i = 0; i < SIMD_LANES; i++) {
        chosen.x[i] = vectors[(uint32_t)ids[i]].x;
        chosen.y[i] = vectors[(uint32_t)ids[i]].y;
    }
    return chosen;
}

LANE_OP lane_bits lane_random_bits(struct flock_rng_key moment, lane_id ids)
{
    lane_bits draws;
    memcpy(&draws, ids, sizeof draws);
    for (int i = 0; i < SIMD_WIDES; i++) {
        const simd_uint64 id = draws.of[i] & UINT32_MAX;
        draws.of[i] = simd_mix(simd_mix((id ^ moment.key) + FLOCK_RNG_GOLDEN) + FLOCK_RNG_GOLDEN);
    }
    return draws;
}

/* One lane after another, like lane_id_below(). */
LANE_OP lane lane_uniform(num low, num high, lane_bits draws)
{
    uint64_t bits[SIMD_LANES];
    memcpy(bits, &draws, sizeof bits);
    lane numbers = lane_set1(low);
    for (int i = 0; i < SIMD_LANES; i++)
        numbers[i] = num_uniform(low, high, bits[i]);
    return numbers;
}

LANE_OP lane_angle lane_angle_within(lane_bits draws, uint64_t width)
{
    lane_angle turns;
    for (int i = 0; i < SIMD_WIDES; i++)
        turns.of[i] = (simd_uint64)(((simd_int64)draws.of[i] >> 32) * (int64_t)width) >> 32;
    return turns;
}

LANE_OP lane_angle lane_angle_any(lane_bits draws)
{
    return draws;
}

typedef simd_uint64 sincos_word;

/* The bits above the lower 32 are not used. */
LANE_OP sincos_word sincos_multiply(sincos_word a, sincos_word b)
{
#if defined SIMD_X86_V4
    const sincos_word product = (sincos_word)_mm512_mul_epi32((__m512i)a, (__m512i)b);
#elif defined SIMD_X86_V3
    const sincos_word product = (sincos_word)_mm256_mul_epi32((__m256i)a, (__m256i)b);
#else
    sincos_word product = {0};
    for (unsigned k = 0; k < sizeof product / sizeof product[0]; k++)
        product[k] = (uint64_t)((int64_t)(int32_t)a[k] * (int32_t)b[k]);
#endif
    return (product + (1 << 29)) >> 30;
}

#include "sincos.h"

/* The lower halves of the lanes. gcc 12 would move them through memory without these intrinsics. */
LANE_OP simd_int32 simd_lower_halves(const sincos_word *wide)
{
    simd_int32 lower = {0};
#if defined SIMD_X86_V4 && !defined FLOCK_FLOAT64_CORE
    const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32((__m512i)wide[0]));
    lower = (simd_int32)_mm512_inserti64x4(low, _mm512_cvtepi64_epi32((__m512i)wide[1]), 1);
#elif defined SIMD_X86_V4
    lower = (simd_int32)_mm512_cvtepi64_epi32((__m512i)wide[0]);
#elif defined SIMD_X86_V3 && !defined FLOCK_FLOAT64_CORE
    const __m256 even = _mm256_shuffle_ps((__m256)wide[0], (__m256)wide[1], 0x88);
    lower = (simd_int32)_mm256_permute4x64_epi64((__m256i)even, 0xd8);
#else
    const int each = SIMD_LANES / SIMD_WIDES;
    for (int k = 0; k < SIMD_LANES; k++)
        lower[k] = (int32_t)wide[k / each][k % each];
#endif
    return lower;
}

LANE_OP lane_sincos lane_sincos_set1(struct flock_direction point)
{
    return (lane_sincos){(simd_int32){0} + point.cosine, (simd_int32){0} + point.sine};
}

LANE_OP lane_sincos lane_sincos_of(lane_angle turns)
{
    sincos_word cosines[SIMD_WIDES], sines[SIMD_WIDES];
    for (int i = 0; i < SIMD_WIDES; i++) {
        const struct sincos_point point = sincos_at(turns.of[i]);
        cosines[i] = point.cosine;
        sines[i] = point.sine;
    }
    return (lane_sincos){simd_lower_halves(cosines), simd_lower_halves(sines)};
}
