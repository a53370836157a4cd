/* What several ranks settle before they fly a flock together (comm/comm.h): who reads what, and what they do not fly. */
#ifndef RANK_SETUP_H
#define RANK_SETUP_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Whether a task is one for all ranks; rank 0 does the others alone. */
bool rank_setup_is_for_all(const struct options *options);

/** Collective: whether all ranks are the same build, started with the same words, but for --threads.
 *
 * @return false with a fault (refused), on all ranks.
 */
bool rank_setup_check_same(int argc, char **argv, struct fault *fault);

/** Collective: everybody gets the configuration that rank 0 has read and resolved.
 *
 * @return false with a fault, on all ranks.
 */
bool rank_setup_share(struct config *config, struct fault *fault);

/** Refuse --points to several ranks. */
bool rank_setup_check_points(struct fault *fault);

/** Refuse --convert to several ranks. */
bool rank_setup_check_convert(struct fault *fault);

/** Refuse what one rank flies and several do not. */
bool rank_setup_check(const struct config *config, struct fault *fault);

/** Refuse a state that a flock cannot begin with. */
bool rank_setup_check_start(const struct config *config, const struct snapshot *start, struct fault *fault);

#endif
