/* The words of core/lane.h for a pack: as many boids abreast as a register holds, one in each lane.
 *
 * The rules (core/sight.h, core/turn.h) are compiled with these words for each instruction set. + - * / are the compiler's
 * own on vectors: every lane is rounded exactly as a scalar would be, so a boid's result does not depend on how many fly
 * beside it. Nothing here adds across lanes.
 */
#ifndef PACK_LANE_H
#define PACK_LANE_H

#if defined FLOCK_LANE_H
#error "one boid or a pack: a source includes lane.h or pack_lane.h"
#endif

#include "num.h"
#include "rng.h"

#include "flock/flock.h"

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

#define LANE_WORD static inline __attribute__((always_inline))

enum { PACK_LANES = PACK_BYTES / sizeof(num) };
typedef num pack __attribute__((vector_size(PACK_BYTES)));

#if defined FLOCK_FLOAT32_CORE
typedef int32_t pack_word;
#define PACK_NAME(width, name) _mm##width##_##name##_ps
#else
typedef int64_t pack_word;
#define PACK_NAME(width, name) _mm##width##_##name##_pd
#endif

/* AVX-512 has registers of its own for masks, elsewhere they are packs of all ones or zeros. */
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
typedef __mmask16 lane_mask;
#elif defined PACK_V4
typedef __mmask8 lane_mask;
#else
typedef pack_word lane_mask __attribute__((vector_size(PACK_BYTES)));
#endif

typedef pack lane, lane_square, lane_sum, lane_count;

/** Of each lane, one behind the other: words whose lower half is an id. */
typedef const uint64_t *lane_id;

typedef struct {
    uint64_t of[PACK_LANES];
} lane_draws;

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

/* Numbers. */

LANE_WORD lane lane_all(num a)
{
#if defined PACK_V4
    return PACK_NAME(512, set1)(a);
#elif defined PACK_V3
    return PACK_NAME(256, set1)(a);
#else
    return a - (pack){0}; /* a sum with +0 would lose the sign of -0 */
#endif
}

/* What gcc 12 knows to be a comparison it turns into blends and into comparisons the other way round, which cost more than
 * the bitwise operations that are meant; of an intrinsic it does not know. */
LANE_WORD lane_mask lane_less(lane a, lane b)
{
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
#elif defined PACK_V4
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
#elif defined PACK_V3
    return (lane_mask)PACK_NAME(256, cmp)(a, b, _CMP_LT_OQ);
#elif defined PACK_V2
    return (lane_mask)PACK_NAME(, cmplt)(a, b);
#else
    return (lane_mask)(a < b);
#endif
}

LANE_WORD lane lane_choose(lane_mask where, lane yes, lane no)
{
#if defined PACK_V4
    return PACK_NAME(512, mask_blend)(where, no, yes);
#elif defined PACK_V3
    return PACK_NAME(256, blendv)(no, yes, (pack)where);
#elif defined PACK_V2
    return PACK_NAME(, blendv)(no, yes, (pack)where);
#else
    return (pack)((where & (lane_mask)yes) | (~where & (lane_mask)no));
#endif
}

LANE_WORD lane lane_add(lane a, lane b)
{
    return a + b;
}

LANE_WORD lane lane_subtract(lane a, lane b)
{
    return a - b;
}

/* In a pack nobody was put outside of a torus (engine.c sees to it), so no difference is longer than its period. */
LANE_WORD lane lane_shorten(lane d, lane a, lane b, num period)
{
    (void)a, (void)b, (void)period;
    return d;
}

LANE_WORD lane lane_weigh(num_factor factor, lane a)
{
    return lane_all(factor) * a;
}

/* A number less itself is zero, but for infinities and NaN. */
LANE_WORD lane_mask lane_is_finite(lane a)
{
    return lane_less(a - a, lane_all(1));
}

