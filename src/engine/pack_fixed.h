/* The words of core/lane.h for packs of Q16.16. Included by pack_lane.h, which has the masks.
 *
 * What is exact in 64 bits for one boid would be half a pack of boids here, so it is told by cheaper means wherever they
 * cannot err:
 *
 *     squares     are compared as floats, and in 64 bits where one is so near to the other that floats cannot tell
 *     sums        are kept in 32 bits, and carried over to 32 more before they can run over: whoever adds up many settles
 *                 in time (pack_survey.h)
 *     quotients   and roots are those of doubles, which are right where the numbers have less than 53 bits; packs in
 *                 which one has more go one by one through num_fixed.h
 */
#ifndef PACK_FIXED_H
#define PACK_FIXED_H

typedef uint32_t pack_naturals __attribute__((vector_size(PACK_BYTES))); /* sums of these may wrap */

/* Half of a pack, and what its lanes are in 64 bits. */
typedef int32_t pack_half __attribute__((vector_size(PACK_BYTES / 2)));
typedef double pack_doubles __attribute__((vector_size(PACK_BYTES)));

/* Compared, not computed: it is kept as the vector that it is of. What floats cannot tell is told at once, or noted: then the
 * answer is a guess, and whoever has the notes must look at them afterwards. */
typedef pack_naturals pack_notes;

typedef struct {
    lane x, y;
    pack_notes *notes;
} lane_square;

/* carried * 2^16 + recent. What is added goes to `recent`, and is carried over now and then. */
typedef struct {
    pack recent, carried;
} lane_sum;

enum { PACK_CARRIED_BITS = 16 };

LANE_WORD pack_notes pack_no_notes(void)
{
    return ~(pack_notes){0};
}

/** Sums of what is in doubt are no more so than that. */
LANE_WORD void pack_note_sum(pack_notes *notes, lane_sum sum)
{
    (void)notes, (void)sum;
}

/** Whether a sum can run over before pack_sum_settle() is called. */
enum { PACK_SUMS_RUN_OVER = true };

/* Halves. */

/* gcc 12 sends halves of registers through memory, and converts them by halves of halves, unless it is told how. */
LANE_WORD pack_half pack_low(pack a)
{
#if defined PACK_V4
    return (pack_half)_mm512_castsi512_si256((__m512i)a);
#elif defined PACK_V3
    return (pack_half)_mm256_castsi256_si128((__m256i)a);
#else
    return __builtin_shufflevector(a, a, 0, 1);
#endif
}

LANE_WORD pack_half pack_high(pack a)
{
#if defined PACK_V4
    return (pack_half)_mm512_extracti64x4_epi64((__m512i)a, 1);
#elif defined PACK_V3
    return (pack_half)_mm256_extracti128_si256((__m256i)a, 1);
#else
    return __builtin_shufflevector(a, a, 2, 3);
#endif
}

LANE_WORD pack pack_join(pack_half low, pack_half high)
{
#if defined PACK_V4
    return (pack)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)low), (__m256i)high, 1);
#elif defined PACK_V3
    return (pack)_mm256_set_m128i((__m128i)high, (__m128i)low);
#else
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
#endif
}

LANE_WORD bool pack_wide_any(pack_wide where)
{
#if defined PACK_V4
    return _mm512_test_epi64_mask((__m512i)where, (__m512i)where) != 0;
#elif defined PACK_V3
    return !_mm256_testz_si256((__m256i)where, (__m256i)where);
#else
    return (where[0] | where[1]) != 0;
#endif
}

/* All lanes in 64 bits: the even ones and the odd ones, which is how Intel multiplies. */
struct pack_pair {
    pack_wide even, odd;
};

