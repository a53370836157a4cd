/* Random numbers and angles of a pack (core/rng.h, core/circle.h). Included by pack_lane.h.
 *
 * Both are made in 64 bits for each lane, which is one register for float64 and two for the others: a product of 32 bits by 32,
 * of which an angle takes nine, has the room it needs, and the bits of a draw lie where they are wanted.
 */
#ifndef PACK_DRAW_H
#define PACK_DRAW_H

FLOCK_RNG_MIX(pack_mix, pack_wide_naturals)

LANE_WORD lane_draws lane_draw(struct flock_moment moment, lane_id ids)
{
    lane_draws draws;
    memcpy(&draws, ids, sizeof draws);
    for (int i = 0; i < PACK_WIDES; i++) {
        const pack_wide_naturals id = draws.of[i] & UINT32_MAX;
        draws.of[i] = pack_mix(pack_mix((id ^ moment.key) + FLOCK_RNG_GOLDEN) + FLOCK_RNG_GOLDEN);
    }
    return draws;
}

LANE_WORD lane_turns lane_turns_within(lane_draws draws, uint64_t width)
{
    lane_turns turns;
    for (int i = 0; i < PACK_WIDES; i++)
        turns.of[i] = (pack_wide_naturals)(((pack_wide)draws.of[i] >> 32) * (int64_t)width) >> 32;
    return turns;
}

LANE_WORD lane_turns lane_turns_any(lane_draws draws)
{
    return draws;
}

typedef pack_wide_naturals circle_word;

/* What stands above the lower 32 bits is nobody's business. */
LANE_WORD circle_word circle_round(circle_word a, circle_word b)
{
#if defined PACK_V4
    const circle_word product = (circle_word)_mm512_mul_epi32((__m512i)a, (__m512i)b);
#elif defined PACK_V3
    const circle_word product = (circle_word)_mm256_mul_epi32((__m256i)a, (__m256i)b);
#elif defined PACK_V2
    const circle_word product = (circle_word)_mm_mul_epi32((__m128i)a, (__m128i)b);
#else
    circle_word product = {0};
    for (unsigned k = 0; k < sizeof product / sizeof product[0]; k++)
        product[k] = (uint64_t)((int64_t)(int32_t)a[k] * (int32_t)b[k]);
#endif
    return (product + (1 << 29)) >> 30;
}

#include "circle.h"

/* The lower halves, lane by lane. gcc 12 sends them through memory unless it is told how. */
LANE_WORD pack_integers pack_lower_halves(const circle_word *wide)
{
    pack_integers lower = {0};
#if defined PACK_V4 && !defined FLOCK_FLOAT64_CORE
    const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32((__m512i)wide[0]));
    lower = (pack_integers)_mm512_inserti64x4(low, _mm512_cvtepi64_epi32((__m512i)wide[1]), 1);
#elif defined PACK_V4
    lower = (pack_integers)_mm512_cvtepi64_epi32((__m512i)wide[0]);
#elif defined PACK_V3 && !defined FLOCK_FLOAT64_CORE
    const __m256 even = _mm256_shuffle_ps((__m256)wide[0], (__m256)wide[1], 0x88);
    lower = (pack_integers)_mm256_permute4x64_epi64((__m256i)even, 0xd8);
#else
    const int each = PACK_LANES / PACK_WIDES;
    for (int k = 0; k < PACK_LANES; k++)
        lower[k] = (int32_t)wide[k / each][k % each];
#endif
    return lower;
}

LANE_WORD lane_circle lane_circle_all(struct flock_direction point)
{
    return (lane_circle){(pack_integers){0} + point.cosine, (pack_integers){0} + point.sine};
}

LANE_WORD lane_circle lane_circle_at(lane_turns turns)
{
    circle_word cosines[PACK_WIDES], sines[PACK_WIDES];
    for (int i = 0; i < PACK_WIDES; i++) {
        const struct circle_point point = circle_at(turns.of[i]);
        cosines[i] = point.cosine;
        sines[i] = point.sine;
    }
    return (lane_circle){pack_lower_halves(cosines), pack_lower_halves(sines)};
}

#endif
