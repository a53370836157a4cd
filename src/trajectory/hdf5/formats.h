/* What trajectory/ uses of hdf5/: to write, to read frame by frame, and to begin from a state. It needs no header of the
 * library. */
#ifndef HDF5_FORMATS_H
#define HDF5_FORMATS_H

#include "trajectory/format.h"

/** Refuse a path if this program is built without HDF5: without_hdf5/ has the same functions, which all refuse. */
bool h5_check_built(const char *path, struct fault *fault);

/** Agents that are read or written at once, if a whole frame is not needed. */
enum { HDF5_SLAB_ROWS = 1 << 18 };

struct previous_run;

extern const struct format format_hdf5;
extern const struct frame_reader_format h5_frames;

/** The writer of a file that begins with the frames of an earlier run; NULL with a fault. */
void *h5_continue(const struct previous_run *past, const struct atomic_file *part,
                  const struct trajectory_metadata *about, struct fault *fault);

/** Read the rows and the step of one frame, whatever the file is called; frame 0 is read in the precision of the run,
 * not rounded. */
bool h5_snapshot_rows(struct agent_list *rows, uint64_t *step, const struct frame_request *request,
                      struct fault *fault);

/** The path of a trajectory, PATH or, if only that exists, PATH.part; free it. NULL with a fault. */
char *trajectory_find_either(const char *path, struct fault *fault);

/** The configuration that a trajectory carries; free it. Of PATH.part if there is no PATH. NULL with a fault. */
char *trajectory_read_config(const char *path, struct fault *fault);

/** The hash of the initial state, as the trajectory stores it; of PATH.part if there is no PATH. Files of 0.1.0 have none. */
bool trajectory_read_initial_hash(const char *path, uint64_t *hash, bool *is_there, struct fault *fault);

/** The initial state, in the run's own numbers; of PATH.part if there is no PATH.
 *
 * @param is_rounded  as in struct trajectory_metadata.
 * @param is_kept     its steps continue those of another file, so the state may have any step.
 * @return false with a fault (refused) if the file does not hold it; `start` is then empty.
 */
bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, bool is_kept,
                           struct fault *fault);

/** The observables of a run, read from its trajectory row by row. */
struct trajectory_measured;

/** Begin to read; the names of all observables that this program knows are borrowed. NULL with a fault. */
struct trajectory_measured *trajectory_measured_open(const char *path, const char *const *names, size_t count,
                                                     struct fault *fault);

/** Read the next row: its step, and the value of each name, NAN for those that the file does not hold. */
enum frame_reader_status trajectory_measured_next(struct trajectory_measured *measured, uint64_t *step,
                                                  double *values, struct fault *fault);

/** NULL is accepted. */
void trajectory_measured_close(struct trajectory_measured *measured);

/** Refuse, without touching anything, a regular file whose .part holds frames of a run that could be resumed. */
bool h5_check_resumable(const struct atomic_file *part, struct fault *fault);

/* --resume: an earlier run in an HDF5 file is continued. Nothing is changed before h5_continue(). */

struct h5_run;

/** An earlier run. */
struct previous_run {
    char *output;            /**< NAME.h5, also if NAME.h5.part was given */
    struct atomic_file part; /**< the paths of that output */
    const char *name;        /**< the file with its frames, for sentences: NAME.h5.part or NAME.h5 */
    const char *path;        /**< the same, links followed */
    char *config;            /**< its configuration, JSON */
    struct h5_run *run;      /**< the open file; closed when its frames were copied */
    bool is_whole;           /**< it is complete and has its final name */
    uint64_t steps;          /**< the last step in it */
    /* The rest is empty until previous_run_load(). */
    uint64_t frames;       /**< whole frames at multiples of output.every, up to the first that is missing */
    struct snapshot first; /**< its initial state */
    struct snapshot last;  /**< the last of those frames; the initial state if there are none */
};

/** Find the file to continue, without changing it: PATH.part if that holds a whole frame, else PATH. Refused: a file that boids
 * did not write, that cannot be read or written, or that is being written.
 *
 * @return false with a fault. Free it with previous_run_free() either way.
 */
bool previous_run_open(struct previous_run *past, const char *path, struct fault *fault);

/** What the configuration says about frames. */
struct previous_run_plan {
    struct interval frame_steps; /**< steps before the initial state do not count */
    bool is_rounded; /**< as in struct trajectory_metadata: states are then read from the checkpoint */
    bool is_kept;    /**< with --keep-step: the initial state may have any step */
};

/** Read the initial state and the last whole frame at a step of the interval, in the run's own numbers. */
bool previous_run_load(struct previous_run *past, const struct previous_run_plan *plan, struct fault *fault);

/** Refuse a file in which an observable was measured at other steps than these, up to the frame that is continued
 * from. It is no fault if the file was never to contain the observable. */
bool previous_run_check_measured(const struct previous_run *past, const char *name, struct interval steps,
                                 struct fault *fault);

/** Read the first `count` values of an observable, unchecked; NAN if the file was never asked for it. */
bool previous_run_observable(const struct previous_run *past, const char *name, double *values,
                             uint64_t count, struct fault *fault);

/** Free it; an empty struct is accepted. */
void previous_run_free(struct previous_run *past);

/** Refuse a file that another program has locked to write it. */
bool trajectory_check_unused(const char *path, const char *name, struct fault *fault);

/* --verify: a whole trajectory is read and compared with its hashes. */

/** The contents of a file that was verified. */
struct trajectory_health {
    uint64_t frames, samples; /**< samples: rows of observables */
    bool is_closed;           /**< false: the run is still writing, or was killed */
};

/** What a file must hold, by its configuration. */
struct trajectory_wanted {
    uint64_t seed;
    bool has_observables;
    bool is_rounded;      /**< it has a checkpoint */
    bool has_initial;     /**< it has the initial state apart from the frames */
    bool has_initial_ids; /**< likewise the ids of all agents */
};

/** Fill it in from a configuration; false if that is not understood, for example because a later version wrote it. */
typedef bool trajectory_wants(struct trajectory_wanted *wanted, const char *config);

/** Read all of a trajectory, or of PATH.part if there is no PATH. A file that is being written is refused.
 *
 * @param names  of the observables that there may be.
 * @return false with a fault: refused if it cannot be verified, because it is no HDF5 file, boids did not write it, or it is
 *         older than hashes; failed if it is damaged, with the first step whose numbers are not those that were written.
 */
bool trajectory_verify(struct trajectory_health *health, const char *path, const char *const *names,
                       size_t count, trajectory_wants *wants, struct fault *fault);

#endif
