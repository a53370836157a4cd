/* A run in progress (run.c), for the notes about it (run_report.c). All ranks call each of these functions, except where it says
 * otherwise. */
#ifndef RUN_INTERNAL_H
#define RUN_INTERNAL_H

#include "cli/options/stop_condition.h"
#include "cli/output/pipeline.h"
#include "cli/run/run.h"
#include "comm/comm.h"
#include "config/config.h"
#include "config/value.h"
#include "engine/engine.h"
#include "fault.h"
#include "measure/measure.h"
#include "platform/progress_bar.h"
#include "platform/signals.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What rank 0 knows, and all go by. */
struct terms {
    uint64_t begun;       /**< the step of its first state */
    uint64_t first;       /**< where it goes on: the same, or the end of the run that is continued */
    uint64_t is_given;    /**< the first state is; else it is placed at random */
    uint64_t is_resumed;  /**< an earlier run is continued */
    uint64_t has_frames;  /**< which has some */
    uint64_t is_recorded; /**< somebody wants frames */
    uint64_t is_measured; /**< likewise, measured */
    uint64_t has_takers;  /**< somebody takes the boids of frames */
    uint64_t
        slab; /**< boids of a frame that rank 0 gathers at once; all of them where an output needs whole frames */
};

/** A run in progress: who flies, who steps them, and where the frames go. */
struct run {
    const struct comm *comm;
    struct terms terms;
    const struct config *config;
    const struct options *options;
    size_t agent_count;
    struct engine *engine;
    struct pipeline output;  /**< of rank 0 */
    struct snapshot initial; /**< what it begins with, where no frame will hold that in full */
    bool has_initial;
    uint64_t initial_hash;
    struct run_report *report; /**< NULL: the summary is printed */
    struct interval frames,
        samples;                 /**< the steps that are written, and that are measured; the last always is */
    uint64_t step;               /**< steps flown */
    uint64_t written, measured;  /**< the last step that was; NOT_YET (run.c) */
    uint64_t next_change;        /**< the frame from which other rules hold */
    struct stop_condition until; /**< with the frames taken so far */
    struct stop stop;            /**< why it ends before its last step */
    bool is_beyond;              /**< an agent has left what its arithmetic holds, or began so */
    struct progress_bar progress;
    double slow_step; /**< how long one took when the flock was last looked at */
    bool is_crowd_told;
};

/** Rank 0 says so on standard error, where that is wanted. */
void run_print_hash(const struct run *run);

/** To be called before the first step, when nobody knows how long it takes: only many can make it long. */
void run_report_density(struct run *run);

/** Look again after a step that took long. */
void run_report_density_after(struct run *run, double seconds);

/** Whether there is a progress bar. */
bool run_shows_progress(const struct run *run);

/** How it ended, and how fast it was. */
void run_report_end(const struct run *run, double seconds);

/** The line of --summary, or its report. */
bool run_summarize(const struct run *run, const char *status, struct fault *fault);

#endif
