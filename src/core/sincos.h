/* The circle in whole numbers: cosine and sine of an angle, the same bits in every arithmetic, in SIMD vectors and on the board.
 *
 * An angle counts 2^-32 of a turn in 32 bits, so that it wraps around by itself; cosine and sine are Q2.30. Our own
 * polynomials (minimax; an odd one of degree 9, an even one of degree 8) cover an eighth of a turn on either side of
 * the nearest quarter turn; the largest error is 3.1e-9, both of each value and of the length of the vector (cosine,
 * sine).
 *
 * Written once against two words that whoever includes this has defined: sincos_word, an unsigned number or a vector of them
 * whose lower 32 bits count, and sincos_multiply(a, b), which is a b / 2^30, signed and to the nearest.
 */
#ifndef FLOCK_SINCOS_H
#define FLOCK_SINCOS_H

struct sincos_point {
    sincos_word cosine, sine;
};

/** a, or -a if `mask` is all ones. */
LANE_OP sincos_word sincos_sign(sincos_word a, sincos_word mask)
{
    return (a ^ mask) - mask;
}

LANE_OP struct sincos_point sincos_at(sincos_word turns)
{
    const sincos_word zero = turns ^ turns;
    const sincos_word quarter = ((turns + (UINT32_C(1) << 29)) & UINT32_MAX) >> 30;
    /* The angle measured from the nearest quarter turn, in units of an eighth of a turn: -1 to 1, as Q30. */
    const sincos_word t = (turns - (quarter << 30)) << 1;
    const sincos_word z = sincos_multiply(t, t);
    sincos_word s = zero + 332, c = zero + 3792;
    s = sincos_multiply(s, z) - 39269;
    s = sincos_multiply(s, z) + 2674039;
    s = sincos_multiply(s, z) - 86699833;
    s = sincos_multiply(s, z) + 843314857;
    s = sincos_multiply(s, t);
    c = sincos_multiply(c, z) - 349978;
    c = sincos_multiply(c, z) + 17023455;
    c = sincos_multiply(c, z) - 331168968;
    c = sincos_multiply(c, z) + 1073741824;
    /* With c and s the cosine and sine of the remaining angle, the result (cosine, sine) is (-s, c) in quarter 1,
     * (-c, -s) in quarter 2 and (s, -c) in quarter 3. */
    const sincos_word swap = (c ^ s) & (zero - (quarter & 1));
    return (struct sincos_point){sincos_sign(c ^ swap, zero - (((quarter + 1) >> 1) & 1)),
                                 sincos_sign(s ^ swap, zero - (quarter >> 1))};
}

#endif
