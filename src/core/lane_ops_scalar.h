/* Lane operations for one boid at a time.
 *
 * The rules are written once, in neighbour_selection.h, neighbour_terms.h, steering.h and update_after_steering.h, with the operations
 * below. In this header, a lane type is a single number, for one boid, and a mask is a bool; this gives the scalar core. In
 * engine/simd/simd_ops.h, a lane type is a register with the numbers of several boids ("varying" in ISPC), while a num
 * is the same for all of them ("uniform"). A source file includes one of the two headers, and then the rules.
 *
 * Code tests lane_worth_doing() before operations that are costly or invalid if the mask is not set, such as a
 * division by zero in fixed point. For one boid, it returns the mask. For a SIMD vector, it is always true, and
 * lane_select() discards the results of lanes that are not in the mask.
 */
#pragma once
#define FLOCK_LANE_OPS_SCALAR_H

#if defined SIMD_OPS_H
#error "one boid or SIMD lanes: a source includes lane_ops_scalar.h or simd_ops.h"
#endif

#include "num.h"
#include "rng.h"

#include "flock/flock.h"

#define LANE_OP static inline __attribute__((always_inline))
/* For code that few flocks need. Such code is a separate function, so that it occupies no registers in the loops over
 * candidates. */
#define LANE_COLD static __attribute__((noinline, cold, unused))

typedef num lane;
typedef bool lane_mask;
typedef num_square lane_square;
typedef num_sum lane_sum;
typedef uint32_t lane_count;
typedef uint32_t lane_id; /* the id of a boid */
typedef uint64_t lane_bits;
typedef uint32_t lane_angle; /* an angle, in 2^-32 of a turn */

/* Masks. */

LANE_OP lane_mask lane_mask_set1(bool condition)
{
    return condition;
}

LANE_OP bool lane_worth_doing(lane_mask where)
{
    return where;
}

/** True if the mask is set in any lane; for rare cases, because it is a branch even for SIMD vectors. */
#define lane_any_of lane_worth_doing

LANE_OP lane_mask lane_and(lane_mask a, lane_mask b)
{
    return a && b;
}

LANE_OP lane_mask lane_and_not(lane_mask a, lane_mask b)
{
    return a && !b;
}

LANE_OP lane_mask lane_or(lane_mask a, lane_mask b)
{
    return a || b;
}

/* Numbers. For one boid, most operations are those of num_float.h or num_fixed.h, which describe them. */

#define lane_scale     num_scale
#define lane_less      num_less
#define lane_is_finite num_is_finite
#define lane_uniform   num_uniform

/* These three are functions: with other names for those of num_fixed.h, gcc inlines more calls of them, and the code of the board grows. */

LANE_OP lane lane_add(lane a, lane b)
{
    return num_add(a, b);
}

LANE_OP lane lane_subtract(lane a, lane b)
{
    return num_subtract(a, b);
}

LANE_OP lane_square lane_norm_squared(lane x, lane y)
{
    return num_norm_squared(x, y);
}

/** The same number in every lane. */
LANE_OP lane lane_set1(num a)
{
    return a;
}

LANE_OP lane lane_select(lane_mask where, lane yes, lane no)
{
    return where ? yes : no;
}

/** d = a - b; if it is longer than one period, whole periods are removed. */
LANE_OP lane lane_wrap_period(lane d, lane a, lane b, num period)
{
    /* Only initial states with agents outside the torus have such distances. */
    return num_less(period, num_absolute(d)) ? num_difference_modulo(a, b, period) : d;
}

/* Squares of lengths. They are compared with one square, which is the same for all lanes; lane_square_less_than() compares two squares that
 * vary by lane. */

#define lane_square_less       num_square_less
#define lane_square_less_than  num_square_less
#define lane_square_is_zero    num_square_is_zero
#define lane_square_is_finite  num_square_is_finite
#define lane_square_is_small   num_square_is_small
#define lane_square_is_lost    num_square_is_lost
#define lane_length            num_length
#define lane_sqrt_diff_squares num_sqrt_diff_squares

/** a > b. */
LANE_OP lane_mask lane_square_more(lane_square a, num_square b)
{
    return num_square_less(b, a);
}

/** `a`, multiplied by a power of two if its square is lost. `squared` is the square of `a` and becomes the square of the result. The result
 * is zero only if `a` is zero. */
LANE_OP struct flock_vec lane_vec_rescale(struct flock_vec a, lane_square *squared)
{
    if (!num_square_is_lost(*squared))
        return a;
    const num scale = num_square_rescale(*squared);
    const struct flock_vec scaled = {num_multiply(a.x, scale), num_multiply(a.y, scale)};
    *squared = num_norm_squared(scaled.x, scaled.y);
    return scaled;
}

/* Divisions of a vector by its length. `squared` is the squared length of `a`; it must not be zero in lanes whose
 * result is used. */

typedef struct flock_vec lane_vec;

/** `a` scaled to the length `to`. */
LANE_OP lane_vec lane_vec_scale_to(lane_vec a, lane to, lane_square squared)
{
    return (lane_vec){num_scale_to(a.x, to, squared), num_scale_to(a.y, to, squared)};
}

/** a / d. */
LANE_OP lane_vec lane_vec_over_length(lane_vec a, lane_square squared)
{
    return (lane_vec){num_over_length(a.x, squared), num_over_length(a.y, squared)};
}