LANE_WORD lane lane_root(lane a)
{
#if defined PACK_V4
    return PACK_NAME(512, sqrt)(a);
#elif defined PACK_V3
    return PACK_NAME(256, sqrt)(a);
#elif defined PACK_V2
    return PACK_NAME(, sqrt)(a);
#elif defined PACK_NEON && defined FLOCK_FLOAT32_CORE
    return vsqrtq_f32(a);
#elif defined PACK_NEON
    return vsqrtq_f64(a);
#else
    for (int k = 0; k < PACK_LANES; k++)
        a[k] = NUM_ROOT(a[k]);
    return a;
#endif
}

/* Squares of lengths. */

LANE_WORD lane_square lane_norm_squared(lane x, lane y)
{
    return x * x + y * y;
}

LANE_WORD lane_mask lane_square_less(lane_square a, num_square b)
{
    return lane_less(a, lane_all(b));
}

LANE_WORD lane_mask lane_square_more(lane_square a, num_square b)
{
    return lane_less(lane_all(b), a);
}

LANE_WORD lane_mask lane_square_is_zero(lane_square a)
{
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
    return _mm512_cmp_ps_mask(a, lane_all(0), _CMP_EQ_OQ);
#elif defined PACK_V4
    return _mm512_cmp_pd_mask(a, lane_all(0), _CMP_EQ_OQ);
#elif defined PACK_V3
    return (lane_mask)PACK_NAME(256, cmp)(a, lane_all(0), _CMP_EQ_OQ);
#elif defined PACK_V2
    return (lane_mask)PACK_NAME(, cmpeq)(a, lane_all(0));
#else
    return (lane_mask)(a == 0);
#endif
}

LANE_WORD lane_mask lane_square_is_finite(lane_square a)
{
    return lane_is_finite(a);
}

/* Vectors by lengths. */

typedef struct {
    pack x, y;
} lane_vec;

LANE_WORD lane_vec lane_vec_scale_to(lane_vec a, lane to, lane_square squared)
{
    const lane ratio = to / lane_root(squared);
    return (lane_vec){a.x * ratio, a.y * ratio};
}

LANE_WORD lane_vec lane_vec_over_length(lane_vec a, lane_square squared)
{
    const lane length = lane_root(squared);
    return (lane_vec){a.x / length, a.y / length};
}

LANE_WORD lane_vec lane_vec_over_square(lane_vec a, lane_square squared)
{
    return (lane_vec){a.x / squared, a.y / squared};
}

/* Sums. A lane that does not count adds +0 or takes it away, which changes no sum: none is ever -0, for each began at
 * +0. */

LANE_WORD lane_sum lane_sum_zero(void)
{
    return lane_all(0);
}

LANE_WORD lane_sum lane_sum_add(lane_mask where, lane_sum sum, lane a)
{
#if defined PACK_V4
    return PACK_NAME(512, mask_add)(sum, where, sum, a);
#else
    return sum + (pack)(where & (lane_mask)a);
#endif
}

LANE_WORD lane_sum lane_sum_take(lane_mask where, lane_sum sum, lane a)
{
#if defined PACK_V4
    return PACK_NAME(512, mask_sub)(sum, where, sum, a);
#else
    return sum - (pack)(where & (lane_mask)a);
#endif
}

LANE_WORD lane lane_sum_total(lane_sum sum)
{
    return sum;
}

LANE_WORD lane lane_sum_mean(lane_sum sum, lane_count count)
{
    return sum / count;
}

LANE_WORD lane_count lane_count_none(void)
{
    return lane_all(0);
}

LANE_WORD lane_count lane_count_add(lane_mask where, lane_count count)
{
    return lane_sum_add(where, count, lane_all(1));
}

LANE_WORD lane_mask lane_count_is_some(lane_count count)
{
    return lane_less(lane_all(0), count);
}

/* Random numbers. */

LANE_WORD lane_draws lane_draw(struct flock_moment moment, lane_id ids)
{
    lane_draws draws;
    for (int k = 0; k < PACK_LANES; k++) {
        struct flock_rng rng = flock_rng_at(moment, (uint32_t)ids[k]);
        draws.of[k] = flock_rng_next(&rng);
    }
    return draws;
}

#include "lane_vec.h"

#endif
