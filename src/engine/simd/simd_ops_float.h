/* The operations of core/lane_ops_scalar.h for SIMD vectors of float32 and float64. Included by simd_ops.h, which has the
 * masks. + - * / are the operators of the compiler on vectors: every lane is rounded like a scalar. */
#pragma once

typedef simd_vec lane_square, lane_sum;

/** True if any lane is NaN. */
LANE_OP bool simd_has_nan(simd_vec a)
{
#if defined SIMD_X86_V4
    return SIMD_V4_COMPARE(a, a, _CMP_UNORD_Q) != 0;
#else
    return simd_mask_bits((lane_mask)(a != a)) != 0;
#endif
}

/* Numbers. */

LANE_OP lane lane_set1(num a)
{
#if defined SIMD_AVX
    return SIMD_AVX(set1)(a);
#else
    return a - (simd_vec){0}; /* not a + 0, which would turn -0 into +0 */
#endif
}

/* It uses an intrinsic, because gcc 12 would replace the bitwise operations of these comparisons by slower blends, or,
 * for float64 and SSE2, by scalar code. */
LANE_OP lane_mask lane_less(lane a, lane b)
{
#if defined SIMD_AVX
    return SIMD_AVX_COMPARE(a, b, _CMP_LT_OQ);
#elif defined SIMD_SSE2
    return (lane_mask)SIMD_X86_NAME(, cmplt)(a, b);
#else
    return (lane_mask)(a < b);
#endif
}

LANE_OP lane lane_select(lane_mask where, lane yes, lane no)
{
#if defined SIMD_X86_V4
    return SIMD_X86_NAME(512, mask_blend)(where, no, yes);
#elif defined SIMD_X86_V3
    return SIMD_X86_NAME(256, blendv)(no, yes, (simd_vec)where);
#else
    return (simd_vec)((where & (lane_mask)yes) | (~where & (lane_mask)no));
#endif
}

/** The larger one of two numbers; b if one of them is NaN. */
LANE_OP lane simd_max(lane a, lane b)
{
#if defined SIMD_AVX
    return SIMD_AVX(max)(a, b);
#else
    return lane_select(lane_less(b, a), a, b);
#endif
}

LANE_OP lane simd_min(lane a, lane b)
{
#if defined SIMD_AVX
    return SIMD_AVX(min)(a, b);
#else
    return lane_select(lane_less(a, b), a, b);
#endif
}

LANE_OP lane lane_add(lane a, lane b)
{
    return a + b;
}

LANE_OP lane lane_subtract(lane a, lane b)
{
    return a - b;
}

LANE_OP lane lane_scale(num_factor factor, lane a)
{
    return lane_set1(factor) * a;
}

/* A number minus itself is zero, unless it is infinite or NaN. */
LANE_OP lane_mask lane_is_finite(lane a)
{
    return lane_less(a - a, lane_set1(1));
}

LANE_OP lane lane_root(lane a)
{
#if defined SIMD_AVX
    return SIMD_AVX(sqrt)(a);
#elif defined SIMD_NEON
    return SIMD_NEON_NAME(vsqrtq)(a);
#elif defined __wasm_simd128__ && defined FLOCK_FLOAT32_CORE
    return (lane)wasm_f32x4_sqrt((v128_t)a);
#elif defined __wasm_simd128__
    return (lane)wasm_f64x2_sqrt((v128_t)a);
#else
    for (int k = 0; k < SIMD_LANES; k++)
        a[k] = NUM_ROOT(a[k]);
    return a;
#endif
}

/* Squares of lengths. */

LANE_OP lane_square lane_norm_squared(lane x, lane y)
{
    return x * x + y * y;
}

LANE_OP lane_mask lane_square_less(lane_square a, num_square b)
{
    return lane_less(a, lane_set1(b));
}

LANE_OP lane_mask lane_square_more(lane_square a, num_square b)
{
    return lane_less(lane_set1(b), a);
}

