/* The flock of this firmware: its rules, its agents and their memory, all of it known when the firmware is built.
 *
 * build/firmware/NAME/configuration.h is written by firmware_config (src/tools) from a configuration.
 */
#ifndef FLOCK_STATE_H
#define FLOCK_STATE_H

#include "configuration.h"
#include "flock/flock.h"

/** Whether a step is shared with the second core: only synchronous ones can be. In the others that core is idle. */
enum { SIM_IS_SHARED = SIM_CORES > 1 && SIM_UPDATE == FLOCK_SYNCHRONOUS };

/** The flock and its rules; both cores read them. */
extern struct flock sim_flock;
extern const struct flock_params sim_params;

/** Place everybody where the configuration says. */
void sim_init(void);

/** Fly one step, on as many cores as the firmware was built for. */
void sim_step(void);

/** What `boids --hash` prints. */
uint64_t sim_hash(void);

#endif
