/* The flock: its rules, its agents and their memory, all fixed when the firmware is built.
 *
 * build/firmware/NAME/configuration.h is written by firmware_config (src/tools).
 */
#ifndef SIM_H
#define SIM_H

#include "configuration.h"
#include "flock/flock.h"

/** True if both cores share a step. Other update orders change boids one by one; then core 1 is idle. */
enum { SIM_IS_SHARED = SIM_CORES > 1 && (SIM_UPDATE == FLOCK_SYNCHRONOUS || SIM_UPDATE == FLOCK_PASSES) };

#if SIM_LIVE
#define SIM_CONSTANT
#else
#define SIM_CONSTANT const
#endif
/* flock_step.c is compiled as a whole program, so only names with this attribute are visible outside of it. */
#define SIM_VISIBLE __attribute__((externally_visible))

/** The flock and its rules; both cores read them. */
extern struct flock sim_flock SIM_VISIBLE;
extern SIM_CONSTANT struct flock_params sim_params SIM_VISIBLE;

/** Generate the random initial state, with the seed of the configuration plus `more`. */
void sim_init(uint32_t more);

/** Run one step, on the number of cores that the firmware was built for. */
SIM_VISIBLE void sim_step(void);

/** Begin to compute the hash of the current state. */
void sim_hash_begin(void);

/** Compute a part of the hash; false when the hash is complete. sim_step() completes the hash before it changes the
 * state. */
bool sim_hash_part(void);

/** The hash that `boids --hash` prints, of the state at sim_hash_begin(). */
uint64_t sim_hash(void);

#endif
