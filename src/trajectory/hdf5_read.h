/* What the writer of HDF5 asks the reader. */
#ifndef HDF5_READ_H
#define HDF5_READ_H

#include <stdint.h>

/** Before anything else: keep the library from printing its own messages, from tidying up at exit behind a run that
 * failed, and from locking files. */
void hdf5_quieten(void);

/** How many whole frames a file holds; 0 for one that is not there or not ours. */
uint64_t hdf5_count_frames(const char *path);

#endif
