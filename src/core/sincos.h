/* Cosine and sine in integers: the same bits for every number type, in SIMD vectors and on the board.
 *
 * An angle is a 32-bit integer in units of 2^-32 of a turn, so it wraps around at a full turn. Cosine and sine are
 * Q2.30. Two minimax polynomials of our own (odd, degree 9; even, degree 8) are used up to an eighth of a turn from
 * the nearest quarter turn. The errors of each value and of the length of the vector (cosine, sine) are at most
 * 3.1e-9.
 *
 * Before you include this header, define two names. sincos_word is an unsigned integer or a vector of them; only the
 * lower 32 bits are used. sincos_multiply(a, b) is the signed product a b / 2^30, rounded to nearest.
 */
#pragma once

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
    /* The difference from the nearest quarter turn, in units of an eighth of a turn: from -1 to 1, in Q2.30. */
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
    /* If c and s are the cosine and sine of this difference, the result (cosine, sine) is (c, s) in quarter 0, (-s,
     * c) in quarter 1, (-c, -s) in quarter 2 and (s, -c) in quarter 3. */
    const sincos_word swap = (c ^ s) & (zero - (quarter & 1));
    return (struct sincos_point){sincos_sign(c ^ swap, zero - (((quarter + 1) >> 1) & 1)),
                                 sincos_sign(s ^ swap, zero - (quarter >> 1))};
}
