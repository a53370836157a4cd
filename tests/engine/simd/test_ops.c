/* Claims about engine/simd/simd_ops.h: in each lane, an operation gives the bits of the scalar operation. Compiled for each
 * number type and instruction set, and skipped if the machine lacks that set.
 */
#include "../../suite.h"
#include "engine/simd/simd_load_store.h"
#include "engine/simd/simd_ops.h"

#include "engine/simd/isa.h"

#include <float.h>

enum { SEED = 20261121, ROUNDS = 20000 };

#if defined SIMD_X86_V4
#define ISA "v4"
#elif defined SIMD_X86_V3
#define ISA "v3"
#elif defined SIMD_X86_V2
#define ISA "v2"
#else
#define ISA "plain"
#endif

#define EACH_ROUND for (int round = 0; round < ROUNDS; round++)

static struct flock_rng rng;

static uint32_t roll(uint32_t below)
{
    return (uint32_t)(flock_rng_next(&rng) >> 32) % below;
}

/* Ordinary numbers and edge cases. */

static num any_num(void)
{
    static const num corners[] = {0,
                                  -(num)0.0,
                                  1,
                                  -1,
                                  (num)INFINITY,
                                  -(num)INFINITY,
                                  (num)NAN,
                                  NUM_LARGEST,
                                  -NUM_LARGEST,
                                  (num)FLT_MIN,
                                  NUM_LARGEST / 3};
    const num unit = num_uniform(-1, 1, flock_rng_next(&rng));
    switch (roll(4)) {
    case 0: return corners[roll(COUNT(corners))];
    case 1: return unit;
    case 2: return unit * (num)1e-30;
    default: return unit * 1000;
    }
}

static bool is_same(num a, num b)
{
    return num_bits(a) == num_bits(b) || (a != a && b != b);
}

static lane any_lane(void)
{
    lane a;
    for (int k = 0; k < SIMD_LANES; k++)
        a[k] = any_num();
    return a;
}

static lane_vec any_vec(void)
{
    return (lane_vec){any_lane(), any_lane()};
}

/* A mask, as lanes and as bits. */
static lane_mask any_mask(unsigned *bits)
{
    lane a = lane_set1(num_zero());
    *bits = 0;
    for (int k = 0; k < SIMD_LANES; k++) {
        const bool is_set = roll(2);
        a[k] = num_from_double(is_set ? -1 : 1);
        *bits |= (unsigned)is_set << k;
    }
    return lane_less(a, lane_set1(num_zero()));
}

static bool is_set(unsigned bits, int k)
{
    return bits >> k & 1;
}

#define ASSERT_LANES(found, wanted)                                                                    \
    do {                                                                                               \
        const lane found_here = (found);                                                               \
        for (int k = 0; k < SIMD_LANES; k++)                                                           \
            if (!is_same(found_here[k], (wanted)))                                                     \
                fail_msg("%s: lane %d is %a, a scalar is %a", #found, k, num_to_double(found_here[k]), \
                         num_to_double(wanted));                                                       \
    } while (0)

