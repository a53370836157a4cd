/* Checks and messages before a run. On several ranks (comm/comm.h), rank 0 alone reads files and standard input, so no two ranks ever
 * run different configurations; all of them call each of these functions. */
#ifndef PREFLIGHT_H
#define PREFLIGHT_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Check that all ranks are the same build, started with the same words except --threads.
 *
 * @return false with a fault (refused), on all ranks.
 */
bool preflight_check_same(int argc, char **argv, struct fault *fault);

/** Send the configuration that rank 0 has read and resolved to all ranks. False with a fault, on all ranks. */
bool preflight_share_config(struct config *config, struct fault *fault);

/** Refuse a run that its outputs, the observables of its options, its ranks or the memory do not allow.
 *
 * @param start  on rank 0, the initial state; empty: random.
 * @return false with a fault, on all ranks.
 */
bool preflight_check(const struct config *config, const struct options *options, const struct snapshot *start,
                     struct fault *fault);

/** Refuse a run for which this machine has too little memory. */
bool preflight_check_memory(const struct config *config, const struct options *options, struct fault *fault);

/** Refuse an initial state that several ranks cannot start from. */
bool preflight_check_start(const struct config *config, const struct snapshot *start, struct fault *fault);

/** Print to standard error the length of the run and its memory on each machine. */
void preflight_print(const struct config *config, const struct options *options);

#endif
