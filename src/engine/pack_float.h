/* The words of core/lane.h for packs of float32 and float64. Included by pack_lane.h, which has the masks.
 *
 * + - * / are the compiler's own on vectors: every lane is rounded exactly as a scalar would be.
 */
#ifndef PACK_FLOAT_H
#define PACK_FLOAT_H

typedef pack lane_square, lane_sum;

/** Whether any lane is NaN. */
LANE_WORD bool pack_has_nan(pack a)
{
#if defined PACK_V4 && defined FLOCK_FLOAT32_CORE
    return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q) != 0;
#elif defined PACK_V4
    return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q) != 0;
#else
    return pack_bits((lane_mask)(a != a)) != 0;
#endif
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
#elif defined PACK_NEON
    return PACK_NEON_NAME(vsqrtq)(a);
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

LANE_WORD lane_mask lane_square_less_than(lane_square a, lane_square b)
{
    return lane_less(a, b);
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

LANE_APART lane_vec lane_vec_over_quartic(lane_vec a, lane_square squared)
{
    return lane_vec_over_square(a, squared * squared + 1);
}

LANE_WORD lane lane_vec_dot(lane_vec a, lane_vec b)
{
    return a.x * b.x + a.y * b.y;
}

LANE_WORD lane lane_vec_cross(lane_vec a, lane_vec b)
{
    return a.x * b.y - a.y * b.x;
}

LANE_WORD lane lane_length(lane_square squared)
{
    return lane_root(squared);
}

LANE_WORD lane lane_leg(num_square hypotenuse, lane leg)
{
    return lane_root(lane_all(hypotenuse) - leg * leg);
}

LANE_WORD lane_mask lane_is_right(lane_vec a, lane_vec b)
{
    return lane_less(a.x * b.y, a.y * b.x);
}

LANE_WORD lane_mask lane_is_behind(lane_vec a, lane_vec b)
{
    return lane_less(a.x * b.x, (lane_all(0) - a.y) * b.y);
}

/** 1 where it counts, else 0. */
LANE_WORD pack pack_weight(lane_mask where)
{
#if defined PACK_V4
    return lane_choose(where, lane_all(1), lane_all(0));
#else
    return (pack)(where & (lane_mask)lane_all(1));
#endif
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

/* A product with one or zero is exact, and so is what is fused with the sum: two operations in one, and what counts is made
 * a number once for all sums. */
LANE_WORD lane_sum lane_sum_add_finite(lane_mask where, lane_sum sum, lane a)
{
#if defined PACK_V3
    return PACK_NAME(256, fmadd)(pack_weight(where), a, sum);
#elif defined PACK_NEON
    return PACK_NEON_NAME(vfmaq)(sum, pack_weight(where), a);
#else
    return lane_sum_add(where, sum, a);
#endif
}

LANE_WORD lane_sum lane_sum_take_finite(lane_mask where, lane_sum sum, lane a)
{
#if defined PACK_V3
    return PACK_NAME(256, fnmadd)(pack_weight(where), a, sum);
#elif defined PACK_NEON
    return PACK_NEON_NAME(vfmsq)(sum, pack_weight(where), a);
#else
    return lane_sum_take(where, sum, a);
#endif
}

LANE_WORD lane lane_sum_total(lane_sum sum)
{
    return sum;
}

LANE_WORD lane_vec lane_sums_direction(lane_sum x, lane_sum y)
{
    return (lane_vec){x, y};
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
    return count + pack_weight(where);
}

LANE_WORD lane_mask lane_count_is_some(lane_count count)
{
    return lane_less(lane_all(0), count);
}

LANE_WORD lane lane_times(lane a, lane_count count)
{
    return a * count;
}

/* Angles. */

LANE_WORD pack pack_from_q30(pack_integers a)
{
    return __builtin_convertvector(a, pack) / lane_all((num)1073741824.0);
}

LANE_WORD lane_vec lane_vec_turn(lane_vec a, lane_circle by)
{
    const pack cosine = pack_from_q30(by.cosine), sine = pack_from_q30(by.sine);
    /* Not -sine: of zero that would be -0, which no integer is. */
    return (lane_vec){cosine * a.x - sine * a.y, cosine * a.y - (lane_all(0) - sine) * a.x};
}

LANE_WORD lane_vec lane_vec_along(num length, lane_circle direction)
{
    return (lane_vec){pack_from_q30(direction.cosine) * length, pack_from_q30(direction.sine) * length};
}

#endif
