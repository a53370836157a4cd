/* Checks and messages of several ranks before they run a flock together (comm/comm.h). */
#ifndef RANK_SETUP_H
#define RANK_SETUP_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** True if all ranks take part in a task; rank 0 does other tasks alone. */
bool rank_setup_is_for_all(const struct options *options);

/** Collective: check that all ranks are the same build, started with the same words except --threads.
 *
 * @return false with a fault (refused), on all ranks.
 */
bool rank_setup_check_same(int argc, char **argv, struct fault *fault);

/** Collective: all ranks receive the configuration that rank 0 has read and resolved.
 *
 * @return false with a fault, on all ranks.
 */
bool rank_setup_share(struct config *config, struct fault *fault);

/** Refuse --points to several ranks. */
bool rank_setup_check_points(struct fault *fault);

/** Refuse --convert to several ranks. */
bool rank_setup_check_convert(struct fault *fault);

/** Refuse a configuration that only one rank can run. */
bool rank_setup_check(const struct config *config, struct fault *fault);

/** Refuse an initial state that several ranks cannot start from. */
bool rank_setup_check_start(const struct config *config, const struct snapshot *start, struct fault *fault);

#endif