/** a * b. */
LANE_WORD struct pack_pair pack_product(pack a, pack b)
{
#if defined PACK_V4
    const __m512i odd_a = _mm512_srli_epi64((__m512i)a, 32), odd_b = _mm512_srli_epi64((__m512i)b, 32);
    return (struct pack_pair){(pack_wide)_mm512_mul_epi32((__m512i)a, (__m512i)b),
                              (pack_wide)_mm512_mul_epi32(odd_a, odd_b)};
#elif defined PACK_V3
    const __m256i odd_a = _mm256_srli_epi64((__m256i)a, 32), odd_b = _mm256_srli_epi64((__m256i)b, 32);
    return (struct pack_pair){(pack_wide)_mm256_mul_epi32((__m256i)a, (__m256i)b),
                              (pack_wide)_mm256_mul_epi32(odd_a, odd_b)};
#elif defined PACK_V2
    const __m128i odd_a = _mm_srli_epi64((__m128i)a, 32), odd_b = _mm_srli_epi64((__m128i)b, 32);
    return (struct pack_pair){(pack_wide)_mm_mul_epi32((__m128i)a, (__m128i)b),
                              (pack_wide)_mm_mul_epi32(odd_a, odd_b)};
#else
    return (struct pack_pair){{(int64_t)a[0] * b[0], (int64_t)a[2] * b[2]},
                              {(int64_t)a[1] * b[1], (int64_t)a[3] * b[3]}};
#endif
}

/** The lower 32 bits of each lane. */
LANE_WORD pack pack_lower(struct pack_pair a)
{
#if defined PACK_V4
    return (pack)_mm512_mask_shuffle_epi32((__m512i)a.even, 0xaaaa, (__m512i)a.odd, _MM_PERM_CCAA);
#elif defined PACK_V3
    return (pack)_mm256_blend_epi32((__m256i)a.even, _mm256_slli_epi64((__m256i)a.odd, 32), 0xaa);
#elif defined PACK_V2
    return (pack)_mm_blend_epi16((__m128i)a.even, _mm_slli_epi64((__m128i)a.odd, 32), 0xcc);
#else
    return (pack){(int32_t)a.even[0], (int32_t)a.odd[0], (int32_t)a.even[1], (int32_t)a.odd[1]};
#endif
}

/** The upper 32 bits. */
LANE_WORD pack pack_upper(struct pack_pair a)
{
#if defined PACK_V4
    return (pack)_mm512_mask_shuffle_epi32((__m512i)a.odd, 0x5555, (__m512i)a.even, _MM_PERM_DDBB);
#elif defined PACK_V3
    return (pack)_mm256_blend_epi32(_mm256_srli_epi64((__m256i)a.even, 32), (__m256i)a.odd, 0xaa);
#elif defined PACK_V2
    return (pack)_mm_blend_epi16(_mm_srli_epi64((__m128i)a.even, 32), (__m128i)a.odd, 0xcc);
#else
    return (pack){(int32_t)(a.even[0] >> 32), (int32_t)(a.odd[0] >> 32), (int32_t)(a.even[1] >> 32),
                  (int32_t)(a.odd[1] >> 32)};
#endif
}

/* Shifting what may be negative is slow: it is done 2^63 higher. */
LANE_WORD pack_wide pack_shift(pack_wide a, int32_t bits)
{
    const uint64_t above = UINT64_C(1) << 63;
    return (pack_wide)((((pack_wide_naturals)a + above) >> bits) - (above >> bits));
}

/* Numbers. */

LANE_WORD lane lane_all(num a)
{
    return (pack){0} + a.raw;
}

LANE_WORD lane_mask lane_less(lane a, lane b)
{
#if defined PACK_V4
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
#elif defined PACK_V3
    return (lane_mask)_mm256_cmpgt_epi32((__m256i)b, (__m256i)a);
#elif defined PACK_V2
    return (lane_mask)_mm_cmplt_epi32((__m128i)a, (__m128i)b);
#else
    return (lane_mask)(a < b);
#endif
}

LANE_WORD lane lane_choose(lane_mask where, lane yes, lane no)
{
#if defined PACK_V4
    return (lane)_mm512_mask_blend_epi32(where, (__m512i)no, (__m512i)yes);
#elif defined PACK_V3
    return (lane)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)where);
#elif defined PACK_V2
    return (lane)_mm_blendv_epi8((__m128i)no, (__m128i)yes, (__m128i)where);
#else
    return (where & yes) | (~where & no);
#endif
}

LANE_WORD lane pack_larger(lane a, lane b)
{
#if defined PACK_V4
    return (lane)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif defined PACK_V3
    return (lane)_mm256_max_epi32((__m256i)a, (__m256i)b);
#elif defined PACK_V2
    return (lane)_mm_max_epi32((__m128i)a, (__m128i)b);
#else
    return lane_choose(lane_less(a, b), b, a);
#endif
}

