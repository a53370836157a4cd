/* What the firmware does: start the board, fly the flock that flight.h holds, show it, report it. */
#ifndef BOARD_H
#define BOARD_H

/** Called on core 0 when RAM is ready. Never returns. */
void board_fly(void) __attribute__((noreturn));

#endif
