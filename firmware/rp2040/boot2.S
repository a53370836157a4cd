/* The second stage of booting: 252 bytes and a checksum at the start of flash, which the boot ROM copies to the end
 * of SRAM and runs there. It configures the interface to flash memory so that the processor can read it like other
 * memory. It uses the slow command 03h, which every flash chip supports; time-critical code is copied to RAM anyway.
 * Then it starts the program that follows it in flash. */
    .syntax unified

    .equ XIP_SSI, 0x18000000
    .equ SSI_CTRLR0, 0x00
    .equ SSI_CTRLR1, 0x04
    .equ SSI_SSIENR, 0x08
    .equ SSI_BAUDR, 0x14
    .equ SSI_SPI_CTRLR0, 0x180000f4
    /* Frames of 32 bits, one data line, and the transfer mode "EEPROM read", which sends a command and then reads. */
    .equ CTRLR0, (31 << 16) | (3 << 8)
    /* Command 03h of 8 bits, 24 bits of address. */
    .equ SPI_CTRLR0, (0x03 << 24) | (2 << 8) | (6 << 2)
    .equ VECTORS, 0x10000100
    .equ VTOR, 0xe000ed08

    .section .boot2, "ax"
    .global boot2
    .thumb_func
boot2:
    ldr r3, =XIP_SSI
    movs r1, #0
    str r1, [r3, #SSI_SSIENR]
    /* An eighth of the system clock. The command is safe up to 50 MHz, and the clock may still be 250 MHz after a
     * reset by a debugger. */
    movs r2, #8
    str r2, [r3, #SSI_BAUDR]
    ldr r2, =CTRLR0
    str r2, [r3, #SSI_CTRLR0]
    str r1, [r3, #SSI_CTRLR1]
    ldr r2, =SPI_CTRLR0
    ldr r0, =SSI_SPI_CTRLR0
    str r2, [r0]
    movs r1, #1
    str r1, [r3, #SSI_SSIENR]

    ldr r0, =VECTORS
    ldr r1, =VTOR
    str r0, [r1]
    ldmia r0!, {r1, r2}
    msr msp, r1
    bx r2
    .ltorg
