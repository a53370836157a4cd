/* Output on the UART: lines about steps, or whole frames.
 *
 *     # title
 *     # configuration HASH, fixed, boids N, predators P, cores C
 *     # CAUSE                       if the watchdog restarted the board
 *     STEP HASH CYCLES WORST LATE   every SIM_REPORT steps; HASH is that of `boids --hash`
 *
 * CYCLES is the time from one picture until the next one is ready, WORST its maximum since the previous line, LATE the
 * number of pictures that missed their sync pulse.
 *
 * With SIM_FRAMES the UART carries CSV instead, one frame every SIM_FRAMES steps, as `boids -o FILE.csv` writes it.
 */
#ifndef REPORT_H
#define REPORT_H

#include "watchdog.h"

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
