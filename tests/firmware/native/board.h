/* A board in software, some ten times faster than rp2040js: two cores, the registers that the firmware touches, and pictures
 * as far as their sync pulses. test_speed.mjs compares it with rp2040js.
 *
 * A core that waits for the timer, a pulse or the other core skips to the next event.
 */
#ifndef BOARD_H
#define BOARD_H

#include "thumb.h"

enum { BOARD_WORDS = 4096, BOARD_DEPTH = 8, BOARD_LINE = 256 };

struct mailbox {
    uint32_t words[BOARD_DEPTH], count;
};

struct divider {
    uint32_t dividend, divisor, quotient, remainder;
};

struct bank {
    uint64_t cycle; /* of the last access */
    uint32_t core;
};

struct board {
    struct thumb cores[2];
    struct memory memory;
    struct mailbox inbox[2];
    struct divider dividers[2];
    bool is_launched;
    uint32_t launch[6], launch_count;
    uint32_t locks;
    /* What was written to a peripheral, by a hash of its address. */
    struct {
        uint32_t address, value;
    } registers[BOARD_WORDS];
    uint64_t uart_free; /* the cycle at which the UART has sent all it was given */
    uint64_t video_begun;
    void (*line)(struct board *board, const char *line);  /* called for each line on the UART */
    void (*picture)(struct board *board, uint64_t pulse); /* called when the firmware detects a pulse */
    uint64_t pulse;
    bool is_contended; /* cores wait for each other at banks of RAM */
    struct bank banks[6];
    uint32_t stalls;         /* a seed: cores stop for random whiles; 0: they do not */
    uint32_t timer_asked[2]; /* by which instruction, of each core */
    char text[BOARD_LINE];
    uint32_t length;
};

/** An image in flash, about to start at its vectors; NULL when the file cannot be read. To be freed. */
struct board *board_create(const char *image);

/** MHz, as the PLL is set. */
double board_clock(struct board *board);

/** Cycles of a line of the picture, and of a frame. */
double board_line(struct board *board);

/** Bytes at the bottom of a core's stack that nothing was written to. */
uint32_t board_stack_free(const struct board *board, uint32_t core);

/** Run both cores for a moment. */
void board_run(struct board *board);

#endif
