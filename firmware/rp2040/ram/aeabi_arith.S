/* The functions that the compiler calls for products and quotients, in place of those of libgcc. Quotients use the
 * divider in the SIO; each core has one. Its state is not saved, because there are no interrupts. */
#include "assembly.inc"

/* r0 / r1; the remainder in r1. */
    .macro divide dividend divisor
    ldr r2, =SIO_DIV
    str r0, [r2, #\dividend]
    str r1, [r2, #\divisor]
    await_divider
    ldr r1, [r2, #REMAINDER]
    ldr r0, [r2, #QUOTIENT]
    bx lr
    .ltorg
    .endm

function __aeabi_uidivmod
    .global __aeabi_uidiv
    .thumb_set __aeabi_uidiv, __aeabi_uidivmod
    divide UDIVIDEND UDIVISOR

function __aeabi_idivmod
    .global __aeabi_idiv
    .thumb_set __aeabi_idiv, __aeabi_idivmod
    divide SDIVIDEND SDIVISOR

/* r1:r0 / r3:r2; the remainder in r3:r2. */
function __aeabi_uldivmod
    push {r0-r3, r4, lr}
    bl divide_wide
    b finish_wide

/* Signed division. Most numbers fit into 32 bits, and most divisors are positive; other numbers are divided without
 * their signs. */
function __aeabi_ldivmod
    push {r4}
    asrs r4, r0, #31
    cmp r4, r1
    bne 2f
    asrs r4, r2, #31
    orrs r4, r3
    bne 2f
    pop {r4}
    ldr r3, =SIO_DIV
    str r0, [r3, #SDIVIDEND]
    str r2, [r3, #SDIVISOR]
    await_divider
    ldr r2, [r3, #REMAINDER]
    ldr r0, [r3, #QUOTIENT]
    asrs r1, r0, #31
    asrs r3, r2, #31
    bx lr
2:  pop {r4}
    push {r0-r3, r4, lr}
    bl divide_wide_signed

/* The remainder is n - q * d; n and d are on the stack. */
finish_wide:
    push {r0, r1}
    ldr r2, [sp, #16]
    ldr r3, [sp, #20]
    bl __aeabi_lmul
    ldr r2, [sp, #8]
    ldr r3, [sp, #12]
    subs r2, r2, r0
    sbcs r3, r1
    pop {r0, r1}
    add sp, #16
    pop {r4, pc}
    .ltorg

/* r1:r0 * r3:r2, the lower 64 bits. Halves of 16 bits, a and b of the lower words:
 *
 *     al * bl + (ah * bl + al * bh) * 2^16 + ah * bh * 2^32 + (r1 * r2 + r0 * r3) * 2^32
 */
function __aeabi_lmul
    push {r4, r5, lr}
    muls r3, r0, r3
    muls r1, r2, r1
    adds r1, r1, r3
    lsrs r3, r0, #16
    uxth r0, r0
    lsrs r4, r2, #16
    uxth r2, r2
    movs r5, r3
    muls r5, r4, r5
    adds r1, r1, r5
    muls r4, r0, r4
    muls r0, r2, r0
    muls r3, r2, r3
    movs r5, #0
    adds r3, r3, r4
    adcs r5, r5
    lsls r5, r5, #16
    adds r1, r1, r5
    lsls r4, r3, #16
    lsrs r5, r3, #16
    adds r0, r0, r4
    adcs r1, r5
    pop {r4, r5, pc}
