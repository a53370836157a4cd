/* Passes each frame of a run, or of a file that is converted, to all outputs. A frame is measured, added to the
 * summary, reduced to the boids that are written, and written.
 *
 * If there is more than one thread, one of them (the writer) does this while the others compute the next step.
 * Frames are passed to it in two buffers, so the stepping thread waits only if both are full. With one thread, or
 * with very few agents, a frame is written when it is submitted, because passing it to another thread would take
 * longer. The outputs are byte-identical in both cases.
 *
 *     pipeline_init -> targets_choose -> pipeline_prepare -> targets_open ->
 *     pipeline_buffer, pipeline_submit ... -> pipeline_drain -> targets_close -> pipeline_free
 */
#pragma once

#include "base/agent.h"
#include "base/error.h"
#include "cli/options/options.h"
#include "cli/output/summary.h"
#include "cli/output/targets.h"
#include "config/config.h"
#include "config/keys.h"
#include "measure/measure.h"
#include "trajectory/trajectory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The steps at which a run that starts at step `start` writes frames. The last step is always written, too. */
struct interval pipeline_frame_steps(const struct config *config, uint64_t start);

/** True if the first frame contains the initial state, at step `start`, in full. */
bool pipeline_has_initial_state(const struct config *config, uint64_t start);

/** What to do with the frame in the buffer. */
struct frame_task {
    uint64_t step;
    bool is_written;      /**< write it to the trajectories */
    bool is_followed;     /**< unwrapped paths go on to its positions; else its positions are unwrapped */
    bool is_measured;     /**< compute its observables; pipeline->measure must not be NULL */
    bool is_in_any_order; /**< the boids are not in order of id, and pipeline_ids() has their ids */
    const double *values; /**< values of all observables, if known; only without the writer thread */
    uint64_t hash;        /**< of the whole frame, and its format, as in struct frame */
    int hash_format;
};

enum { PIPELINE_BUFFERS = 2 };

struct pipeline {
    const struct config *config;   /**< resolved; borrowed */
    const struct options *options; /**< borrowed */
    struct targets targets;        /**< set by targets_choose() */

    struct trajectory_metadata metadata; /**< properties of the outputs, for the writers */
    int32_t *ids;                        /**< ids of all agents of a frame */
    size_t boids, predators;

    /** True if there are outputs, and the readers of all have closed their pipes. It may become true one frame late. */
    _Atomic bool has_no_reader;
    /** A submitted frame could not be written. The next call that can fail returns the error. */
    _Atomic bool has_failed;

    /* Between pipeline_submit() and pipeline_drain(), only the writer thread uses these members. */
    struct measure *measure; /**< NULL: frames are not measured */
    struct summary summary;
    struct agent *paths;   /**< the agents that are written, unwrapped; NULL: they are not unwrapped */
    struct agent *wrapped; /**< these agents in the world */

    /* Private members of pipeline.c. */
    int32_t *written_ids; /* NULL: all agents are written */
    size_t *indices;      /* index in a whole frame of each written agent */
    uint64_t rules_end;   /* the last frame that is measured with the present rules */
    const char *names[MEASURE_COUNT];
    char some_boids[CONFIG_VALUE_TEXT_SIZE];
    char *config_text;
    struct agent *buffers[PIPELINE_BUFFERS]; /* the agents of a frame, then the ids of its boids */
    struct agent *by_id; /* room for the agents of a frame in order of id; NULL: frames come in this order */
    unsigned buffer_count;
    bool has_thread;
    bool takes_processor; /* the writer, when it is busy, takes one from the threads that step the flock */
    pthread_t thread;

    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t changed;
    struct frame_task tasks[PIPELINE_BUFFERS];
    uint64_t submitted, done; /* number of frames */
    bool is_over;             /* no frame will follow */
    struct error error;       /* the first error of a frame; later frames are dropped */
};

/** Prepare a pipeline that has no outputs and no memory yet. All arguments are borrowed; `previous` is the run that is
 * resumed, or NULL. */
void pipeline_init(struct pipeline *pipeline, const struct config *config, const struct options *options,
                   const struct previous_run *previous);

/** Allocate all memory, start the writer thread, and fill in `metadata`, except the initial state and its hash.
 *
 * @param ids of all boids, then of all predators; copied. NULL: the ids are 0, 1, 2 and so on.
 * @param start    step of the initial state.
 * @param threads  as in engine_create().
 * @return false with an error: memory runs out, or output.boids selects no boid (refused).
 */
bool pipeline_prepare(struct pipeline *pipeline, const int32_t *ids, size_t boids, size_t predators,
                      uint64_t start, int threads, struct error *error);

/** The buffer for the agents of the next frame. Waits until a buffer is free. */
struct agent *pipeline_buffer(struct pipeline *pipeline);

/** Room for the ids of the boids in a buffer; NULL: they must come in order of id. */
uint32_t *pipeline_ids(const struct pipeline *pipeline, struct agent *buffer);

/** Measure a frame that may have fewer agents than the flock. Only without the writer thread. */
void pipeline_measure(struct pipeline *pipeline, const struct frame *frame, double values[MEASURE_COUNT]);

/** Submit the frame in the buffer. Steps must ascend.
 *
 * @return false with an error if this frame or an earlier one could not be written. All later frames are then
 *   dropped.
 */
bool pipeline_submit(struct pipeline *pipeline, const struct frame_task *task, struct error *error);

/** Wait until all submitted frames are measured and written. False with an error if a frame could not be written. */
bool pipeline_drain(struct pipeline *pipeline, struct error *error);

/** Free the pipeline. Outputs that are still open stay incomplete. */
void pipeline_free(struct pipeline *pipeline, struct error *error);
