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

/** Facts that rank 0 sends to all ranks. */
struct run_facts {
    uint64_t begun;       /**< step of the initial state */
    uint64_t first;       /**< first step of this run: `begun`, or the last step of the run that is resumed */
    uint64_t is_given;    /**< the initial state was given; else it is random */
    uint64_t is_resumed;  /**< an earlier run is resumed */
    uint64_t has_frames;  /**< the earlier run has frames */
    uint64_t is_recorded; /**< frames are written or measured */
    uint64_t is_measured; /**< frames are measured */
    uint64_t is_written;  /**< frames are written */
    uint64_t
        slab; /**< boids of a frame that rank 0 gathers at once; all of them if an output needs whole frames */
};

/** A run in progress. */
struct run {
    const struct comm *comm;
    struct run_facts facts;
    const struct config *config;
    const struct options *options;
    size_t agent_count;
    struct engine *engine;
    struct pipeline output;  /**< of rank 0 */
    struct snapshot initial; /**< the initial state, if no frame will hold it in full */
    bool has_initial;
    uint64_t initial_hash;
    struct run_report *report; /**< NULL: the summary is printed */
    struct interval frames,
        samples;   /**< steps that are written, and steps that are measured; the last step always is */
    uint64_t step; /**< steps made */
    uint64_t written, measured;  /**< last such step; NOT_YET (run.c) */
    uint64_t next_change;        /**< the step from which other rules hold */
    struct stop_condition until; /**< with the frames added so far */
    struct stop stop;            /**< reason to stop before the last step */
    bool is_out_of_range;        /**< an agent has left the range of its arithmetic, or started outside it */
    struct progress_bar progress;
    double slow_step; /**< seconds of a step when the density was last computed */
    bool is_density_reported;
};

/** Print the hash of --hash to standard error, on rank 0. */
void run_print_hash(const struct run *run);

/** Compute the density before the first step if there are so many boids that a dense flock would be slow. */
void run_report_density(struct run *run);

/** Compute the density again after a slow step. */
void run_report_density_after(struct run *run, double seconds);

/** True if a progress bar is shown. */
bool run_shows_progress(const struct run *run);

/** Print how the run ended and how fast it was. */
void run_report_end(const struct run *run, double seconds);

/** Print the line of --summary, or fill in the report. */
bool run_summarize(const struct run *run, const char *status, struct fault *fault);

#endif
