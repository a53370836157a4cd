/* Frames are measured, added to the summary and written to every output.
 *
 * If a run has more than one thread, one of them (the writer) does this while the next step is computed. Frames are
 * passed to it in two buffers, so the stepping thread waits only if both are full. With one thread, or so few agents
 * that passing a frame costs more than it saves, a frame is recorded before the next step starts. The bytes of the
 * outputs are the same.
 */
#ifndef FRAME_WRITER_H
#define FRAME_WRITER_H

#include "agent.h"
#include "cli/output/selection.h"
#include "cli/output/summary.h"
#include "cli/output/targets.h"
#include "fault.h"
#include "measure/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is done with each frame. Borrowed; between frame_writer_submit() and frame_writer_drain() no other code may use
 * the writers, the measure, or the samples of the summary. */
struct frame_writer_plan {
    struct measure *measure;                  /**< NULL: frames are not measured */
    const struct observable_set *observables; /**< the observables that are written */
    const struct agent_selection *selection;  /**< the boids that are written; all are measured */
    struct summary *summary;                  /**< receives the observables */
    struct writers *writers;
    uint64_t mean_from; /**< first step that counts for the mean */
};

/** How a frame is recorded. */
struct frame_task {
    uint64_t step;
    size_t first, count; /**< of a slab, as in struct frame; count 0: a whole frame */
    bool is_written;     /**< write it to the trajectories */
    bool is_measured;    /**< measure it, if there is a measure */
    const double *
        observables; /**< known values of all observables; NULL: they are measured. Only without a writing thread */
};

struct frame_writer;
struct io_helper; /* two threads and the work that they share */

/** Bytes of the buffers; `threads` as in engine_create(). */
size_t frame_writer_memory(size_t agents, int threads);

/** Create a writer for frames of so many agents; 0: boids are neither written nor measured. All memory is allocated
 * here.
 *
 * @return NULL with a fault if there is no memory.
 */
struct frame_writer *frame_writer_create(const struct frame_writer_plan *plan, size_t agents, int threads,
                                         struct fault *fault);

/** Do pieces 0 to `pieces` - 1 of some work, by this thread and by the other while it waits; in any order. On return all
 * are done. The lock is not held, and only one of the two threads shares work.
 *
 * @param helper  a struct io_helper, as trajectory_about needs it.
 */
void io_helper_share(void *helper, void (*work)(void *context, size_t piece), void *context, size_t pieces);

/** The helper of the writing thread; NULL if there is none. NULL is accepted. */
struct io_helper *frame_writer_helper(struct frame_writer *writer);

/** Buffer for the agents of the next frame; waits until one is free. */
struct agent *frame_writer_buffer(struct frame_writer *writer);

/** Submit the frame in the buffer; steps must ascend.
 *
 * @return false with a fault if this frame or an earlier one could not be written; all later frames are dropped.
 */
bool frame_writer_submit(struct frame_writer *writer, const struct frame_task *request, struct fault *fault);

/** Wait until all submitted frames are measured and written. False with a fault as above. NULL is accepted. */
bool frame_writer_drain(struct frame_writer *writer, struct fault *fault);

/** Use another measure. To be called when all frames are drained. */
void frame_writer_set_measure(struct frame_writer *writer, struct measure *measure);

/** True if there were outputs and every reader has gone; may be one frame late. NULL is accepted. */
bool frame_writer_is_closed(struct frame_writer *writer);

/** True if a submitted frame could not be written: further frames are useless, and the next call that can fail returns
 * the fault. NULL is accepted. */
bool frame_writer_has_failed(struct frame_writer *writer);

/** NULL is accepted. */
void frame_writer_free(struct frame_writer *writer);

#endif
