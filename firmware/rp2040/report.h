/* What goes out on the UART: lines about steps, or whole frames.
 *
 *     # title
 *     # configuration HASH, fixed, boids N, predators P, cores C
 *     STEP HASH FLOWN DRAWN   every FLIGHT_REPORT steps; HASH is that of `boids --hash`, then cycles
 *
 * With FLIGHT_FRAMES the UART carries CSV instead, a frame each so many steps, as `boids -o FILE.csv` writes it.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdint.h>

void report_begin(void);
/** `flown` and `drawn` are the cycles that the step and its picture took. */
void report_step(uint32_t step, uint32_t flown, uint32_t drawn);

#endif
