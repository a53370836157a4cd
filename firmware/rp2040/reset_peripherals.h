/* A debugger that loads a new image resets only one core. Without the reset in this file, core 1, DMA and the state
 * machines of the previous image would continue, and write to RAM that the new image uses. */
#ifndef RESET_PERIPHERALS_H
#define RESET_PERIPHERALS_H

/** Stop all peripherals that this firmware uses. This is the first function that runs; it uses no RAM except the
 * stack. */
void reset_peripherals(void);

#endif
