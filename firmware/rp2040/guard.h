/* LED and watchdog. The LED of the board changes with the steps. The watchdog restarts the board if it is not fed for two
 * seconds; each piece of a step feeds it, so a step may take longer. After a fault the LED flickers until the restart.
 */
#ifndef GUARD_H
#define GUARD_H

#include "rp2040.h"

#include <stdint.h>

/** Why the board was started. */
enum guard_cause { GUARD_POWER, GUARD_STILL, GUARD_FAULT };

/** Start the watchdog; what it was that started the board. */
enum guard_cause guard_start(void);

/** Where the fault was, after GUARD_FAULT. */
uint32_t guard_fault_address(void);

/** Restart the countdown of two seconds. The watchdog counts down two for each microsecond (erratum RP2040-E1). */
static inline void guard_feed(void)
{
    REGISTER(WATCHDOG_LOAD) = 2 * 2000000;
}

/** The LED on, or off. */
void guard_show(uint32_t is_on);

/** Flicker until the watchdog bites; `address` is where the fault was. */
void guard_fault(uint32_t address) __attribute__((noreturn));

#endif
