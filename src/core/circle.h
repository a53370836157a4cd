/* The circle in whole numbers: cosine and sine of an angle, the same bits in every arithmetic, in SIMD vectors and on the board.
 *
 * An angle counts 2^-32 of a turn in 32 bits, so that it wraps around by itself; cosine and sine are Q2.30. Polynomials of our
 * own (minimax, odd of degree 9 and even of degree 8) serve an eighth of a turn to either side of the nearest quarter turn; the
 * largest error is 3.1e-9, also of the length.
 *
 * Written once against two words that whoever includes this has defined: circle_word, an unsigned number or a vector of them
 * whose lower 32 bits count, and circle_round(a, b), which is a b / 2^30, signed and to the nearest.
 */
#ifndef FLOCK_CIRCLE_H
#define FLOCK_CIRCLE_H

struct circle_point {
    circle_word cosine, sine;
};

/** a, or -a where `mask` is all ones and not 0. */
LANE_OP circle_word circle_sign(circle_word a, circle_word mask)
{
    return (a ^ mask) - mask;
}

LANE_OP struct circle_point circle_at(circle_word turns)
{
    const circle_word zero = turns ^ turns;
    const circle_word quarter = ((turns + (UINT32_C(1) << 29)) & UINT32_MAX) >> 30;
    /* From the nearest quarter turn on, in eighths of a turn: -1 to 1 in Q30. */
    const circle_word t = (turns - (quarter << 30)) << 1;
    const circle_word z = circle_round(t, t);
    circle_word s = zero + 332, c = zero + 3792;
    s = circle_round(s, z) - 39269;
    s = circle_round(s, z) + 2674039;
    s = circle_round(s, z) - 86699833;
    s = circle_round(s, z) + 843314857;
    s = circle_round(s, t);
    c = circle_round(c, z) - 349978;
    c = circle_round(c, z) + 17023455;
    c = circle_round(c, z) - 331168968;
    c = circle_round(c, z) + 1073741824;
    /* Quarter 1 is (-s, c), 2 is (-c, -s), 3 is (s, -c). */
    const circle_word swap = (c ^ s) & (zero - (quarter & 1));
    return (struct circle_point){circle_sign(c ^ swap, zero - (((quarter + 1) >> 1) & 1)),
                                 circle_sign(s ^ swap, zero - (quarter >> 1))};
}

#endif