#define ASSERT_MASK(found, wanted)                                                                \
    do {                                                                                          \
        const unsigned found_here = simd_mask_bits(found);                                        \
        for (int k = 0; k < SIMD_LANES; k++)                                                      \
            if (is_set(found_here, k) != (wanted))                                                \
                fail_msg("%s: lane %d is %d, a scalar is not", #found, k, is_set(found_here, k)); \
    } while (0)

TEST(masks_are_the_same)
{
    EACH_ROUND
    {
        unsigned a_bits, b_bits;
        const lane_mask a = any_mask(&a_bits), b = any_mask(&b_bits);
        assert_true(lane_any_of(a) == (a_bits != 0));
        ASSERT_MASK(a, is_set(a_bits, k));
        ASSERT_MASK(lane_and(a, b), is_set(a_bits & b_bits, k));
        ASSERT_MASK(lane_and_not(a, b), is_set(a_bits & ~b_bits, k));
        ASSERT_MASK(lane_or(a, b), is_set(a_bits | b_bits, k));
        const unsigned lane_left_out = roll(SIMD_LANES);
        ASSERT_MASK(simd_mask_all_but(lane_left_out), k != (int)lane_left_out);
    }
    ASSERT_MASK(lane_mask_set1(true), true);
    ASSERT_MASK(lane_mask_set1(false), false);
}

TEST(numbers_are_the_same)
{
    EACH_ROUND
    {
        unsigned bits;
        const lane_mask where = any_mask(&bits);
        const lane a = any_lane(), b = any_lane();
        const num c = any_num();
        const num_factor factor = any_num();
        ASSERT_LANES(lane_set1(c), c);
        ASSERT_LANES(lane_select(where, a, b), is_set(bits, k) ? a[k] : b[k]);
        ASSERT_LANES(lane_add(a, b), num_add(a[k], b[k]));
        ASSERT_LANES(lane_subtract(a, b), num_subtract(a[k], b[k]));
        ASSERT_LANES(lane_scale(factor, a), num_scale(factor, a[k]));
        const lane_vec u = any_vec(), v = any_vec();
        ASSERT_LANES(lane_vec_dot(u, v), num_dot(u.x[k], u.y[k], v.x[k], v.y[k]));
        ASSERT_LANES(lane_vec_cross(u, v), num_cross(u.x[k], u.y[k], v.x[k], v.y[k]));
        ASSERT_LANES(lane_wrap_period(a, a, b, c), a[k]);
        ASSERT_MASK(lane_less(a, b), num_less(a[k], b[k]));
        ASSERT_MASK(lane_is_finite(a), num_is_finite(a[k]));
    }
}

/* Sums begin at +0 and are never -0. */
static lane any_sum(void)
{
    lane a = any_lane();
    for (int k = 0; k < SIMD_LANES; k++)
        a[k] = a[k] == 0 ? 0 : a[k];
    return a;
}

TEST(squares_are_the_same)
{
    EACH_ROUND
    {
        const lane a = any_lane(), b = any_lane();
        ASSERT_LANES(lane_norm_squared(a, b), num_norm_squared(a[k], b[k]));
        const num c = any_num();
        ASSERT_MASK(lane_square_less(a, c), num_square_less(a[k], c));
        ASSERT_MASK(lane_square_less_than(a, b), num_square_less(a[k], b[k]));
        ASSERT_MASK(lane_square_more(a, c), num_square_less(c, a[k]));
        ASSERT_MASK(lane_square_is_zero(a), num_square_is_zero(a[k]));
        ASSERT_MASK(lane_square_is_finite(a), num_square_is_finite(a[k]));
        ASSERT_MASK(lane_count_is_some(lane_set1((num)(round % 3))), round % 3 != 0);
    }
}

TEST(lengths_are_the_same)
{
    EACH_ROUND
    {
        const lane_vec a = any_vec();
        const lane to = any_lane();
        const lane squared = lane_norm_squared(a.x, a.y);
        ASSERT_LANES(lane_vec_scale_to(a, to, squared).x, num_scale_to(a.x[k], to[k], squared[k]));
        ASSERT_LANES(lane_vec_scale_to(a, to, squared).y, num_scale_to(a.y[k], to[k], squared[k]));
        ASSERT_LANES(lane_vec_over_length(a, squared).x, num_over_length(a.x[k], squared[k]));
        ASSERT_LANES(lane_vec_over_length(a, squared).y, num_over_length(a.y[k], squared[k]));
        ASSERT_LANES(lane_vec_over_square(a, squared).x, num_over_square(a.x[k], squared[k]));
        ASSERT_LANES(lane_vec_over_square(a, squared).y, num_over_square(a.y[k], squared[k]));
        ASSERT_LANES(lane_vec_over_quartic(a, squared).x, num_over_square(a.x[k], num_quartic(squared[k])));
        ASSERT_LANES(lane_vec_over_quartic(a, squared).y, num_over_square(a.y[k], num_quartic(squared[k])));
        ASSERT_LANES(lane_length(squared), num_length(squared[k]));
        const num hypotenuse = any_num();
        ASSERT_LANES(lane_sqrt_diff_squares(hypotenuse, to), num_sqrt_diff_squares(hypotenuse, to[k]));
    }
}

TEST(sums_are_the_same)
{
    EACH_ROUND
    {
        unsigned bits;
        const lane_mask where = any_mask(&bits);
        const lane a = any_lane(), finite = lane_select(lane_is_finite(a), a, lane_set1(1)), sum = any_sum();
        ASSERT_LANES(lane_sum_add(where, sum, a), is_set(bits, k) ? num_sum_add(sum[k], a[k]) : sum[k]);
        ASSERT_LANES(lane_sum_subtract(where, sum, a),
                     is_set(bits, k) ? num_sum_subtract(sum[k], a[k]) : sum[k]);
        ASSERT_LANES(lane_sum_add_finite(where, sum, finite),
                     is_set(bits, k) ? num_sum_add(sum[k], finite[k]) : sum[k]);
        ASSERT_LANES(lane_sum_subtract_finite(where, sum, finite),
                     is_set(bits, k) ? num_sum_subtract(sum[k], finite[k]) : sum[k]);
        ASSERT_LANES(lane_sum_total(sum), num_sum_total(sum[k]));
        ASSERT_LANES(lane_sums_direction(sum, a).x, sum[k]);
        ASSERT_LANES(lane_sums_direction(a, sum).y, sum[k]);
        ASSERT_LANES(lane_sums_scale((num)0.3, sum, a).x, num_scale((num)0.3, sum[k]));
        ASSERT_LANES(lane_sums_scale((num)0.3, a, sum).y, num_scale((num)0.3, sum[k]));
        ASSERT_LANES(lane_sum_subtract_times(sum, a, lane_set1((num)(round % 9))),
                     num_sum_subtract_times(sum[k], a[k], (uint32_t)round % 9));
        ASSERT_LANES(lane_sum_mean(sum, lane_set1((num)(1 + round % 9))),
                     num_sum_mean(sum[k], 1 + (uint32_t)round % 9));
        ASSERT_LANES(lane_count_add(where, lane_set1(7)), is_set(bits, k) ? 8 : 7);
    }
    ASSERT_LANES(lane_sum_zero(), 0);
    ASSERT_LANES(lane_count_none(), 0);
}

static uint64_t draw_at(const lane_bits *draws, int k)
{
    uint64_t each[SIMD_LANES];
    memcpy(each, draws, sizeof each);
    return each[k];
}

static uint64_t draw_alone(struct flock_rng_key moment, uint64_t id)
{
    struct flock_rng alone = flock_rng_of(moment, (uint32_t)id);
    return flock_rng_next(&alone);
}

TEST(draws_are_the_same)
{
    const struct flock_rng_key moment = flock_rng_key_for_step(SEED, FLOCK_BOID_VELOCITY, 12);
    uint64_t ids[SIMD_LANES];
    for (uint64_t k = 0; k < SIMD_LANES; k++)
        ids[k] = UINT64_C(0xabcdef) << 32 | (uint64_t)roll(UINT32_MAX);
    const lane_bits draws = lane_random_bits(moment, ids);
    for (int k = 0; k < SIMD_LANES; k++)
        assert_true(draw_at(&draws, k) == draw_alone(moment, ids[k]));
    for (int k = 0; k < SIMD_LANES; k++)
        for (uint32_t more = 0; more < 2; more++) {
            const uint32_t limit = (uint32_t)ids[k] + more;
            const unsigned bits = simd_mask_bits(lane_id_below(ids, limit));
            for (int j = 0; j < SIMD_LANES; j++)
                assert_int_equal(bits >> j & 1, (uint32_t)ids[j] < limit);
        }
}

/* The lanes may also be in one cache line. */
TEST(sides_and_lengths_are_the_same)
{
    EACH_ROUND
    {
        const lane_vec a = any_vec(), b = roll(4)   ? any_vec()
                                          : roll(2) ? a
                                                    : lane_vec_subtract(lane_vec_zero(), a);
        const num zero = num_zero();
        ASSERT_MASK(lane_is_right(a, b), num_product_less(a.x[k], b.y[k], a.y[k], b.x[k]));
        ASSERT_MASK(lane_is_behind(a, b),
                    num_product_less(a.x[k], b.x[k], num_subtract(zero, a.y[k]), b.y[k]));
        ASSERT_LANES(lane_length(lane_vec_norm_squared(a)), num_length(num_norm_squared(a.x[k], a.y[k])));
    }
}

/* Random draws, and those on both sides of a change of quadrant. */
static lane_bits any_draws(void)
{
    lane_bits draws;
    uint64_t each[SIMD_LANES];
    for (int k = 0; k < SIMD_LANES; k++) {
        each[k] = flock_rng_next(&rng);
        if (roll(3) == 0)
            each[k] = (uint64_t)roll(8) << 61 | (uint64_t)(roll(8) << 29) | roll(2);
        if (roll(3) == 0)
            each[k] -= 1;
    }
    memcpy(&draws, each, sizeof draws);
    return draws;
}

/* The circle of one angle, written out from docs/models.md. */
static int64_t rounded(int64_t a, int64_t b)
{
    return (a * b + (1 << 29)) >> 30;
}

static void circle_alone(uint32_t turns, int32_t point[2])
{
    static const int64_t sine[] = {-39269, 2674039, -86699833, 843314857};
    static const int64_t cosine[] = {-349978, 17023455, -331168968, 1073741824};
    const uint32_t quarter = (turns + (UINT32_C(1) << 29)) >> 30;
    const int64_t t = 2 * (int64_t)(int32_t)(turns - (quarter << 30)), z = rounded(t, t);
    int64_t s = 332, c = 3792;
    for (int i = 0; i < 4; i++) {
        s = rounded(s, z) + sine[i];
        c = rounded(c, z) + cosine[i];
    }
    s = rounded(s, t);
    const int64_t points[5] = {c, s, -c, -s, c};
    point[0] = (int32_t)points[quarter % 4 == 0 ? 0 : 4 - quarter % 4];
    point[1] = (int32_t)points[(5 - quarter % 4) % 4];
}

TEST(angles_are_the_same)
{
    EACH_ROUND
    {
        const lane_bits draws = any_draws();
        const uint64_t width = roll(4) == 0 ? UINT64_C(1) << 32 : roll(UINT32_MAX);
        const lane_angle within = lane_angle_within(draws, width), any = lane_angle_any(draws);
        const lane_sincos circle = lane_sincos_of(any);
        const lane_vec a = any_vec(), turned = lane_vec_turn(a, circle);
        const num length = any_num();
        const lane_vec along = lane_vec_along(length, circle);
        for (int k = 0; k < SIMD_LANES; k++) {
            const uint64_t bits = draw_at(&draws, k);
            int32_t point[2];
            circle_alone((uint32_t)bits, point);
            assert_int_equal((uint32_t)draw_at(&any, k), (uint32_t)bits);
            assert_int_equal((uint32_t)draw_at(&within, k),
                             (uint32_t)(((int64_t)(int32_t)(bits >> 32) * (int64_t)width) >> 32));
            assert_int_equal(circle.cosine[k], point[0]);
            assert_int_equal(circle.sine[k], point[1]);
            const num x = a.x[k], y = a.y[k];
            assert_true(is_same(turned.x[k], num_turned_x(x, y, point[0], point[1])));
            assert_true(is_same(turned.y[k], num_turned_x(y, x, point[0], -point[1])));
            assert_true(is_same(along.x[k], num_component(length, point[0])));
            assert_true(is_same(along.y[k], num_component(length, point[1])));
        }
    }
}

TEST(transposed_records_are_restored)
{
    num records[4 * SIMD_LANES], back[4 * SIMD_LANES];
    simd_vec fields[4];
    for (int i = 0; i < 4 * SIMD_LANES; i++)
        records[i] = any_num();
    simd_load_interleaved(records, fields);
    for (int field = 0; field < 4; field++)
        ASSERT_LANES(fields[field], records[4 * k + field]);
    simd_store_interleaved(back, fields);
    assert_memory_equal(records, back, sizeof records);
}

TEST(compaction_lists_the_set_lanes)
{
    EACH_ROUND
    {
        uint32_t list[2 * SIMD_LANES], due[SIMD_LANES], count = 0;
        const unsigned bits = roll(1U << (SIMD_LANES - 1) << 1);
        for (int k = 0; k < SIMD_LANES; k++)
            if (is_set(bits, k))
                due[count++] = 1000 + (uint32_t)k;
        assert_int_equal(simd_append_lanes(list, 1000, bits), count);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(list[i], due[i]);
    }
}

/* Static, because a sanitizer may mark variables on the stack with instructions that the machine lacks. */
static bool has_instructions(void)
{
    static struct error error;
    static enum isa isa;
    setenv("BOIDS_ISA", ISA, 1);
    return isa_choose(&isa, &error);
}

/* The only test on a machine that lacks the instruction set. */
static void instructions_that_are_not_there_are_refused(void **state)
{
    assert_false(has_instructions());
}

int main(void)
{
    if (!has_instructions()) {
        suite_size = 0;
        suite_add((struct CMUnitTest)cmocka_unit_test(instructions_that_are_not_there_are_refused));
    }
    rng = flock_rng_keyed(SEED, FLOCK_BOID_POSITION, 0);
    return RUN_SUITE("SIMD operations, " ISA, NULL, NULL);
}
