/* What the firmware does: start the board, fly the flock that flock_state.h holds, show it, report it. */
#ifndef MAIN_H
#define MAIN_H

/** Called on core 0 when RAM is ready. Never returns. */
void main_loop(void) __attribute__((noreturn));

#endif
