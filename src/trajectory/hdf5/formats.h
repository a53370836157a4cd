/* What trajectory/ uses of hdf5/: to write, to read frame by frame, and to begin from a state. It needs no header of the
 * library. */
#ifndef HDF5_FORMATS_H
#define HDF5_FORMATS_H

#include "trajectory/format.h"
#include "trajectory/frame_reader.h"

/** Agents that are read or written at once, if a whole frame is not needed. */
enum { HDF5_SLAB_ROWS = 1 << 18 };

struct trajectory_past;

extern const struct format format_hdf5;
extern const struct frame_reader_format h5_frames;

/** The writer of a file that begins with the frames of an earlier run; NULL with a fault. */
void *h5_continue(const struct trajectory_past *past, const struct atomic_file *part,
                  const struct trajectory_about *about, struct fault *fault);

/** Read the rows of one frame, whatever the name of the file, and its step; frame 0 in the run's own numbers. */
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
 * @param is_rounded  as in struct trajectory_about.
 * @param is_kept     its steps were counted on from those of another file: the state may have any step.
 * @return false with a fault (refused) if the file does not hold it; `start` is then empty.
 */
bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, bool is_kept,
                           struct fault *fault);

/** What was measured of a run, read from its trajectory row by row. */
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

#endif
