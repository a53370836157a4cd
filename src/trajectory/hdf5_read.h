/* What the other rooms of HDF5 ask the reader. */
#ifndef HDF5_READ_H
#define HDF5_READ_H

#include "agent.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/** Before anything else: keep the library from printing its own messages, from tidying up at exit behind a run that
 * failed, and from locking files. */
void hdf5_quieten(void);

/** How many whole frames a file holds; 0 for one that is not there or not ours. */
uint64_t hdf5_count_frames(const char *path);

/** Open a file to read it, without a lock; negative when it is no HDF5 file. */
hid_t hdf5_open_to_read(const char *path);

/** All of a one-dimensional dataset of `count` numbers, to be freed; NULL when it is not there or empty. */
int64_t *hdf5_read_line(hid_t where, const char *name, hsize_t *count);

/** The step of each row, -1 where there is no whole frame; as hdf5_read_line(). */
int64_t *hdf5_read_steps(hid_t file, hsize_t *count);

/** A row of a dataset [T, agents, 2 or more], its first two columns as [agents, 2]; false when it is not there. */
bool hdf5_read_row(hid_t set, hsize_t row, hsize_t agents, double *values);

/** Whether a file holds frame 0 in full, because its frames are rounded. */
bool hdf5_initial_is_there(hid_t file);

/** Read it, `count` agents in order of a frame; false when it is not that many. */
bool hdf5_initial_read(hid_t file, size_t count, struct agent *agents);

/** The values of an observable; negative when there is none of that name. */
hid_t hdf5_open_observable(hid_t file, const char *name);

/** So many numbers of a one-dimensional dataset; NAN where there is none. */
void hdf5_read_numbers(hid_t set, hsize_t first, hsize_t count, double *numbers);

#endif
