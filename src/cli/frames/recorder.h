/* What becomes of a frame: it is measured, noted for the summary and written to every output.
 *
 * Where a run has more than one thread, one of them (the writer) does all that while the next step flies. Frames go to it
 * through two rooms that take turns (a double buffer), so whoever steps waits only when both are full. With one thread,
 * or so few agents that handing over costs more than it gains, a frame is recorded before the next step begins. Neither
 * changes a byte.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include "agent.h"
#include "cli/frames/outputs.h"
#include "cli/frames/roster.h"
#include "cli/frames/summary.h"
#include "cli/frames/workbench.h"
#include "cli/options/choice.h"
#include "fault.h"
#include "measure/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is done with each frame. Borrowed; between recorder_take_over() and recorder_settle() nobody else may touch the
 * outputs, the measure, and what summary_sample() notes. */
struct recorder_plan {
    struct measure *measure;     /**< NULL: frames are not measured */
    const struct choice *choice; /**< what of that goes to the outputs */
    const struct roster *roster; /**< who goes to the outputs; all are measured */
    struct summary *summary;     /**< notes what was measured */
    struct outputs *outputs;
    uint64_t mean_from; /**< the step from which what was measured counts for the mean */
};

/** What a frame is recorded as. */
struct recorder_wish {
    uint64_t step;
    size_t first, count; /**< of a slab, as in struct frame; count 0: a whole frame */
    bool is_written;     /**< to the trajectories */
    bool is_measured;    /**< where there is a measure */
    const double
        *observables; /**< all of them, known already; NULL: they are measured. Without a writer only */
};

struct recorder;

/** Bytes of the frames that are kept; `threads` as in engine_create(). */
size_t recorder_memory(size_t agents, int threads);

/** What records frames of so many agents; 0: their boids are neither written nor measured here. Nothing is allocated later.
 *
 * @return NULL with a fault when memory ran out.
 */
struct recorder *recorder_create(const struct recorder_plan *plan, size_t agents, int threads,
                                 struct fault *fault);

/** Where the writer has work shared with whoever waits for it; NULL when there is none. NULL is accepted. */
struct workbench *recorder_bench(struct recorder *recorder);

/** Where the next frame's agents are to be put; waits until there is room. */
struct agent *recorder_room(struct recorder *recorder);

/** Take over the frame that was put there; steps must ascend.
 *
 * @return false with a fault when this frame or an earlier one could not be written; all after that one are dropped.
 */
bool recorder_take_over(struct recorder *recorder, const struct recorder_wish *wish, struct fault *fault);

/** Wait until all that was taken over is measured and written. False with a fault as above. NULL is accepted. */
bool recorder_settle(struct recorder *recorder, struct fault *fault);

/** Measure with another from now on. To be called when all is settled. */
void recorder_use(struct recorder *recorder, struct measure *measure);

/** True when there were outputs and every reader has gone; may be told a frame late. NULL is accepted. */
bool recorder_is_closed(struct recorder *recorder);

/** True when a frame that was taken over could not be written: more are in vain, and the fault is told by the next call
 * that has one to tell. NULL is accepted. */
bool recorder_has_failed(struct recorder *recorder);

/** NULL is accepted. */
void recorder_free(struct recorder *recorder);

#endif
