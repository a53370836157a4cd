/* What writers are told of a configuration. */
#ifndef ABOUT_H
#define ABOUT_H

#include "config/config.h"
#include "trajectory/trajectory.h"

/** All of it that a resolved configuration says; who flies, what is measured and what it began with is the caller's to add.
 *
 * @param text  config_print() of the configuration; borrowed.
 * @param first  the step of the first frame.
 */
struct trajectory_about about_configured(const struct config *config, const char *text, uint64_t first);

#endif
