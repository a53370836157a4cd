/* See num_fixed_m0plus.h. Halves of 16 bits, the upper ones signed:
 *
 *     a * b = al * bl + (ah * bl + al * bh) * 2^16 + ah * bh * 2^32
 */
#include "assembly.inc"

/* r1:r0 = r0 * r1; r2 to r4 are lost. */
    .macro product
    asrs r2, r0, #16
    uxth r0, r0
    asrs r3, r1, #16
    uxth r1, r1
    movs r4, r0
    muls r4, r3, r4
    muls r3, r2, r3
    muls r2, r1, r2
    muls r0, r1, r0
    asrs r1, r4, #16
    lsls r4, r4, #16
    adds r0, r0, r4
    adcs r1, r3
    asrs r3, r2, #16
    lsls r2, r2, #16
    adds r0, r0, r2
    adcs r1, r3
    .endm

function num_product
    push {r4}
    product
    pop {r4}
    bx lr

/* Round: add half of 2^30, and keep the 34 bits above the lowest 30, of which 32 are needed. */
function m0plus_weigh
    push {r4}
    product
    movs r2, #1
    lsls r2, r2, #29
    adds r0, r0, r2
    movs r2, #0
    adcs r1, r2
    lsls r1, r1, #2
    lsrs r0, r0, #30
    orrs r0, r1
    pop {r4}
    bx lr

/* x^2 + y^2: each is l^2 + 2 * h * l * 2^16 + h^2 * 2^32. */
    .macro add_square of
    asrs r4, \of, #16
    uxth \of, \of
    movs r5, \of
    muls r5, r4, r5
    muls r4, r4, r4
    muls \of, \of, \of
    adds r2, r2, \of
    adcs r3, r4
    lsls r4, r5, #17
    asrs r5, r5, #15
    adds r2, r2, r4
    adcs r3, r5
    .endm

function m0plus_norm_squared
    push {r4, r5}
    movs r2, #0
    movs r3, #0
    add_square r0
    add_square r1
    movs r0, r2
    movs r1, r3
    pop {r4, r5}
    bx lr

/* Most sums fit into 32 bits, and counts are not negative. The divider takes eight cycles. */
function m0plus_mean
    asrs r3, r0, #31
    cmp r3, r1
    bne 2f
    ldr r3, =SIO_DIV
    str r0, [r3, #SDIVIDEND]
    str r2, [r3, #SDIVISOR]
    await_divider
    ldr r0, [r3, #QUOTIENT]
    bx lr
2:  ldr r3, =m0plus_wide_mean
    bx r3
    .ltorg