#define lane_square_less_than lane_less
#define lane_square_is_finite lane_is_finite
#define lane_length           lane_root

LANE_OP lane_mask lane_square_is_zero(lane_square a)
{
#if defined SIMD_AVX
    return SIMD_AVX_COMPARE(a, lane_set1(0), _CMP_EQ_OQ);
#elif defined SIMD_SSE2
    return (lane_mask)SIMD_X86_NAME(, cmpeq)(a, lane_set1(0));
#else
    return (lane_mask)(a == 0);
#endif
}

LANE_OP lane_mask lane_square_is_small(lane_square a)
{
    return lane_square_less(a, NUM_LEAST_SQUARE);
}

LANE_OP lane_mask lane_square_is_lost(lane_square a)
{
    return lane_or(lane_square_is_small(a), lane_square_more(a, NUM_LARGEST));
}

LANE_OP lane_vec lane_vec_rescale(lane_vec a, lane_square *squared)
{
    const lane_mask is_lost = lane_square_is_lost(*squared);
    if (!lane_any_of(is_lost))
        return a;
    const lane power =
        lane_select(lane_square_less(*squared, 1), lane_set1(NUM_ENLARGE), lane_set1(NUM_REDUCE));
    const lane scale = lane_select(is_lost, power, lane_set1(1));
    const lane_vec scaled = {a.x * scale, a.y * scale};
    *squared = lane_norm_squared(scaled.x, scaled.y);
    return scaled;
}

/* Divisions of vectors by their lengths. */

LANE_OP lane_vec lane_vec_scale_to(lane_vec a, lane to, lane_square squared)
{
    const lane ratio = to / lane_root(squared);
    return (lane_vec){a.x * ratio, a.y * ratio};
}

LANE_OP lane_vec lane_vec_over_length(lane_vec a, lane_square squared)
{
    const lane length = lane_root(squared);
    return (lane_vec){a.x / length, a.y / length};
}

LANE_OP lane_vec lane_vec_over_square(lane_vec a, lane_square squared)
{
    return (lane_vec){a.x / squared, a.y / squared};
}

LANE_OP lane_vec lane_vec_over_quartic(lane_vec a, lane_square squared)
{
    return lane_vec_over_square(a, squared * squared + 1);
}

LANE_OP lane lane_vec_dot(lane_vec a, lane_vec b)
{
    return a.x * b.x + a.y * b.y;
}

LANE_OP lane lane_vec_cross(lane_vec a, lane_vec b)
{
    return a.x * b.y - a.y * b.x;
}

LANE_OP lane lane_sqrt_diff_squares(num_square hypotenuse, lane leg)
{
    return lane_root(lane_set1(hypotenuse) - leg * leg);
}

LANE_OP lane_mask lane_is_right(lane_vec a, lane_vec b)
{
    return lane_less(a.x * b.y, a.y * b.x);
}

LANE_OP lane_mask lane_is_behind(lane_vec a, lane_vec b)
{
    return lane_less(a.x * b.x, (lane_set1(0) - a.y) * b.y);
}

/** The number in the lanes of the mask, and 0 in the other lanes. AVX2 uses an intrinsic, because gcc 12 would keep the
 * constant 1 in two registers, as a number and as a mask. */
LANE_OP simd_vec simd_keep(lane_mask where, simd_vec a)
{
#if defined SIMD_X86_V4
    return lane_select(where, a, lane_set1(0));
#elif defined SIMD_X86_V3
    return SIMD_X86_NAME(256, and)((simd_vec)where, a);
#else
    return (simd_vec)(where & (lane_mask)a);
#endif
}

/* Sums. A lane that is not in the mask adds or subtracts +0. This changes no sum, because a sum begins at +0 and so
 * is never -0. */

LANE_OP lane_sum lane_sum_zero(void)
{
    return lane_set1(0);
}

