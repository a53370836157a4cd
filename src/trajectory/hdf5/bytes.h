/* Bytes at a place of an open file, whoever else writes elsewhere in it. */
#ifndef HDF5_BYTES_H
#define HDF5_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Write them all; false with errno. */
bool hdf5_bytes_write(int descriptor, uint64_t address, size_t size, const void *bytes);

/** Read them all; what lies behind the end of the file reads as zeros. False with errno. */
bool hdf5_bytes_read(int descriptor, uint64_t address, size_t size, void *bytes);

#endif
