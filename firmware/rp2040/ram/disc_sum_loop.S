/* The innermost loop of disc_sum.c: it adds up the boids within a disc. Its candidates are in several runs of slots. The loop
 * takes about 26 cycles for a boid inside the disc, and 17 for a boid outside it.
 *
 *     r0   the next slot        r8, r9     sums of offsets       r12   where the run ends
 *     r1   number of boids      r10, r11   sums of velocities    lr    circle->beyond
 *     r2, r3   at               r4 to r7   the current boid
 *
 * On the stack: the next run, the last one, the first slot, saved registers, circle, sum.
 */
#include "assembly.inc"
#include "configuration.h"

    .equ SAVED_CIRCLE, 48
    .equ SAVED_SUM, 52
    .equ CIRCLE_BEYOND, 8
    .equ CIRCLE_SLOTS, 12
    .equ SLOTS, 8
    .equ BAND_BITS, 17

function disc_sum_loop
    save_registers
    sub sp, #12
    str r0, [sp]
    str r1, [sp, #4]
    ldr r4, [sp, #SAVED_CIRCLE]
    ldr r5, [r4, #CIRCLE_SLOTS]
    str r5, [sp, #SLOTS]
    ldr r4, [r4, #CIRCLE_BEYOND]
    mov lr, r4
    movs r1, #0
    mov r8, r1
    mov r9, r1
    mov r10, r1
    mov r11, r1

next_run:
    ldr r6, [sp]
    ldr r7, [sp, #4]
    cmp r6, r7
    beq done
    ldmia r6!, {r0, r7}
    str r6, [sp]
    ldr r6, [sp, #SLOTS]
    adds r0, r0, r6
    adds r7, r7, r6
    mov r12, r7

next_boid:
    ldmia r0!, {r4, r5}
    subs r4, r4, r2
    subs r5, r5, r3
    asrs r6, r4, #DISC_SUM_UNIT
    muls r6, r6, r6
    asrs r7, r5, #DISC_SUM_UNIT
    muls r7, r7, r7
    adds r6, r6, r7
    cmp r6, lr
    bge beyond
    mov r7, lr
    subs r7, r7, r6
    lsrs r7, r7, #BAND_BITS
    beq unsure
within:
    ldmia r0!, {r6, r7}
    add r8, r4
    add r9, r5
    add r10, r6
    add r11, r7
    adds r1, r1, #1
    cmp r0, r12
    bne next_boid
    b next_run
beyond:
    adds r0, r0, #8
    cmp r0, r12
    bne next_boid
    b next_run

unsure:
    push {r0-r3}
    mov r6, r12
    mov r7, lr
    mov r0, r4
    mov r1, r5
    ldr r2, [sp, #SAVED_CIRCLE + 16]
    bl disc_contains
    mov r12, r6
    mov lr, r7
    cmp r0, #0
    pop {r0-r3}
    bne within
    b beyond

done:
    ldr r0, [sp, #SAVED_SUM]
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    stmia r0!, {r4-r7}
    str r1, [r0]
    add sp, #12
    restore_registers
