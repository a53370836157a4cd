/* --resume: an earlier run in an HDF5 file, to be continued. Nothing is changed before h5_continue() (formats.h). */
#ifndef HDF5_RESUME_H
#define HDF5_RESUME_H

#include "trajectory/agent_list.h"
#include "trajectory/atomic_file.h"
#include "trajectory/format.h"

struct h5_run;

/** An earlier run. */
struct trajectory_past {
    char *
        output; /**< the name that it has, or will have, when complete; NAME.h5 also where NAME.h5.part was given */
    struct atomic_file part; /**< where that is */
    const char *name;        /**< the file with its frames, for sentences: NAME.h5.part or NAME.h5 */
    const char *path;        /**< the same, links followed */
    char *config;            /**< its configuration, JSON */
    struct h5_run *run;      /**< the open file; closed when its frames were copied */
    bool is_whole;           /**< it is complete and has its final name */
    uint64_t steps;          /**< the last step in it */
    /* The rest is empty until trajectory_past_load(). */
    uint64_t frames; /**< whole frames at the steps of the interval, none left out */
    struct snapshot first,
        last; /**< what it began with, and the last of those frames, or without any the same */
};

/** Find what there is to continue, without touching it: PATH.part where that holds a whole frame, else PATH. Refuses what
 * boids did not write, what cannot be read or written, and what is being written.
 *
 * @return false with a fault. To be freed with trajectory_past_free() either way.
 */
bool trajectory_past_open(struct trajectory_past *past, const char *path, struct fault *fault);

/** What the configuration says about frames. */
struct trajectory_past_plan {
    struct interval frame_steps; /**< its first step counts where it lies behind that of the initial state */
    bool
        is_rounded; /**< as in struct trajectory_metadata: states are then taken from the file's checkpoint */
    bool is_kept;   /**< steps were counted on from those of another file: the initial state may lie at any */
};

/** Read what it began with and the last whole frame on the grid, in the run's own numbers. */
bool trajectory_past_load(struct trajectory_past *past, const struct trajectory_past_plan *plan,
                          struct fault *fault);

/** Refuse a file in which an observable, by name, was measured at other steps than these, up to the frame that is continued
 * from. One that the file was never asked for is no fault. */
bool trajectory_past_check_measured(const struct trajectory_past *past, const char *name,
                                    struct interval steps, struct fault *fault);

/** What was measured first, `count` times, by name; NAN where nothing was.
 *
 * @return false with a fault when the file cannot be read.
 */
bool trajectory_past_observable(const struct trajectory_past *past, const char *name, double *values,
                                uint64_t count, struct fault *fault);

/** Free it; an empty struct is accepted. */
void trajectory_past_free(struct trajectory_past *past);

/** Refuse a file that another program has locked to write it, and may be in the middle of changing. */
bool trajectory_check_unused(const char *path, const char *name, struct fault *fault);

#endif
