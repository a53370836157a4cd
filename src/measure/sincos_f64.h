/* Sine, cosine and angle from + - * / and square root alone.
 *
 * The C library's differ between machines in the last bit; these do not. Angles are in turns: 1 is all the way round.
 * All are right to about one part in 10^15.
 */
#ifndef SINCOS_F64_H
#define SINCOS_F64_H

#include <stddef.h>

struct sincos {
    double cosine, sine;
};

/** The point of the unit circle at an angle of -2^20 to 2^20 turns. */
struct sincos sincos_f64(double turns);

/** The points at many angles; the arrays do not overlap. */
void sincos_f64_all(const double *restrict turns, size_t count, double *restrict cosines,
                    double *restrict sines);

/** The angle of a direction, 0 up to but not including 1; `point` need not lie on the unit circle, but not at 0. */
double sincos_f64_angle(struct sincos point);

#endif
