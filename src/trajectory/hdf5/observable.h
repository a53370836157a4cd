/* What was measured of the frames in a file. */
#ifndef HDF5_OBSERVABLE_H
#define HDF5_OBSERVABLE_H

#include "set.h"

#include <stddef.h>

/** The values of an observable. HDF5_ABSENT only where the file was never asked for it. */
enum hdf5_found hdf5_observable_open(struct hdf5_set *set, const struct hdf5_source *source, const char *name,
                                     struct fault *fault);

/** Read so many values of one; NAN where it was absent, and is all zeros. */
bool hdf5_observable_read(const struct hdf5_set *set, hsize_t first, hsize_t count, double *values,
                          struct fault *fault);

/** Refuse a file that holds others than these. */
bool hdf5_observable_check_all(const struct hdf5_source *source, const char *const *names, size_t count,
                               struct fault *fault);

#endif