/** a . b. */
LANE_OP lane lane_vec_dot(lane_vec a, lane_vec b)
{
    return num_dot(a.x, a.y, b.x, b.y);
}

/** a x b. */
LANE_OP lane lane_vec_cross(lane_vec a, lane_vec b)
{
    return num_cross(a.x, a.y, b.x, b.y);
}

/** a / d^2. */
LANE_OP lane_vec lane_vec_over_square(lane_vec a, lane_square squared)
{
    return (lane_vec){num_over_square(a.x, squared), num_over_square(a.y, squared)};
}

/** a / (d^4 + 1). */
LANE_COLD lane_vec lane_vec_over_quartic(lane_vec a, lane_square squared)
{
    return lane_vec_over_square(a, num_quartic(squared));
}

/** True if b points to the right of a: a.x b.y - a.y b.x < 0. */
LANE_OP lane_mask lane_is_right(lane_vec a, lane_vec b)
{
    return num_product_less(a.x, b.y, a.y, b.x);
}

/** True if b points backwards from a: a.x b.x + a.y b.y < 0. */
LANE_OP lane_mask lane_is_behind(lane_vec a, lane_vec b)
{
    return num_product_less(a.x, b.x, num_subtract(num_zero(), a.y), b.y);
}

/* Sums over neighbours, and the number of neighbours. */

#define lane_sum_zero           num_sum_zero
#define lane_sum_total          num_sum_total
#define lane_sum_mean           num_sum_mean /* the count must not be zero */
#define lane_sum_subtract_times num_sum_subtract_times

/** sum + a in the lanes of the mask. */
LANE_OP lane_sum lane_sum_add(lane_mask where, lane_sum sum, lane a)
{
    return where ? num_sum_add(sum, a) : sum;
}

/** sum - a in the lanes of the mask. */
LANE_OP lane_sum lane_sum_subtract(lane_mask where, lane_sum sum, lane a)
{
    return where ? num_sum_subtract(sum, a) : sum;
}

/** The same, but faster in SIMD. If `a` is not finite, the sum becomes NaN even in lanes outside of the mask. */
#define lane_sum_add_finite      lane_sum_add
#define lane_sum_subtract_finite lane_sum_subtract

/** A vector with the direction of (x, y). Both may be too large for a num (num_sums_fit). */
LANE_OP lane_vec lane_sums_direction(lane_sum x, lane_sum y)
{
    num_sums_fit(&x, &y);
    return (lane_vec){num_sum_total(x), num_sum_total(y)};
}

/** factor * (x, y). The product must be in the range of a num; x and y may be outside. */
LANE_OP lane_vec lane_sums_scale(num_factor factor, lane_sum x, lane_sum y)
{
    const int halvings = num_sums_fit(&x, &y);
    return (lane_vec){num_scale_doubled(factor, num_sum_total(x), halvings),
                      num_scale_doubled(factor, num_sum_total(y), halvings)};
}

LANE_OP lane_count lane_count_none(void)
{
    return 0;
}

LANE_OP lane_count lane_count_add(lane_mask where, lane_count count)
{
    return count + where;
}

LANE_OP lane_mask lane_count_is_some(lane_count count)
{
    return count != 0;
}

/* Ids. */

LANE_OP lane_mask lane_id_below(lane_id id, uint32_t limit)
{
    return id < limit;
}

LANE_OP lane_vec lane_vec_of_id(const struct flock_vec *vectors, lane_id id)
{
    return vectors[id];
}

/* Random numbers. */

/** The first 64 random bits of each boid in a step (rng.h). */
LANE_OP lane_bits lane_random_bits(struct flock_rng_key moment, lane_id id)
{
    struct flock_rng rng = flock_rng_of(moment, id);
    return flock_rng_next(&rng);
}

/* Angles. */

typedef lane_angle sincos_word;

LANE_OP sincos_word sincos_multiply(sincos_word a, sincos_word b)
{
    return (sincos_word)((num_product((int32_t)a, (int32_t)b) + (1 << 29)) >> 30);
}

#include "sincos.h"

/** The cosine and sine of an angle, in Q2.30. */
typedef struct flock_direction lane_sincos;

LANE_OP lane_sincos lane_sincos_set1(struct flock_direction point)
{
    return point;
}

LANE_OP lane_sincos lane_sincos_of(lane_angle turns)
{
    const struct sincos_point point = sincos_at(turns);
    return (lane_sincos){(int32_t)point.cosine, (int32_t)point.sine};
}

/** A random angle from the upper half of a random word, uniform between -`width`/2 and `width`/2 (in 2^-32 of a turn). */
LANE_OP lane_angle lane_angle_within(lane_bits draws, uint64_t width)
{
    return (lane_angle)(((int64_t)(int32_t)(draws >> 32) * (int64_t)width) >> 32);
}

/** A random angle from the lower half of a random word, uniform in the full circle. */
LANE_OP lane_angle lane_angle_any(lane_bits draws)
{
    return (lane_angle)draws;
}

/** `a`, rotated. */
LANE_OP lane_vec lane_vec_turn(lane_vec a, lane_sincos by)
{
    return (lane_vec){num_turned_x(a.x, a.y, by.cosine, by.sine),
                      num_turned_x(a.y, a.x, by.cosine, -by.sine)};
}

/** A vector with this length and direction. */
LANE_OP lane_vec lane_vec_along(num length, lane_sincos direction)
{
    return (lane_vec){num_component(length, direction.cosine), num_component(length, direction.sine)};
}

#include "lane_vec2.h"
