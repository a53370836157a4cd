/* The frames of an earlier run, into the file that goes on from them. */
#ifndef HDF5_COPY_H
#define HDF5_COPY_H

#include "past.h"
#include "writer.h"

/** Write the frames up to `past->last`, have them flushed to the file, which is open as `next`, and compare what is there
 * with what was read. */
bool hdf5_copy(struct hdf5_writer *w, const struct trajectory_past *past, int next, struct fault *fault);

#endif
