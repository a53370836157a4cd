/* A sign of life, and what happens without one: the LED of the board changes with the steps, and a watchdog starts the board
 * anew when none has come for two seconds. After a fault the LED flickers until then.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdint.h>

/** Why the board was started. */
enum guard_cause { GUARD_POWER, GUARD_STILL, GUARD_FAULT };

/** Start the watchdog; what it was that started the board. */
enum guard_cause guard_start(void);

/** Where the fault was, after GUARD_FAULT. */
uint32_t guard_fault_address(void);

/** All is well for another two seconds. */
void guard_feed(void);

/** The LED on, or off. */
void guard_show(uint32_t is_on);

/** Flicker until the watchdog bites; `address` is where the fault was. */
void guard_fault(uint32_t address) __attribute__((noreturn));

#endif
