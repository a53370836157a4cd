/* The nearest multiple of a quarter turn is subtracted from an angle; this is exact. The rest is at most an eighth of a turn, so a short
 * Taylor series is enough. The angle of a point is found by iteration: if a guess differs from the angle by a small d, the distance of the
 * point from the ray at the guessed angle is sin(d). Adding sin(d) to the guess leaves an error of d - sin(d), about d^3 / 6.
 */
#include "sincos_f64.h"

#include "base/double_bits.h"

#include <math.h>
#include <stdint.h>

#define FULL_TURN 6.283185307179586476925286766559

/* Taylor series up to a^17 / 17! and a^16 / 16!. For |a| <= pi/4, the omitted terms are below half of the last bit. */
static inline struct sincos near_zero(double a)
{
    static const double sines[] = {1.0,
                                   -1.0 / 6,
                                   1.0 / 120,
                                   -1.0 / 5040,
                                   1.0 / 362880,
                                   -1.0 / 39916800,
                                   1.0 / 6227020800,
                                   -1.0 / 1307674368000,
                                   1.0 / 355687428096000};
    static const double cosines[] = {1.0,
                                     -1.0 / 2,
                                     1.0 / 24,
                                     -1.0 / 720,
                                     1.0 / 40320,
                                     -1.0 / 3628800,
                                     1.0 / 479001600,
                                     -1.0 / 87178291200,
                                     1.0 / 20922789888000};
    const double z = a * a;
    double sine = 0, cosine = 0;
    for (int k = 8; k >= 0; k--) {
        sine = sines[k] + z * sine;
        cosine = cosines[k] + z * cosine;
    }
    return (struct sincos){cosine, a * sine};
}

/* Adding this number to a double rounds the double to a whole number, because neighbouring doubles near this number
 * differ by 1. The whole number is then in the lowest bits of the sum. */
static const double whole = 0x1.8p52;

/* This function has no branches, so that compilers can vectorise loops that call it. An odd quarter swaps sine and
 * cosine, and in two of the four quarters a sign changes. */
static inline struct sincos point_at(double turns)
{
    const double rounded = 4 * turns + whole;
    const struct sincos p = near_zero((turns - (rounded - whole) / 4) * FULL_TURN);
    const uint64_t quarter = double_to_bits(rounded), is_odd = -(quarter & 1);
    const uint64_t change = (double_to_bits(p.cosine) ^ double_to_bits(p.sine)) & is_odd;
    return (struct sincos){bits_to_double(double_to_bits(p.cosine) ^ change ^ ((quarter + 1) & 2) << 62),
                           bits_to_double(double_to_bits(p.sine) ^ change ^ (quarter & 2) << 62)};
}

struct sincos sincos_f64(double turns)
{
    return point_at(turns);
}

void sincos_f64_all(const double *restrict turns, size_t count, double *restrict cosines,
                    double *restrict sines)
{
    for (size_t i = 0; i < count; i++) {
        const struct sincos p = point_at(turns[i]);
        cosines[i] = p.cosine;
        sines[i] = p.sine;
    }
}

/* The first guess is the position along the square |x| + |y| = 1 instead of the circle. Its error is at most 0.012
 * turns. */
double sincos_f64_angle(struct sincos point)
{
    const double x = point.cosine, y = point.sine, length = sqrt(x * x + y * y);
    double turns;
    if (y >= 0)
        turns = (x >= 0 ? y / (x + y) : 1 - x / (y - x)) / 4;
    else
        turns = (x < 0 ? 2 + y / (x + y) : 3 + x / (x - y)) / 4;
    for (int i = 0; i < 3; i++) {
        const struct sincos ray = sincos_f64(turns);
        turns += (y * ray.cosine - x * ray.sine) / length / FULL_TURN;
    }
    return turns - floor(turns);
}
