/* What becomes of a frame: it is measured, noted for the summary and written to every output.
 *
 * Where a run has more than one thread, one of them (the writer) does all that while the next step flies. Frames go to it
 * through two buffers (a double buffer), so the stepping thread waits only when both are full. With one thread,
 * or so few agents that handing over costs more than it gains, a frame is recorded before the next step begins. Neither
 * changes a byte.
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

/** What is done with each frame. Borrowed; between frame_writer_submit() and frame_writer_drain() nobody else may touch the
 * outputs, the measure, and what summary_sample() notes. */
struct frame_writer_plan {
    struct measure *measure;                  /**< NULL: frames are not measured */
    const struct observable_set *observables; /**< what of that goes to the outputs */
    const struct agent_selection *selection;  /**< who goes to the outputs; all are measured */
    struct summary *summary;                  /**< notes what was measured */
    struct writers *writers;
    uint64_t mean_from; /**< the step from which what was measured counts for the mean */
};

/** What a frame is recorded as. */
struct frame_task {
    uint64_t step;
    size_t first, count; /**< of a slab, as in struct frame; count 0: a whole frame */
    bool is_written;     /**< to the trajectories */
    bool is_measured;    /**< where there is a measure */
    const double
        *observables; /**< all of them, known already; NULL: they are measured. Without a writer only */
};

struct frame_writer;
struct io_helper; /* the two threads, and what they share */

/** Bytes of the frames that are kept; `threads` as in engine_create(). */
size_t frame_writer_memory(size_t agents, int threads);

/** What records frames of so many agents; 0: their boids are neither written nor measured here. Nothing is allocated later.
 *
 * @return NULL with a fault when memory ran out.
 */
struct frame_writer *frame_writer_create(const struct frame_writer_plan *plan, size_t agents, int threads,
                                         struct fault *fault);

/** Have pieces 0 to `pieces` - 1 of some work done, by this thread and by the other while that waits; in any order. On
 * return all are. The lock is not held, and only one of the two ever shares.
 *
 * @param helper  a struct io_helper, as trajectory_about wants it.
 */
void io_helper_share(void *helper, void (*work)(void *context, size_t piece), void *context, size_t pieces);

/** Where the writer has work shared with whoever waits for it; NULL when there is none. NULL is accepted. */
struct io_helper *frame_writer_helper(struct frame_writer *writer);

/** Where the next frame's agents are to be put; waits until one is free. */
struct agent *frame_writer_buffer(struct frame_writer *writer);

/** Take over the frame that was put there; steps must ascend.
 *
 * @return false with a fault when this frame or an earlier one could not be written; all after that one are dropped.
 */
bool frame_writer_submit(struct frame_writer *writer, const struct frame_task *request, struct fault *fault);

/** Wait until all that was taken over is measured and written. False with a fault as above. NULL is accepted. */
bool frame_writer_drain(struct frame_writer *writer, struct fault *fault);

/** Measure with another from now on. To be called when all is settled. */
void frame_writer_set_measure(struct frame_writer *writer, struct measure *measure);

/** True when there were outputs and every reader has gone; may be told a frame late. NULL is accepted. */
bool frame_writer_is_closed(struct frame_writer *writer);

/** True when a frame that was taken over could not be written: more are in vain, and the fault is told by the next call
 * that has one to tell. NULL is accepted. */
bool frame_writer_has_failed(struct frame_writer *writer);

/** NULL is accepted. */
void frame_writer_free(struct frame_writer *writer);

#endif
