/* The path of a frame to every output, from a run or from a file that is converted: it is measured, added to the summary, reduced to
 * the boids that are written, and written.
 *
 * If there is more than one thread, one of them (the writer) does this while the next step is computed. Frames are passed to it in
 * two buffers, so the stepping thread waits only if both are full. With one thread, or so few agents that passing a frame costs
 * more than it saves, a frame is recorded when it is submitted. The bytes of the outputs are the same.
 *
 *     pipeline_prepare -> targets_open -> pipeline_buffer, pipeline_submit ... -> pipeline_drain -> targets_close -> pipeline_free
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "agent.h"
#include "cli/options/options.h"
#include "cli/output/summary.h"
#include "cli/output/targets.h"
#include "config/config.h"
#include "config/value.h"
#include "fault.h"
#include "measure/measure.h"
#include "trajectory/trajectory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The steps at which a run that starts at step `start` writes frames; the last step is always one of them. */
struct interval pipeline_frame_steps(const struct config *config, uint64_t start);

/** True if the first frame is the initial state, of step `start`, in full. */
bool pipeline_holds_start(const struct config *config, uint64_t start);

/** What is done with the frame in the buffer. */
struct frame_task {
    uint64_t step;
    size_t first, count; /**< of a slab, as in struct frame; count 0: a whole frame */
    bool is_written;     /**< write it to the trajectories */
    bool is_measured;    /**< measure it; there must be a measure */
    const double
        *values; /**< known values of all observables, instead of measuring; only without a writing thread */
};

enum { PIPELINE_BUFFERS = 2 };

struct pipeline {
    /* Set by the caller, as are `lock` and `changed`: PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER. */
    const struct config *config;   /**< resolved; borrowed */
    const struct options *options; /**< borrowed */
    struct targets targets;        /**< chosen: targets_choose() */

    struct trajectory_metadata metadata; /**< of the outputs, for the writers */
    int32_t *ids;                        /**< of all agents of a frame */
    size_t boids, predators;

    /* Between pipeline_submit() and pipeline_drain(), only the writer uses these. */
    struct measure *measure; /**< NULL: frames are not measured */
    struct summary summary;

    /* Of pipeline.c. */
    int32_t *written_ids; /* NULL: all agents are written */
    size_t *indices;      /* of those that are written, in a whole frame */
    const char *names[MEASURE_COUNT];
    char some_boids[CONFIG_VALUE_TEXT_SIZE];
    char *config_text;
    struct agent *buffers[PIPELINE_BUFFERS];
    unsigned buffer_count;
    bool has_thread;
    pthread_t thread;

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    struct frame_task tasks[PIPELINE_BUFFERS];
    uint64_t submitted, done;                  /* frames */
    bool is_over;                              /* no frame will follow */
    bool is_closed;                            /* every reader has gone */
    struct fault fault;                        /* the first fault of a frame; later frames are dropped */
    void (*work)(void *context, size_t piece); /* work that both threads share */
    void *work_context;
    size_t pieces, begun, finished;
};

/** Bytes of the buffers; `threads` as in engine_create(). */
size_t pipeline_memory(size_t agents, int threads);

/** Allocate all memory, start the writing thread, and fill in `metadata`, except the initial state and its hash.
 *
 * @param ids      of `boids` boids, then `predators` predators; copied. NULL: 0, 1, 2 and so on.
 * @param slab     boids that are submitted at once, at most.
 * @param start    step of the initial state.
 * @param threads  as in engine_create().
 * @return false with a fault: no memory, or refused because output.boids leaves no boid.
 */
bool pipeline_prepare(struct pipeline *pipeline, const int32_t *ids, size_t boids, size_t predators,
                      size_t slab, uint64_t start, int threads, struct fault *fault);

/** Use the radii of this model for all later measurements. */
bool pipeline_measure(struct pipeline *pipeline, const struct flock_model *model, struct fault *fault);

/** Buffer for the agents of the next frame; waits until one is free. */
struct agent *pipeline_buffer(struct pipeline *pipeline);

/** Submit the frame in the buffer; steps must ascend.
 *
 * @return false with a fault if this frame or an earlier one could not be written; all later frames are dropped.
 */
bool pipeline_submit(struct pipeline *pipeline, const struct frame_task *task, struct fault *fault);

/** Write observables between two frames, when all frames are drained; `values` of all observables. */
bool pipeline_write_row(struct pipeline *pipeline, uint64_t step, const double values[MEASURE_COUNT],
                        struct fault *fault);

/** Wait until all submitted frames are measured and written. False with a fault as above. */
bool pipeline_drain(struct pipeline *pipeline, struct fault *fault);

/** True if there were outputs and the reader of each has closed its pipe; the answer may be one frame late. */
bool pipeline_is_closed(struct pipeline *pipeline);

/** True if a submitted frame could not be written: the next call that can fail returns the fault. */
bool pipeline_has_failed(struct pipeline *pipeline);

/** Free all of it; outputs that are still open are left incomplete. */
void pipeline_free(struct pipeline *pipeline, struct fault *fault);

#endif