LANE_WORD lane pack_smaller(lane a, lane b)
{
#if defined PACK_V4
    return (lane)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined PACK_V3
    return (lane)_mm256_min_epi32((__m256i)a, (__m256i)b);
#elif defined PACK_V2
    return (lane)_mm_min_epi32((__m128i)a, (__m128i)b);
#else
    return lane_choose(lane_less(a, b), a, b);
#endif
}

/** `wrapped`, but where `is_wrong` is negative the farthest number on the side of `a`. INT32_MIN is no number. */
LANE_WORD lane pack_saturate(lane wrapped, lane is_wrong, lane a)
{
    const lane farthest = (a >> 31) ^ INT32_MAX;
#if defined PACK_V4
    const lane right = lane_choose(_mm512_movepi32_mask((__m512i)is_wrong), farthest, wrapped);
#elif defined PACK_V3
    const lane right = (lane)_mm256_blendv_ps((__m256)wrapped, (__m256)farthest, (__m256)is_wrong);
#elif defined PACK_V2
    const lane right = (lane)_mm_blendv_ps((__m128)wrapped, (__m128)farthest, (__m128)is_wrong);
#else
    const lane right = lane_choose(is_wrong >> 31, farthest, wrapped);
#endif
    return pack_larger(right, (lane){0} - INT32_MAX);
}

/** As num_saturate() does: the upper half of what fits repeats the sign of the lower one. */
LANE_WORD lane pack_pair_saturate(struct pack_pair a)
{
    const lane lower = pack_lower(a), upper = pack_upper(a), differs = upper ^ (lower >> 31);
    return pack_saturate(lower, differs | ((lane){0} - differs), upper);
}

LANE_WORD lane lane_add(lane a, lane b)
{
    const lane sum = (lane)((pack_naturals)a + (pack_naturals)b);
    return pack_saturate(sum, (a ^ sum) & (b ^ sum), a);
}

LANE_WORD lane lane_subtract(lane a, lane b)
{
    const lane difference = (lane)((pack_naturals)a - (pack_naturals)b);
    return pack_saturate(difference, (a ^ b) & (a ^ difference), a);
}

/** a - b, where that is a number. */
LANE_WORD lane_vec pack_away(lane_vec a, lane_vec b)
{
    return (lane_vec){(lane)((pack_naturals)a.x - (pack_naturals)b.x),
                      (lane)((pack_naturals)a.y - (pack_naturals)b.y)};
}

LANE_WORD lane lane_weigh(num_factor factor, lane a)
{
    const int64_t half = (INT64_C(1) << factor.point) / 2;
    const struct pack_pair product = pack_product(a, lane_all(num_raw(factor.raw)));
    return pack_pair_saturate((struct pack_pair){pack_shift(product.even + half, factor.point),
                                                 pack_shift(product.odd + half, factor.point)});
}

LANE_WORD lane_mask lane_is_finite(lane a)
{
    (void)a;
    return lane_if(true);
}

/* Squares of lengths. */

LANE_WORD lane_square lane_norm_squared(lane x, lane y)
{
    return (lane_square){x, y, NULL};
}

/** The square of a; what is in doubt about it is noted. */
LANE_WORD lane_square pack_square_noted(lane_vec a, pack_notes *notes)
{
    return (lane_square){a.x, a.y, notes};
}

LANE_WORD pack_reals pack_square_nearly(lane_square a)
{
    const pack_reals x = __builtin_convertvector(a.x, pack_reals),
                     y = __builtin_convertvector(a.y, pack_reals);
#if defined PACK_V4
    return _mm512_fmadd_ps(x, x, _mm512_mul_ps(y, y));
#elif defined PACK_V3
    return _mm256_fmadd_ps(x, x, _mm256_mul_ps(y, y));
#else
    return x * x + y * y;
#endif
}

LANE_WORD lane_mask pack_reals_below(pack_reals a, float b)
{
#if defined PACK_V4
    return _mm512_cmp_ps_mask(a, _mm512_set1_ps(b), _CMP_LT_OQ);
#elif defined PACK_V3
    return (lane_mask)_mm256_cmp_ps(a, _mm256_set1_ps(b), _CMP_LT_OQ);
#elif defined PACK_V2
    return (lane_mask)_mm_cmplt_ps(a, _mm_set1_ps(b));
#else
    return (lane_mask)(a < b);
#endif
}

