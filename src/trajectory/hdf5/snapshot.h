/* One frame out of a file as a state to begin from. */
#ifndef HDF5_SNAPSHOT_H
#define HDF5_SNAPSHOT_H

#include "trajectory/rows.h"

/** Read the rows of one frame, and its step. */
bool hdf5_snapshot_rows(struct rows *rows, uint64_t *step, const struct rows_wish *wish, struct fault *fault);

/** Read one step of the file at `path`, whatever its name; `name` is for sentences. */
bool hdf5_snapshot_read_step(struct snapshot *snapshot, const char *path, const char *name, uint64_t step,
                             struct fault *fault);

/** Likewise, frame 0 in the run's own numbers; where frames are rounded, it has to be there in full. */
bool hdf5_snapshot_read_start(struct snapshot *snapshot, const char *path, const char *name, bool is_rounded,
                              struct fault *fault);

#endif
