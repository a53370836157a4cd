/* The line that --summary prints: the run, how it ended, its speed and its observables. */
#pragma once

#include "base/error.h"
#include "cli/options/options.h"
#include "cli/output/targets.h"
#include "config/config.h"
#include "measure/measure.h"
#include "measure/series_stats.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** The facts about a run, collected during it and completed at its end. */
struct summary {
    time_t started;
    double begun;        /**< start of the run on the monotonic clock, in seconds */
    double step_seconds; /**< time spent in steps, without outputs */
    double last[MEASURE_COUNT];
    /** Statistics of the samples that are part of the mean and are defined. */
    struct series_stats series[MEASURE_COUNT];

    uint64_t steps;         /**< the last step, counted from step 0 */
    uint64_t first;         /**< number of steps of the earlier run, if this run resumes one */
    const char *status;     /**< "done", "stopped" or "failed" */
    const char *stopped_by; /**< why the run ended before its last step (stop.h), or NULL */
    uint64_t initial_hash;
    uint64_t hash;        /**< hash of the last state */
    bool has_hash;        /**< false: a failed step left no valid state */
    bool is_out_of_range; /**< the run failed because an agent was outside the range of the arithmetic */
};

enum { SUMMARY_STATISTICS = 6 };
extern const char *const summary_names[SUMMARY_STATISTICS];

/** Statistics of all frames from output.mean_from on. A value is NAN if its observable is defined in too few frames. */
struct summary_statistics {
    /** For each observable: the last value, the mean, the standard deviation, the standard error, the autocorrelation time in steps and the
     * drift (measure/series_stats.h). */
    double of[SUMMARY_STATISTICS][MEASURE_COUNT];
    double binder, susceptibility; /**< statistics of the polarization */
    double averaged_steps; /**< number of steps from the first to the last frame that the means include */
};

/** Start a summary without samples, and store the time. */
void summary_begin(struct summary *summary);

/** Add an observable of the next frame; `counts` is true if the frame is part of the mean. */
void summary_add(struct summary *summary, int quantity, double value, bool counts);

/** Compute the statistics of the frames of the mean, for a run with this configuration. */
void summary_statistics(const struct summary *summary, const struct config *config,
                        struct summary_statistics *statistics);

/** Print the line with one write: to standard output or, if an output goes to standard output, to standard error.
 *
 * @return false with an error if the line cannot be written. It is not an error if the reader of the pipe has closed
 *   it.
 */
bool summary_print(const struct summary *summary, const struct config *config, const struct options *options,
                   const struct targets *targets, struct error *error);