LANE_WORD pack_naturals pack_nearer(pack_naturals a, pack_naturals b)
{
#if defined PACK_V4
    return (pack_naturals)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif defined PACK_V3
    return (pack_naturals)_mm256_min_epu32((__m256i)a, (__m256i)b);
#elif defined PACK_V2
    return (pack_naturals)_mm_min_epu32((__m128i)a, (__m128i)b);
#else
    const pack_naturals less = (pack_naturals)(a < b);
    return (less & a) | (~less & b);
#endif
}

/* A float and its neighbours are neighbours as integers, too. Conversions and roundings make a square five of them wrong at
 * the most, so farther than these from another it is on the right side. */
enum { PACK_DOUBT = 16 };

/** How far a is from the least number that is too near b, in such steps. */
LANE_WORD pack_naturals pack_steps_from(pack_reals a, float b)
{
    const uint32_t farther_than_any = UINT32_C(1) << 31 | 2 * PACK_DOUBT;
    uint32_t bits;
    memcpy(&bits, &b, sizeof bits);
    return (pack_naturals)a - (b > 0 ? bits - PACK_DOUBT : farther_than_any);
}

/** Whether something was so near that floats could not tell. */
LANE_WORD bool pack_is_doubtful(pack_notes steps)
{
    const pack_naturals most = (pack_naturals){0} + 2 * PACK_DOUBT;
#if defined PACK_V4
    return _mm512_cmple_epu32_mask((__m512i)steps, (__m512i)most) != 0;
#else
    return pack_bits((lane_mask)(pack_nearer(steps, most) == steps)) != 0;
#endif
}

/* The sum of two squares is below 2^63, and what is negative has a negative upper half. */
LANE_WORD lane_mask pack_square_less_exactly(lane_square a, int64_t b)
{
    const struct pack_pair x = pack_product(a.x, a.x), y = pack_product(a.y, a.y);
    const struct pack_pair rest = {x.even + y.even - b, x.odd + y.odd - b};
    return lane_less(pack_upper(rest), (lane){0});
}

LANE_WORD lane_mask lane_square_less(lane_square a, num_square b)
{
    const pack_reals nearly = pack_square_nearly(a);
    const float limit = (float)(int64_t)b;
    const pack_naturals steps = pack_steps_from(nearly, limit);
    if (a.notes)
        *a.notes = pack_nearer(*a.notes, steps);
    else if (__builtin_expect(pack_is_doubtful(steps), false))
        return pack_square_less_exactly(a, (int64_t)b);
    return pack_reals_below(nearly, limit);
}

/* a > b is not a < b + 1. */
LANE_WORD lane_mask lane_square_more(lane_square a, num_square b)
{
    return lane_and_not(lane_if(true), lane_square_less(a, b + 1));
}

LANE_WORD lane_mask lane_square_less_than(lane_square a, lane_square b)
{
    const struct pack_pair x = pack_product(a.x, a.x), y = pack_product(a.y, a.y);
    const struct pack_pair other_x = pack_product(b.x, b.x), other_y = pack_product(b.y, b.y);
    const struct pack_pair rest = {x.even + y.even - (other_x.even + other_y.even),
                                   x.odd + y.odd - (other_x.odd + other_y.odd)};
    return lane_less(pack_upper(rest), (lane){0});
}

LANE_WORD lane_mask lane_square_is_zero(lane_square a)
{
    const pack either = a.x | a.y;
#if defined PACK_V4
    return _mm512_testn_epi32_mask((__m512i)either, (__m512i)either);
#else
    return (lane_mask)(either == 0);
#endif
}

LANE_WORD lane_mask lane_square_is_finite(lane_square a)
{
    (void)a;
    return lane_if(true);
}

/* Quotients of doubles. Where both numbers are whole and the upper one has no more than 53 bits, the quotient is too far
 * from the next whole number to be rounded onto it, and what is before its point is right. */

LANE_WORD pack_doubles pack_double(pack_half a)
{
#if defined PACK_V4
    return _mm512_cvtepi32_pd((__m256i)a);
#elif defined PACK_V3
    return _mm256_cvtepi32_pd((__m128i)a);
#else
    return __builtin_convertvector(a, pack_doubles);
#endif
}

LANE_WORD pack_half pack_whole(pack_doubles a)
{
#if defined PACK_V4
    return (pack_half)_mm512_cvttpd_epi32(a);
#elif defined PACK_V3
    return (pack_half)_mm256_cvttpd_epi32(a);
#else
    return __builtin_convertvector(a, pack_half);
#endif
}

