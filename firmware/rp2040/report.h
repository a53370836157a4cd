/* What goes out on the UART: lines about steps, or whole frames.
 *
 *     # title
 *     # configuration HASH, fixed, boids N, predators P, cores C
 *     # CAUSE                       when it was the watchdog that started the board
 *     STEP HASH CYCLES WORST LATE   every SIM_REPORT steps; HASH is that of `boids --hash`
 *
 * CYCLES is what the step took, from one picture until the next was ready, WORST the most since the line before, LATE how
 * many pictures missed the pulse that they were meant for.
 *
 * With SIM_FRAMES the UART carries CSV instead, one frame every so many steps, as `boids -o FILE.csv` writes it.
 */
#ifndef REPORT_H
#define REPORT_H

#include "watchdog.h"

#include <stdint.h>

void report_begin(enum restart_cause cause);

/** What takes time of the line about a step, if there is one: to be called while both cores are at leisure. */
void report_prepare(uint32_t step);

/** To be called after every step that was prepared. */
void report_step(uint32_t step, uint32_t cycles, uint32_t late);

#endif
