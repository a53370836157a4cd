/* LED and watchdog. The LED of the board changes about once per second while steps are made. The watchdog restarts
 * the board if it is not reset for two seconds. Each piece of a step resets it, so a step may take longer. After a
 * fault, the LED flickers until the restart.
 */
#ifndef LED_AND_WATCHDOG_H
#define LED_AND_WATCHDOG_H

#include "rp2040.h"

#include <stdint.h>

enum { LED_PIN = 25 };

/** Why the board was started. */
enum restart_cause { RESTART_POWER, RESTART_TIMEOUT, RESTART_FAULT };

/** Start the watchdog. @return why the board was started. */
enum restart_cause watchdog_start(void);

/** The address of the fault, after RESTART_FAULT. */
uint32_t watchdog_fault_address(void);

/** Restart the countdown of two seconds. The watchdog counts down by two per microsecond (erratum RP2040-E1). */
static inline void watchdog_feed(void)
{
    REGISTER(WATCHDOG_LOAD) = 2 * 2000000;
}

/** Switch the LED on or off, depending on the time. */
void led_beat(void);

/** Let the LED flicker until the watchdog restarts the board; `address` is the address of the fault. */
void watchdog_await_restart(uint32_t address) __attribute__((noreturn));

#endif
