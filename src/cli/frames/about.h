/* What writers are told of a configuration. */
#ifndef ABOUT_H
#define ABOUT_H

#include "cli/frames/roster.h"
#include "config/config.h"
#include "config/value.h"
#include "trajectory/trajectory.h"

/** At which steps frames are written of a run that begins at step `start`; the last one always is. */
struct interval about_frame_steps(const struct config *config, uint64_t start);

/** Whether the first frame is the initial state, of step `start`, in full. */
bool about_holds_start(const struct config *config, uint64_t start);

/** Say who is written. `some`, which is borrowed, receives which boids these are. */
void about_take_roster(struct trajectory_about *about, const struct config *config,
                       const struct roster *roster, char some[CONFIG_VALUE_TEXT_SIZE]);

enum sync_when about_sync(const struct config *config);

/** All of it that a resolved configuration says; who flies, what is measured and what it began with is the caller's to add.
 *
 * @param text  config_print() of the configuration; borrowed.
 * @param start  the step of the initial state.
 */
struct trajectory_about about_configured(const struct config *config, const char *text, uint64_t start);

#endif
