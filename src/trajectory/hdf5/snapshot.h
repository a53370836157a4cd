/* One frame out of a file as a state to begin from. */
#ifndef HDF5_SNAPSHOT_H
#define HDF5_SNAPSHOT_H

#include "trajectory/rows.h"

/** Read the rows of one frame, whatever the name of the file, and its step; frame 0 in the run's own numbers. */
bool hdf5_snapshot_rows(struct rows *rows, uint64_t *step, const struct rows_wish *wish, struct fault *fault);

#endif