LANE_WORD pack_doubles pack_root(pack_doubles a)
{
#if defined PACK_V4
    return _mm512_sqrt_pd(a);
#elif defined PACK_V3
    return _mm256_sqrt_pd(a);
#elif defined PACK_V2
    return _mm_sqrt_pd(a);
#elif defined PACK_NEON
    return vsqrtq_f64(a);
#else
    return (pack_doubles){__builtin_sqrt(a[0]), __builtin_sqrt(a[1])};
#endif
}

LANE_WORD pack_wide pack_is_long(pack_doubles a, double limit)
{
    return (pack_wide)(a >= limit) | (pack_wide)(a <= -limit);
}

/* Vectors by lengths. */

static __attribute__((noinline, cold)) lane_vec pack_scale_one_by_one(const lane_vec *a, const lane *to)
{
    lane_vec scaled = {{0}, {0}};
    for (int k = 0; k < PACK_LANES; k++) {
        const num x = num_raw(a->x[k]), y = num_raw(a->y[k]), length = num_raw((*to)[k]);
        const num_square squared = num_norm_squared(x, y);
        if (num_square_is_zero(squared))
            continue;
        scaled.x[k] = num_scale_to(x, length, squared).raw;
        scaled.y[k] = num_scale_to(y, length, squared).raw;
    }
    return scaled;
}

struct pack_scaled {
    pack_half x, y;
    pack_wide is_long; /* that is not so */
};

/* The root of a square below 2^52 is too far from the next whole number as well. */
LANE_WORD struct pack_scaled pack_scale_half(pack_half x_half, pack_half y_half, pack_half to_half)
{
    const pack_doubles x = pack_double(x_half), y = pack_double(y_half), to = pack_double(to_half);
    const pack_doubles squared = x * x + y * y;
    const pack_doubles one = (pack_doubles){0} + 1;
    /* Of a boid at rest it is 1. */
    const pack_wide at_rest = (pack_wide)(squared == 0) & (pack_wide)one;
    const pack_doubles root = pack_root(squared + (pack_doubles)at_rest);
    const pack_doubles length = pack_double(pack_whole(root));
    return (struct pack_scaled){pack_whole(x * to / length), pack_whole(y * to / length),
                                pack_is_long(squared, 0x1p52) | pack_is_long(x * to, 0x1p53) |
                                    pack_is_long(y * to, 0x1p53)};
}

/* No component is longer than the whole, so what comes out is no longer than `to`. */
LANE_WORD lane_vec lane_vec_scale_to(lane_vec a, lane to, lane_square squared)
{
    (void)squared;
    const struct pack_scaled low = pack_scale_half(pack_low(a.x), pack_low(a.y), pack_low(to));
    const struct pack_scaled high = pack_scale_half(pack_high(a.x), pack_high(a.y), pack_high(to));
    if (__builtin_expect(pack_wide_any(low.is_long | high.is_long), false))
        return pack_scale_one_by_one(&a, &to);
    return (lane_vec){pack_join(low.x, high.x), pack_join(low.y, high.y)};
}

LANE_WORD lane_vec lane_vec_over_length(lane_vec a, lane_square squared)
{
    return lane_vec_scale_to(a, lane_all(num_raw(NUM_ONE)), squared);
}

LANE_WORD lane_vec lane_vec_over_square(lane_vec a, lane_square squared)
{
    lane_vec quotient = {{0}, {0}};
    (void)squared;
    for (int k = 0; k < PACK_LANES; k++) {
        const num x = num_raw(a.x[k]), y = num_raw(a.y[k]);
        const num_square exactly = num_norm_squared(x, y);
        if (num_square_is_zero(exactly))
            continue;
        quotient.x[k] = num_over_square(x, exactly).raw;
        quotient.y[k] = num_over_square(y, exactly).raw;
    }
    return quotient;
}

LANE_APART lane_vec lane_vec_over_quartic(lane_vec a, lane_square squared)
{
    lane_vec quotient = {{0}, {0}};
    (void)squared;
    for (int k = 0; k < PACK_LANES; k++) {
        const num x = num_raw(a.x[k]), y = num_raw(a.y[k]);
        const num_square quartic = num_quartic(num_norm_squared(x, y));
        quotient.x[k] = num_over_square(x, quartic).raw;
        quotient.y[k] = num_over_square(y, quartic).raw;
    }
    return quotient;
}

