/* A debugger that loads a new image resets only one core: core 1, DMA and the state machines of the previous image
 * would continue, and write to RAM that the new image uses. */
#ifndef RESET_PERIPHERALS_H
#define RESET_PERIPHERALS_H

/** Stop everything that this firmware uses. Called before anything else; it uses no RAM but the stack. */
void reset_peripherals(void);

#endif
