/* The configuration that a file carries. */
#ifndef HDF5_CONFIG_H
#define HDF5_CONFIG_H

#include "source.h"

/** Whether boids wrote a file; false with a fault (refused) where it did not. */
bool hdf5_config_is_ours(const struct hdf5_source *source, struct fault *fault);

/** Read it, held against its hash (proof.h); to be freed when it was found. HDF5_ABSENT where boids did not write the file. */
enum hdf5_found hdf5_config_read(const struct hdf5_source *source, char **config, struct fault *fault);

#endif