LANE_OP lane_sum lane_sum_add(lane_mask where, lane_sum sum, lane a)
{
#if defined SIMD_X86_V4
    return SIMD_X86_NAME(512, mask_add)(sum, where, sum, a);
#else
    return sum + simd_keep(where, a);
#endif
}

LANE_OP lane_sum lane_sum_subtract(lane_mask where, lane_sum sum, lane a)
{
#if defined SIMD_X86_V4
    return SIMD_X86_NAME(512, mask_sub)(sum, where, sum, a);
#else
    return sum - simd_keep(where, a);
#endif
}

/* Multiply the term by 1 or 0 and add it, in one fused multiply-add. This gives the same bits, because the product is
 * exact. With AVX2, the mask is converted to 1 or 0 once for all sums. AMD processors have separate units for
 * additions and for multiplications. To use both, AVX-512 code adds with this operation,
 * which runs on the multipliers, and subtracts with an ordinary subtraction, which runs on the adders. */
LANE_OP lane_sum lane_sum_add_finite(lane_mask where, lane_sum sum, lane a)
{
#if defined SIMD_X86_V4
    return SIMD_X86_NAME(512, mask3_fmadd)(lane_set1(1), a, sum, where);
#elif defined SIMD_X86_V3
    return SIMD_X86_NAME(256, fmadd)(simd_keep(where, lane_set1(1)), a, sum);
#elif defined SIMD_NEON
    return SIMD_NEON_NAME(vfmaq)(sum, simd_keep(where, lane_set1(1)), a);
#else
    return lane_sum_add(where, sum, a);
#endif
}

LANE_OP lane_sum lane_sum_subtract_finite(lane_mask where, lane_sum sum, lane a)
{
#if defined SIMD_X86_V3
    return SIMD_X86_NAME(256, fnmadd)(simd_keep(where, lane_set1(1)), a, sum);
#elif defined SIMD_NEON
    return SIMD_NEON_NAME(vfmsq)(sum, simd_keep(where, lane_set1(1)), a);
#else
    return lane_sum_subtract(where, sum, a);
#endif
}

LANE_OP lane lane_sum_total(lane_sum sum)
{
    return sum;
}

LANE_OP lane_vec lane_sums_direction(lane_sum x, lane_sum y)
{
    return (lane_vec){x, y};
}

LANE_OP lane_vec lane_sums_scale(num_factor factor, lane_sum x, lane_sum y)
{
    return (lane_vec){lane_scale(factor, x), lane_scale(factor, y)};
}

LANE_OP lane_sum lane_sum_subtract_times(lane_sum sum, lane a, lane_count count)
{
    return sum - a * count;
}

LANE_OP lane lane_sum_mean(lane_sum sum, lane_count count)
{
    return sum / count;
}

#define lane_count_none lane_sum_zero

LANE_OP lane_count lane_count_add(lane_mask where, lane_count count)
{
    return lane_sum_add(where, count, lane_set1(1));
}

LANE_OP lane_mask lane_count_is_some(lane_count count)
{
    return lane_less(lane_set1(0), count);
}

/* Angles. */

LANE_OP simd_vec simd_from_q30(simd_int32 a)
{
    return __builtin_convertvector(a, simd_vec) / lane_set1((num)1073741824.0);
}

LANE_OP lane_vec lane_vec_turn(lane_vec a, lane_sincos by)
{
    const simd_vec cosine = simd_from_q30(by.cosine), sine = simd_from_q30(by.sine);
    /* The scalar core negates an integer sine, and 0 stays 0. So use 0 - sine here, because -sine would be -0 for 0. */
    return (lane_vec){cosine * a.x - sine * a.y, cosine * a.y - (lane_set1(0) - sine) * a.x};
}

LANE_OP lane_vec lane_vec_along(num length, lane_sincos direction)
{
    return (lane_vec){simd_from_q30(direction.cosine) * length, simd_from_q30(direction.sine) * length};
}
