/* One frame out of a file as a state to begin from. */
#ifndef HDF5_SNAPSHOT_H
#define HDF5_SNAPSHOT_H

#include "place.h"
#include "trajectory/rows.h"

struct hdf5_source;

/** Find the frame that is wished for, or what stands in its place. */
bool hdf5_snapshot_find(const struct hdf5_source *source, const struct rows_wish *wish,
                        struct hdf5_place *place, struct fault *fault);

/** Read the rows of one frame, whatever the name of the file, and its step; frame 0 in the run's own numbers. */
bool hdf5_snapshot_rows(struct rows *rows, uint64_t *step, const struct rows_wish *wish, struct fault *fault);

#endif
