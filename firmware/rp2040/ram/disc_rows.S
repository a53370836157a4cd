/* The walk of disc_sum.c over rows of cells in one direction, with one function for each size of cells. It takes
 * about 80 cycles per row.
 *
 *     void disc_rows_small(struct row_walk *walk, const uint16_t *row, const int32_t *wide, int32_t x, int32_t stride)
 *
 *     r0   the row            r3      where the next run goes              r8 to r11   walk->inside
 *     r1   wide               r4, r7  where the row begins, ends           r12         running
 *     r2   x                  r5, r6  where the cells inside begin, end    lr          walk->count
 *
 * On the stack: walk, saved registers, stride. Slots are given as byte offsets; each slot has sixteen bytes.
 */
#include "assembly.inc"
#include "configuration.h"

#if DISC_SUM_IS_ON
    .equ SAVED_STRIDE, 40
    .equ WALK_COUNT, 16
    .equ WALK_RUNNING, 20
    .equ WALK_END, 24
    .equ SURE, 36
    .equ NEXT_WIDE, 32

    .macro add_difference sum offset
    ldr r4, [r6, #\offset]
    ldr r7, [r5, #\offset]
    subs r4, r4, r7
    add \sum, r4
    .endm

    .macro walk_rows name cell
    function \name
    save_registers "r0,"
    ldmia r0!, {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    ldmia r0!, {r4-r6}
    mov lr, r4
    mov r12, r5
    mov r0, r1
    mov r1, r2
    mov r2, r3
    mov r3, r6

next_row\@:
    ldr r5, [r1]
    cmp r5, #0
    blt done\@
    subs r4, r2, r5
    asrs r4, r4, #\cell
    lsls r4, r4, #1
    ldrh r4, [r0, r4]
    adds r5, r2, r5
    asrs r5, r5, #\cell
    lsls r5, r5, #1
    adds r5, r0, r5
    ldrh r7, [r5, #2]
    cmp r4, r7
    beq go_on\@
    ldr r6, [r1, #SURE]
    cmp r6, #0
    blt no_inside\@
    /* Rounded up: -((sure - x) >> CELL). */
    subs r5, r6, r2
    asrs r5, r5, #\cell
    rsbs r5, r5, #0
    adds r6, r6, r2
    asrs r6, r6, #\cell
    cmp r5, r6
    bge no_inside\@
    lsls r5, r5, #1
    ldrh r5, [r0, r5]
    lsls r6, r6, #1
    ldrh r6, [r0, r6]
    cmp r4, r5
    beq 1f
    stmia r3!, {r4, r5}
1:  cmp r6, r7
    beq 2f
    stmia r3!, {r6, r7}
2:  subs r4, r6, r5
    beq go_on\@
    add lr, r4
    add r5, r12
    add r6, r12
    add_difference r8, 0
    add_difference r9, 4
    add_difference r10, 8
    add_difference r11, 12
go_on\@:
    adds r1, r1, #NEXT_WIDE
    ldr r4, [sp, #SAVED_STRIDE]
    adds r0, r0, r4
    b next_row\@
no_inside\@:
    stmia r3!, {r4, r7}
    b go_on\@

done\@:
    pop {r0}
    str r3, [r0, #WALK_END]
    mov r7, lr
    str r7, [r0, #WALK_COUNT]
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    stmia r0!, {r4-r7}
    restore_registers
    .endm

    .equ LARGE, DISC_SUM_CELL + 1
    walk_rows disc_rows_small, DISC_SUM_CELL
    walk_rows disc_rows_large, LARGE
#endif
