/* Turns options into a configuration (read from a file, a preset or a trajectory, then changed by the options) and
 * into the initial state. */
#ifndef CONFIG_FROM_OPTIONS_H
#define CONFIG_FROM_OPTIONS_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Resolve the configuration of --config or --from with all options applied, and read the initial state.
 *
 * @param start  receives the state that --init or flock.init.file names, or with --from that of the trajectory; empty if the
 *               state is random. To be freed with snapshot_free() in any case.
 */
bool configure(struct config *config, struct snapshot *start, const struct options *options,
               struct fault *fault);

/** Configuration of --config with all options applied, not yet resolved: the base of a sweep. */
bool configure_base(struct config *config, const struct options *options, struct fault *fault);

/** Take the numbers of boids and predators from an initial state; refused if there are too many. */
bool configure_counts(struct config *config, const struct snapshot *start, struct fault *fault);

/** Start from a state: set the numbers of agents to those of the state. With --keep-step, refuse a state whose step
 * is after the last step of the run. */
bool configure_start(struct config *config, const struct snapshot *start, struct fault *fault);

/** --print-config with --from: the printed configuration names the trajectory as the source of its initial state. */
bool configure_name_start(struct config *config, const struct snapshot *start, const struct options *options,
                          struct fault *fault);

/** Resolve the configuration of the trajectory of --resume, with the steps of the options.
 *
 * @param past  receives the earlier run, its last frame read; to be freed with previous_run_free() in any case.
 * @return false with a fault if there is nothing to continue or the options describe another flock.
 */
bool configure_resume(struct config *config, struct previous_run *past, const struct options *options,
                      struct fault *fault);

/** Facts about the run whose frames are converted. */
struct configure_source {
    bool has_config; /**< the configuration is that of the run; false: it only describes the output */
    bool is_text;    /**< its numbers are decimal text (CSV) */
    bool
        is_rounded; /**< its frames are rounded to float32, although the run computed in another arithmetic */
    bool copies_observables; /**< the requested observables were measured, at all requested steps */
    bool is_whole;           /**< its frames have all boids and all fields */
    bool has_hash;           /**< the hash of the initial state is known */
    uint64_t initial_hash;   /**< hash of the initial state */
};

/** Resolve the configuration for the outputs of --convert: that of the file, or of --config for a file without one, with
 * all options applied. */
bool configure_source(struct config *config, struct configure_source *source, const struct options *options,
                      struct fault *fault);

/** True if the run to resume is finished and has the requested steps: there is nothing to do. */
bool configure_has_steps(const struct config *config, const struct previous_run *past);

#endif
