/* The functions of hdf5/ that other folders use. They write a trajectory, read its frames, and read the state from
 * which a run starts. This header includes no header of the HDF5 library. */
#pragma once

#include "trajectory/format_interface.h"

/** Refuse `path` if this program was built without HDF5. Such a build uses the functions in without_hdf5/ instead of
 * those in hdf5/; they refuse every file that needs HDF5. */
bool h5_check_built(const char *path, struct error *error);

/** The number of agents that are read or written at once if a whole frame is not needed. Their numbers stay in the
 * cache of the processor. */
enum { HDF5_SLAB_ROWS = 1 << 14 };

struct previous_run;

extern const struct format format_hdf5;
extern const struct frame_reader_format h5_frames;

/** Create the writer of a file that starts with the frames of an earlier run; NULL with an error. */
void *h5_continue(const struct previous_run *previous, const struct atomic_file *part,
                  const struct trajectory_metadata *about, struct error *error);

/** Read the agents and the step of one frame of an HDF5 file, whatever its extension is. Frame 0 is read in the number format of the
 * run, not rounded. */
bool h5_read_frame(struct frame *state, const struct frame_request *request, struct error *error);

enum { TRAJECTORY_PATH_SIZE = CONFIG_PATH_SIZE + 8 };

/** The path of a trajectory: PATH, or PATH.part if only that exists. False with an error if there is neither. */
bool trajectory_find_either(const char *path, char there[TRAJECTORY_PATH_SIZE], struct error *error);

/** Read the configuration that is stored in PATH, or in PATH.part if PATH does not exist. The caller frees it. NULL
 * with an error. */
char *trajectory_read_config(const char *path, struct error *error);

/** Read the initial state, in the number format of the run, from PATH, or from PATH.part if PATH does not exist.
 *
 * @param request wants_initial: the run was started with --keep-step, so the initial state may have any step.
 * @return false with an error (ERROR_REFUSED) if the file does not contain it; `start` is then empty.
 */
bool trajectory_read_start(struct frame *start, struct frame_request request, struct error *error);

/** Refuse a regular file whose .part contains frames of a run that could be resumed. No file is changed. */
bool h5_check_resumable(const struct atomic_file *part, struct error *error);

/* --resume: continue an earlier run from its HDF5 file. No file is changed before h5_continue(). */

/** An earlier run that --resume continues. */
struct previous_run {
    char *output;            /**< NAME.h5, also if NAME.h5.part was given */
    struct atomic_file part; /**< the paths of that output */
    const char *name;        /**< the file that contains its frames, for messages: NAME.h5.part or NAME.h5 */
    char *config;            /**< its configuration as JSON */
    struct h5_run *run;      /**< the open file; it is closed after its frames are copied */
    bool is_whole;           /**< the file is complete and has its final name */
    uint64_t steps;          /**< the last step in the file */
    uint64_t end;            /**< the last step of the run that continues it; set by the caller */
    uint32_t observables;    /**< a bit for each observable that it contains, as in output.observables */
    /* The rest is empty until previous_run_load(). */
    /** Number of complete frames at multiples of output.every before the first missing one. */
    uint64_t frames;
    struct frame first;   /**< its initial state */
    struct frame written; /**< the last of these frames, if `last` is its state in full precision */
    struct frame last;    /**< the last of these frames; the initial state if there is none */
};

/** Open the file to continue, without changing it: PATH.part if that contains a complete frame, otherwise PATH. The
 * file is refused if boids did not write it, if it cannot be read or written, or if another run is writing it.
 *
 * @return false with an error. Free `previous` with previous_run_free() in both cases.
 */
bool previous_run_open(struct previous_run *previous, const char *path, struct error *error);

/** Read the initial state and the last complete frame at a multiple of output.every, in the number format of the run. `config` is the
 * configuration of the file; the file must contain all observables up to that frame. */
bool previous_run_load(struct previous_run *previous, const struct config *config, struct error *error);

/** Read the first `count` values of an observable without checking them. They are NAN if the file was written without
 * this observable. */
bool previous_run_observable(const struct previous_run *previous, const char *name, double *values,
                             uint64_t count, struct error *error);

/** Free the memory of an earlier run; an empty struct is accepted. */
void previous_run_free(struct previous_run *previous);

/** Refuse a file that another program is writing and has locked. */
bool trajectory_check_unused(const char *path, const char *name, struct error *error);

/* --verify: read a whole trajectory and compare its contents with the hashes stored in it. */

/** The contents of a file that was verified. */
struct verify_report {
    uint64_t frames, samples; /**< number of frames, and of rows of observables */
    bool is_closed;           /**< false: the run is still writing, or it was killed */
};

/** Read and verify all of PATH, or of PATH.part if PATH does not exist. A file that is being written is refused.
 *
 * @param names the names of all observables that the file may contain.
 * @return false with an error. The error is `refused` if the file cannot be verified: it is not an HDF5 file, boids did
 *   not write it, or it is too old to contain hashes. The error is `failed` if the file is damaged; its message names
 *   the first step whose data do not match their hash.
 */
bool trajectory_verify(struct verify_report *report, const char *path, const char *const *names, size_t count,
                       struct error *error);
