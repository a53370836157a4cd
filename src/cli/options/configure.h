/* Creates the configuration and the initial state that the options describe. The configuration is read from a file,
 * a preset or a trajectory, and then changed by options. */
#pragma once

#include "base/error.h"
#include "cli/options/options.h"
#include "config/config.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Resolve the configuration of --config or --from with all options applied, and read the initial state.
 *
 * @param start receives the state of --init or flock.init.file or, with --from, the initial state of the trajectory.
 *   It is empty if the state is random. Free it with frame_free() in any case.
 */
bool configure(struct config *config, struct frame *start, const struct options *options,
               struct error *error);

/** Read the configuration of --config and apply all options, without resolving it. It is the base of a sweep. */
bool configure_base(struct config *config, const struct options *options, struct error *error);

/** Set the numbers of boids and predators to those of an initial state; refused if there are too many, or if the cell of a
 * sweep gives another number. */
bool configure_counts(struct config *config, const struct frame *start, struct error *error);

/** Start from a state: set the numbers of agents to those of the state. With --keep-step, refuse a state whose step
 * is after the last step of the run. */
bool configure_start(struct config *config, const struct frame *start, struct error *error);

/** The step of the first frame of a run from this initial state; `initial` is empty if the state is random. */
uint64_t configure_first_step(const struct config *config, const struct frame *initial);

/** --print-config with --from: the printed configuration names the trajectory as the source of its initial state, unless
 * this is random. */
bool configure_name_start(struct config *config, const struct frame *start, const struct options *options,
                          struct error *error);

/** Resolve the configuration of the trajectory of --resume, with the number of steps that the options give.
 *
 * @param previous receives the earlier run and its last frame. Free it with previous_run_free() in any case.
 * @return false with an error if there is nothing to continue or the options describe another flock.
 */
bool configure_resume(struct config *config, struct previous_run *previous, const struct options *options,
                      struct error *error);

/** Facts about the file whose frames are converted. */
struct configure_source {
    bool has_config;         /**< the configuration is that of the run; false: it describes only the output */
    bool is_text;            /**< the numbers of the file are decimal text (CSV) */
    bool is_rounded;         /**< config_rounds_frames() of the run */
    bool is_unwrapped;       /**< positions go on beyond the seams of the world */
    bool copies_observables; /**< the requested observables were measured, at all requested steps */
    bool is_whole;           /**< the frames contain all boids and all fields */
};

/** Resolve the configuration for the outputs of --convert: the configuration in the file or, if the file has none,
 * that of --config. All options are applied to it. */
bool configure_source(struct config *config, struct configure_source *source, const struct options *options,
                      struct error *error);
