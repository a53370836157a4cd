/* Sine, cosine and angle, computed only with + - * / and square root.
 *
 * The C library's functions differ between machines in the last bit; these do not. Angles are in turns: 1 is a full
 * revolution. The relative error is about 10^-15.
 */
#pragma once

#include <stddef.h>

struct sincos {
    double cosine, sine;
};

/** Cosine and sine of an angle of -2^20 to 2^20 turns. */
struct sincos sincos_f64(double turns);

/** Cosines and sines of many angles; the arrays do not overlap. */
void sincos_f64_all(const double *restrict turns, size_t count, double *restrict cosines,
                    double *restrict sines);

/** The angle of the direction from the origin to `point`, in [0, 1). The point may be anywhere except at the origin. */
double sincos_f64_angle(struct sincos point);