/* Inner and outer products. */

LANE_WORD lane pack_round_down(struct pack_pair a)
{
    return pack_pair_saturate((struct pack_pair){pack_shift(a.even, 16), pack_shift(a.odd, 16)});
}

LANE_WORD lane lane_vec_dot(lane_vec a, lane_vec b)
{
    const struct pack_pair x = pack_product(a.x, b.x), y = pack_product(a.y, b.y);
    return pack_round_down((struct pack_pair){x.even + y.even, x.odd + y.odd});
}

LANE_WORD lane lane_vec_cross(lane_vec a, lane_vec b)
{
    const struct pack_pair x = pack_product(a.x, b.y), y = pack_product(a.y, b.x);
    return pack_round_down((struct pack_pair){x.even - y.even, x.odd - y.odd});
}

/* Lengths, one by one: whoever needs them has something in the way. */

LANE_WORD lane lane_length(lane_square squared)
{
    lane length = {0};
    for (int k = 0; k < PACK_LANES; k++)
        length[k] = num_length(num_norm_squared(num_raw(squared.x[k]), num_raw(squared.y[k]))).raw;
    return length;
}

LANE_WORD lane lane_leg(num_square hypotenuse, lane leg)
{
    lane other = {0};
    for (int k = 0; k < PACK_LANES; k++)
        if (num_norm_squared(num_raw(leg[k]), num_zero()) < hypotenuse)
            other[k] = num_leg(hypotenuse, num_raw(leg[k])).raw;
    return other;
}

/* a < b, of products of two numbers: their difference has 63 bits. */
LANE_WORD lane_mask pack_product_less(struct pack_pair a, struct pack_pair b)
{
    return lane_less(pack_upper((struct pack_pair){a.even - b.even, a.odd - b.odd}), (lane){0});
}

LANE_WORD lane_mask lane_is_right(lane_vec a, lane_vec b)
{
    return pack_product_less(pack_product(a.x, b.y), pack_product(a.y, b.x));
}

LANE_WORD lane_mask lane_is_behind(lane_vec a, lane_vec b)
{
    return pack_product_less(pack_product(a.x, b.x), pack_product(-a.y, b.y));
}

/* Sums. */

LANE_WORD lane_sum lane_sum_zero(void)
{
    return (lane_sum){{0}, {0}};
}

/** sum + a, where it counts; sums of what is recent must be kept within 32 bits (pack_survey.h). */
LANE_WORD lane_sum lane_sum_add(lane_mask where, lane_sum sum, lane a)
{
#if defined PACK_V4
    sum.recent = (pack)_mm512_mask_add_epi32((__m512i)sum.recent, where, (__m512i)sum.recent, (__m512i)a);
#else
    sum.recent = (pack)((pack_naturals)sum.recent + (pack_naturals)(where & a));
#endif
    return sum;
}

LANE_WORD lane_sum lane_sum_take(lane_mask where, lane_sum sum, lane a)
{
#if defined PACK_V4
    sum.recent = (pack)_mm512_mask_sub_epi32((__m512i)sum.recent, where, (__m512i)sum.recent, (__m512i)a);
#else
    sum.recent = (pack)((pack_naturals)sum.recent - (pack_naturals)(where & a));
#endif
    return sum;
}

/* All of them are. */
LANE_WORD lane_sum lane_sum_add_finite(lane_mask where, lane_sum sum, lane a)
{
    return lane_sum_add(where, sum, a);
}

LANE_WORD lane_sum lane_sum_take_finite(lane_mask where, lane_sum sum, lane a)
{
    return lane_sum_take(where, sum, a);
}

LANE_WORD pack pack_carried(lane_sum sum)
{
    return sum.carried + (sum.recent >> PACK_CARRIED_BITS);
}

LANE_WORD pack pack_rest(lane_sum sum)
{
    return sum.recent & ((1 << PACK_CARRIED_BITS) - 1);
}

/** The same sum, with less than 2^16 that is recent. */
LANE_WORD lane_sum pack_sum_settle(lane_sum sum)
{
    return (lane_sum){pack_rest(sum), pack_carried(sum)};
}

