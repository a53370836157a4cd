/* The main loop: start the board, step the flock of flock_state.h, show and report it. */
#ifndef MAIN_H
#define MAIN_H

/** Called on core 0 after RAM is initialised. Never returns. */
void main_loop(void) __attribute__((noreturn));

#endif
