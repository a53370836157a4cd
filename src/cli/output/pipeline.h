/* The path of a frame to every output, from a run or from a file that is converted: measure, select the boids, write.
 *
 * Metadata of the run is in struct trajectory_about. An agent selection holds which boids are written. There is one
 * writer per target. The frame writer takes the frames.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "cli/options/options.h"
#include "cli/output/frame_writer.h"
#include "cli/output/selection.h"
#include "cli/output/summary.h"
#include "cli/output/targets.h"
#include "config/config.h"
#include "config/value.h"
#include "fault.h"
#include "measure/measure.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Steps at which frames are written by a run that starts at step `start`; the last step always is. */
struct interval metadata_frame_steps(const struct config *config, uint64_t start);

/** True if the first frame is the initial state, of step `start`, in full. */
bool metadata_holds_start(const struct config *config, uint64_t start);

enum sync_when metadata_sync(const struct config *config);

struct pipeline {
    const struct config *config;   /**< resolved; borrowed */
    const struct options *options; /**< borrowed */
    struct targets targets;
    int32_t *ids; /**< of all agents of a frame */
    size_t boids, predators;
    struct agent_selection *selection; /**< those that are written */
    char some_boids[CONFIG_VALUE_TEXT_SIZE];
    char *config_text;
    struct observable_set observables; /**< what is measured */
    struct measure *measure;           /**< NULL: frames are not measured */
    struct frame_writer *writer;       /**< NULL: nothing is written or measured */
    struct trajectory_about about;     /**< metadata for the writers */
    struct writers writers;
    struct summary summary;
};

/** Create everything that processes frames. The targets were chosen; `config`, `options` and `summary` are set.
 *
 * @param ids       of `boids` boids, then `predators` predators; copied. NULL: 0, 1, 2 and so on.
 * @param capacity  agents that are submitted at once.
 * @param threads   as in frame_writer_create().
 */
bool pipeline_prepare(struct pipeline *pipeline, const int32_t *ids, size_t boids, size_t predators,
                      size_t capacity, int threads, struct fault *fault);

/** Measure with the radii of this model from now on. */
bool pipeline_measure(struct pipeline *pipeline, const struct flock_model *model, struct fault *fault);

/** Fill in `about`, except the initial state and its hash. `start` is the step of the initial state. */
void pipeline_describe(struct pipeline *pipeline, uint64_t start);

/** Start the outputs: writers_open(). */
bool pipeline_open(struct pipeline *pipeline, struct fault *fault);

/** Free all of it; outputs that are still open are left incomplete. */
void pipeline_free(struct pipeline *pipeline, struct fault *fault);

#endif
