/* The one line of --summary: what was run, how it ended, how fast it was and what was measured. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "cli/options/options.h"
#include "cli/output/targets.h"
#include "config/config.h"
#include "fault.h"
#include "measure/measure.h"
#include "measure/running_stats.h"

#include <stdint.h>
#include <time.h>

/** What is noted on the way. */
struct summary {
    time_t started;
    double begun;        /**< on the monotonic clock */
    double step_seconds; /**< spent in steps alone */
    double last[MEASURE_COUNT];
    struct running_stats series[MEASURE_COUNT]; /**< of the samples that count for the mean, where defined */
};

/** What is said of all the frames that count. NAN where too few were defined. */
struct summary_statistics {
    double mean[MEASURE_COUNT], sd[MEASURE_COUNT], error[MEASURE_COUNT]; /**< as series.h has them */
    double binder, susceptibility;                                       /**< of the polarization */
};

/** Note the time; nothing has been measured yet. */
void summary_begin(struct summary *summary);

/** Note what was measured of a frame; `counts` when it is part of the mean. */
void summary_sample(struct summary *summary, const double values[MEASURE_COUNT], bool counts);

/** Work out the statistics over the frames that count, of a flock of so many boids. */
void summary_statistics(const struct summary *summary, uint32_t boids, struct summary_statistics *statistics);

/** Note what an earlier run measured, up to the frame that is continued from; frames from output.mean_from on count. */
bool summary_recall(struct summary *summary, const struct trajectory_past *past, const struct config *config,
                    struct fault *fault);

/** How a run ended. */
struct summary_end {
    uint64_t steps;         /**< flown in all */
    uint64_t first;         /**< flown before, by the run that this one continues */
    const char *status;     /**< "done", "stopped" or "failed" */
    const char *stopped_by; /**< why it ended before its last step (stop_reason.h), or NULL */
    uint64_t initial_hash;
    uint64_t hash; /**< of the last state */
    bool has_hash; /**< false: a failed step left no state worth one */
};

/** Print the line, in one piece: on standard output, or on standard error when an output has taken that.
 *
 * @return false with a fault when it could not be written; a reader that has gone away is none.
 */
bool summary_print(const struct summary *summary, const struct config *config, const struct options *options,
                   const struct targets *targets, const struct summary_end *end, struct fault *fault);

#endif
