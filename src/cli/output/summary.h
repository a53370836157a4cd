/* The line of --summary: the run, how it ended, its speed and its observables. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "cli/options/options.h"
#include "cli/output/targets.h"
#include "config/config.h"
#include "fault.h"
#include "measure/measure.h"
#include "measure/running_stats.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** The facts about a run, collected during it and completed at its end. */
struct summary {
    time_t started;
    double begun;        /**< on the monotonic clock */
    double step_seconds; /**< spent in steps alone */
    double last[MEASURE_COUNT];
    struct running_stats series[MEASURE_COUNT]; /**< of the samples that are defined and count for the mean */

    uint64_t steps;         /**< steps in total */
    uint64_t first;         /**< steps of the run that was resumed */
    const char *status;     /**< "done", "stopped" or "failed" */
    const char *stopped_by; /**< reason to end before the last step (signals.h), or NULL */
    uint64_t initial_hash;
    uint64_t hash; /**< of the last state */
    bool has_hash; /**< false: a failed step left no valid state */
    bool
        is_out_of_range; /**< it failed because an agent left the range of the arithmetic, or started outside it */
};

/** Statistics of all frames that count. NAN if too few were defined. */
struct summary_statistics {
    double mean[MEASURE_COUNT], sd[MEASURE_COUNT], error[MEASURE_COUNT]; /**< as in measure/running_stats.h */
    double binder, susceptibility, drift;                                /**< of the polarization */
    double autocorrelation_time;                                         /**< of the polarization, in steps */
    double averaged_steps; /**< steps from the first to the last frame that counts */
};

/** Start: store the time; there is no sample yet. */
void summary_begin(struct summary *summary);

/** Add the observables of a frame; `counts` if it is part of the mean. */
void summary_sample(struct summary *summary, const double values[MEASURE_COUNT], bool counts);

/** Compute the statistics of the frames that count, for a run of this configuration. */
void summary_statistics(const struct summary *summary, const struct config *config,
                        struct summary_statistics *statistics);

/** Add the observables of the run that is resumed, up to the frame at which it continues; frames from output.mean_from
 * on count. */
bool summary_recall(struct summary *summary, const struct previous_run *past, const struct config *config,
                    struct fault *fault);

/** Print the line in one piece: to standard output, or to standard error if standard output is an output.
 *
 * @return false with a fault if it could not be written; a reader that closed the pipe is not an error.
 */
bool summary_print(const struct summary *summary, const struct config *config, const struct options *options,
                   const struct targets *targets, struct fault *fault);

#endif
