/* What an earlier run left in an HDF5 file, to go on from or to begin anew. Nothing is touched here. */
#ifndef HDF5_PAST_H
#define HDF5_PAST_H

#include "trajectory/cadence.h"
#include "trajectory/frames.h"
#include "trajectory/part.h"
#include "trajectory/rows.h"

/** What an earlier run left in an HDF5 file, to be continued. */
struct trajectory_past {
    char *
        output; /**< the name that it has, or will have, when complete; NAME.h5 also where NAME.h5.part was given */
    struct part part; /**< where that is */
    const char *name; /**< the file with its frames, for sentences: NAME.h5.part or NAME.h5 */
    const char *path; /**< the same, links followed */
    char *config;     /**< its configuration, JSON */
    bool is_whole;    /**< it ended as it was to end, and has its final name */
    uint64_t steps;   /**< the last step in it */
    /* Until trajectory_past_load() empty and 0. */
    uint64_t frames; /**< from the first one to the last on the grid */
    struct snapshot first,
        last; /**< what it began with, and the last of those frames, or without any the same */
};

/** Find what there is to continue, without touching it: PATH.part where that holds a whole frame, else PATH. Refuses what
 * boids did not write, what cannot be read or written, and what is being written.
 *
 * @return false with a fault. To be freed with trajectory_past_free() either way.
 */
bool trajectory_past_open(struct trajectory_past *past, const char *path, struct fault *fault);

/** How frames were asked for. */
struct trajectory_past_plan {
    struct cadence frame_steps; /**< its first step counts where it lies behind that of the initial state */
    bool is_rounded; /**< as in struct trajectory_about: states are then taken from the file's checkpoint */
    bool is_kept; /**< steps were counted on from those of another file: the initial state may lie at any */
};

/** Read what it began with and the last whole frame on the grid, in the run's own numbers. */
bool trajectory_past_load(struct trajectory_past *past, const struct trajectory_past_plan *plan,
                          struct fault *fault);

/** Refuse a file in which an observable, by name, was measured at other steps than these, up to the frame that is continued
 * from. One that the file was never asked for is no fault. */
bool trajectory_past_check_measured(const struct trajectory_past *past, const char *name,
                                    struct cadence steps, struct fault *fault);

/** What was measured first, `count` times, by name; NAN where nothing was.
 *
 * @return false with a fault when the file cannot be read.
 */
bool trajectory_past_observable(const struct trajectory_past *past, const char *name, double *values,
                                uint64_t count, struct fault *fault);

/** Free it; an empty one is accepted. */
void trajectory_past_free(struct trajectory_past *past);

/** Refuse a file that another program has locked to write it, and may be in the middle of changing. */
bool trajectory_check_unused(const char *path, const char *name, struct fault *fault);

/** The path of a trajectory, PATH or, where that alone is there, PATH.part, to be freed. NULL with a fault. */
char *trajectory_find_either(const char *path, struct fault *fault);

/** The configuration that a trajectory carries, to be freed; of PATH.part where there is no PATH. NULL with a fault. */
char *trajectory_read_config(const char *path, struct fault *fault);

/** The hash of the state that its run began with, as the trajectory tells it; of PATH.part where there is no PATH. Files of
 * 0.1.0 have none. */
bool trajectory_read_initial_hash(const char *path, uint64_t *hash, bool *is_there, struct fault *fault);

/** The state that its run began with, in the run's own numbers; of PATH.part where there is no PATH.
 *
 * @param is_rounded  as in struct trajectory_about.
 * @param is_kept     its steps were counted on from those of another file: the state may lie at any step.
 * @return false with a fault (refused) when the file does not hold it; `start` is then empty.
 */
bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, bool is_kept,
                           struct fault *fault);

/** What was measured of a run, read from its trajectory row by row. */
struct trajectory_measured;

/** Begin to read; the names of all observables that this program knows are borrowed. NULL with a fault. */
struct trajectory_measured *trajectory_measured_open(const char *path, const char *const *names, size_t count,
                                                     struct fault *fault);

/** Read the next row: its step, and the value of each name, NAN for those that the file does not hold. */
enum frames_found trajectory_measured_next(struct trajectory_measured *measured, uint64_t *step,
                                           double *values, struct fault *fault);

/** NULL is accepted. */
void trajectory_measured_close(struct trajectory_measured *measured);

/** Refuse, without touching anything, a regular file whose .part holds frames of a run that could be resumed. */
bool hdf5_check_resumable(const struct part *part, struct fault *fault);

#endif
