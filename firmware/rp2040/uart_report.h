/* Output on the UART, which README.md explains: a line every SIM_REPORT steps or, with SIM_FRAMES, a frame as CSV. */
#ifndef REPORT_H
#define REPORT_H

#include "led_and_watchdog.h"

#include <stdint.h>

void report_begin(enum restart_cause cause);

/** Begin the hash for the line about a step, if there is one. */
void report_prepare(uint32_t step);

/** Switch the lines about steps off, or on again. */
void report_switch(void);

/** Send the line about a step at once. */
void report_now(uint32_t step, uint32_t late);

/** Complete the hash that is being computed, if any, and send its line. */
void report_flush(void);

/** Call this after every step. */
void report_step(uint32_t step, uint32_t cycles, uint32_t late);

#endif
