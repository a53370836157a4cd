/* The main loop: it starts the board, and then steps, draws and reports the flock of sim.h. */
#ifndef MAIN_H
#define MAIN_H

/** Called on core 0 after RAM is initialised. Never returns. */
void main_loop(void) __attribute__((noreturn));

#endif
