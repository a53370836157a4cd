/* A Cortex-M0+, one instruction at a time: ARMv6-M as the board's compiler uses it, without exceptions.
 *
 * Cycles are those that rp2040js counts, and one more for each push of lr: loads and stores 2, fewer on the core's own bus, more
 * on that of peripherals; taken branches 2; products 1. Waiting for flash or a bridge is not modelled, for a bank of RAM only on
 * request.
 */
#ifndef THUMB_H
#define THUMB_H

#include <stdbool.h>
#include <stdint.h>

struct board;

struct thumb {
    uint32_t r[16]; /* r[15] is the instruction after the current one */
    bool n, z, c, v;
    uint64_t cycles, until; /* the clock, and the time at which the other core runs */
    uint32_t number;
    struct board *board;
};

enum { SRAM_BYTES = 264 * 1024, FLASH_BYTES = 2048 * 1024 };

/** Memory, in the order of the core's words. */
struct memory {
    uint8_t flash[FLASH_BYTES], sram[SRAM_BYTES];
};

/** Execute instructions until the core's clock is at `until`, or at `core->until` if that was set to less since. */
void thumb_run(struct thumb *core, struct memory *memory, uint64_t until);

/** Access to addresses outside flash and RAM: registers, by words. */
uint32_t board_read(struct thumb *core, uint32_t address);
void board_write(struct thumb *core, uint32_t address, uint32_t value);

/** The firmware cannot continue: print the reason and end the program. */
void board_stop(const struct thumb *core, const char *why) __attribute__((noreturn));

#endif
