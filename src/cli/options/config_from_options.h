/* From options to a configuration: a file, a preset or a trajectory's own, and what the other options change in it; and to
 * the state that the run begins with. */
#ifndef CONFIG_FROM_OPTIONS_H
#define CONFIG_FROM_OPTIONS_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** The resolved configuration of --config or --from, with all that options set over it, and the initial state.
 *
 * @param start  receives the state that --init or flock.init.file names, or with --from the one that the trajectory
 *               carries; empty for a flock that is to be placed at random. To be freed with snapshot_free() either way.
 */
bool configure(struct config *config, struct snapshot *start, const struct options *options,
               struct fault *fault);

/** The configuration of --config with all that options set over it, not yet resolved: what each of many runs changes. */
bool configure_base(struct config *config, const struct options *options, struct fault *fault);

/** Take over how many boids and predators an initial state has; refused where they are too many. */
bool configure_counts(struct config *config, const struct snapshot *start, struct fault *fault);

/** Begin with a state: take its counts, and where steps are counted on from it refuse one behind the last step. */
bool configure_start(struct config *config, const struct snapshot *start, struct fault *fault);

/** Have a configuration, which is to be printed, name the state that --from took out of a trajectory, and say where that
 * came from. */
bool configure_name_start(struct config *config, const struct snapshot *start, const struct options *options,
                          struct fault *fault);

/** The resolved configuration of the trajectory of --resume, with the steps that options ask for.
 *
 * @param past  receives what there is to continue, its last frame read; to be freed with trajectory_past_free() either
 *              way.
 * @return false with a fault when there is nothing to continue or the options ask for another flock.
 */
bool configure_resume(struct config *config, struct trajectory_past *past, const struct options *options,
                      struct fault *fault);

/** What is known of the run whose frames are converted. */
struct configure_source {
    bool has_config;         /**< what was flown; false: the configuration says how to write, no more */
    bool is_text;            /**< its numbers are decimal */
    bool is_rounded;         /**< to float32, and the run's own are not */
    bool copies_observables; /**< those that are asked for were measured, at all steps that are asked for */
    bool is_whole;           /**< all boids are in its frames, and all of each, as far as it says so */
    bool has_hash;           /**< of the initial state */
    uint64_t initial_hash;   /**< that */
};

/** The resolved configuration for the outputs of --convert: what the file carries, or --config gives for one that carries
 * none, with all that options set over it. */
bool configure_source(struct config *config, struct configure_source *source, const struct options *options,
                      struct fault *fault);

/** Whether what was to be continued is a finished run that has the steps asked for: there is nothing to do. */
bool configure_has_steps(const struct config *config, const struct trajectory_past *past);

#endif
