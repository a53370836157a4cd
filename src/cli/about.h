/* What writers are told of a configuration. */
#ifndef ABOUT_H
#define ABOUT_H

#include "config/config.h"
#include "trajectory/trajectory.h"

/** At which steps frames are written of a run that begins at step `start`; the last one always is. */
struct cadence about_frame_steps(const struct config *config, uint64_t start);

/** All of it that a resolved configuration says; who flies, what is measured and what it began with is the caller's to add.
 *
 * @param text  config_print() of the configuration; borrowed.
 * @param start  the step of the initial state.
 */
struct trajectory_about about_configured(const struct config *config, const char *text, uint64_t start);

#endif
