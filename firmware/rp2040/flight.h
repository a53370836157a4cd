/* The flock of this firmware: its rules, its agents and their memory, all of it known when the firmware is built.
 *
 * build/firmware/NAME/configuration.h is written by firmware_config (src/tools) from a configuration.
 */
#ifndef FLIGHT_H
#define FLIGHT_H

#include "configuration.h"
#include "flock/flock.h"

/** Whether a step is shared with the second core: only synchronous ones can be. In the others that core is idle. */
enum { FLIGHT_IS_SHARED = FLIGHT_CORES > 1 && FLIGHT_UPDATE == FLOCK_SYNCHRONOUS };

/** The flock and its rules; both cores read them. */
extern struct flock flight_flock;
extern const struct flock_params flight_params;

/** Place everybody where the configuration says. */
void flight_begin(void);

/** Fly one step, on as many cores as the firmware was built for. */
void flight_step(void);

/** What `boids --hash` prints. */
uint64_t flight_hash(void);

#endif
