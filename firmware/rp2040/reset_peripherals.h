/* Silence. A debugger that loads a new image resets a core and nothing else: the second core, DMA and the state machines of
 * the image before go on, in RAM that is about to be another's. */
#ifndef RESET_PERIPHERALS_H
#define RESET_PERIPHERALS_H

/** Stop all that this firmware uses. To be called first of all; it reads and writes no RAM but the stack. */
void reset_peripherals(void);

#endif
