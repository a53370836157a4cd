/* Chunks that went through the filters shuffle and deflate (gzip). The library unpacks them in full trust: whatever a
 * chunk swells to, it makes room for, and of one that turns out too short it copies what lies behind it in memory. So they
 * are taken packed and unpacked here. */
#ifndef HDF5_UNPACK_H
#define HDF5_UNPACK_H

#include "set.h"

/** The chunk that begins at `origin`, as it lies in the file, into hdf5_set_chunk_bytes() of room. */
bool hdf5_unpack(const struct hdf5_set *set, const hsize_t *origin, unsigned char *bytes,
                 struct fault *fault);

#endif