/* It fits if what was carried has no more bits than are left for it. */
LANE_WORD lane lane_sum_total(lane_sum sum)
{
    const pack carried = pack_carried(sum);
    const pack shifted = (pack)((pack_naturals)carried << PACK_CARRIED_BITS);
    const pack differs = carried ^ (shifted >> PACK_CARRIED_BITS);
    return pack_saturate(shifted | pack_rest(sum), differs | ((lane){0} - differs), carried);
}

LANE_WORD int64_t pack_sum_at(lane_sum sum, int k)
{
    return (int64_t)sum.carried[k] * (1 << PACK_CARRIED_BITS) + sum.recent[k];
}

static __attribute__((noinline, cold)) lane_vec pack_direct_one_by_one(const lane_sum *x, const lane_sum *y)
{
    lane_vec direction;
    for (int k = 0; k < PACK_LANES; k++) {
        num_sum sums[2] = {{pack_sum_at(*x, k)}, {pack_sum_at(*y, k)}};
        num_sums_fit(&sums[0], &sums[1]);
        direction.x[k] = num_sum_total(sums[0]).raw;
        direction.y[k] = num_sum_total(sums[1]).raw;
    }
    return direction;
}

/* What is not the largest number did not saturate. */
LANE_WORD lane_vec lane_sums_direction(lane_sum x, lane_sum y)
{
    const lane_vec total = {lane_sum_total(x), lane_sum_total(y)};
    const lane high = lane_all(num_raw(INT32_MAX - 1)), low = lane_all(num_raw(1 - INT32_MAX));
    const lane_mask is_long = lane_or(lane_or(lane_less(high, total.x), lane_less(total.x, low)),
                                      lane_or(lane_less(high, total.y), lane_less(total.y, low)));
    if (__builtin_expect(pack_bits(is_long) != 0, false))
        return pack_direct_one_by_one(&x, &y);
    return total;
}

LANE_WORD pack_half pack_mean_half(pack_half carried, pack_half recent, pack_half count)
{
    const pack_doubles sum = pack_double(carried) * (1 << PACK_CARRIED_BITS) + pack_double(recent);
    /* Nobody counts as one. */
    return pack_whole(sum / pack_double(count - (pack_half)(count == 0)));
}

/* A mean of numbers is one. */
LANE_WORD lane lane_sum_mean(lane_sum sum, lane_count count)
{
    return pack_join(pack_mean_half(pack_low(sum.carried), pack_low(sum.recent), pack_low(count)),
                     pack_mean_half(pack_high(sum.carried), pack_high(sum.recent), pack_high(count)));
}

LANE_WORD lane_count lane_count_none(void)
{
    return (lane_count){0};
}

LANE_WORD lane_count lane_count_add(lane_mask where, lane_count count)
{
#if defined PACK_V4
    return (lane_count)_mm512_mask_add_epi32((__m512i)count, where, (__m512i)count, _mm512_set1_epi32(1));
#else
    return count - where;
#endif
}

LANE_WORD lane_mask lane_count_is_some(lane_count count)
{
    return lane_less((lane){0}, count);
}

LANE_WORD lane lane_times(lane a, lane_count count)
{
    return pack_pair_saturate(pack_product(a, count));
}

/* Angles. */

LANE_WORD lane pack_round_q30(struct pack_pair a)
{
    return pack_pair_saturate(
        (struct pack_pair){pack_shift(a.even + NUM_HALF_Q30, 30), pack_shift(a.odd + NUM_HALF_Q30, 30)});
}

LANE_WORD lane_vec lane_vec_turn(lane_vec a, lane_circle by)
{
    const struct pack_pair xx = pack_product(by.cosine, a.x), yy = pack_product(by.sine, a.y);
    const struct pack_pair xy = pack_product(by.cosine, a.y), yx = pack_product(by.sine, a.x);
    return (lane_vec){pack_round_q30((struct pack_pair){xx.even - yy.even, xx.odd - yy.odd}),
                      pack_round_q30((struct pack_pair){xy.even + yx.even, xy.odd + yx.odd})};
}

LANE_WORD lane_vec lane_vec_along(num length, lane_circle direction)
{
    return (lane_vec){pack_round_q30(pack_product(direction.cosine, lane_all(length))),
                      pack_round_q30(pack_product(direction.sine, lane_all(length)))};
}

#endif
