/* A dataset that may be read, contiguous or in chunks: what it is made of, how far it extends and where its numbers lie
 * were checked when it was opened, against what boids writes and against the size of the file. */
#ifndef HDF5_SET_H
#define HDF5_SET_H

#include "source.h"

enum hdf5_kind {
    HDF5_REAL,  /**< float32 or float64; read as double */
    HDF5_WHOLE, /**< int32 or int64; read as int64_t */
    HDF5_BITS,  /**< uint64: hashes */
    HDF5_TEXT   /**< of a fixed length */
};

enum { HDF5_MOST_RANK = 3, HDF5_MOST_COLUMNS = 4, HDF5_MOST_TEXT = 1 << 20 };

struct hdf5_set {
    const struct hdf5_source *source;
    char path[128]; /**< for sentences */
    hid_t set, type;
    size_t type_size;
    int rank;
    hsize_t size[HDF5_MOST_RANK];  /**< 1 beyond its rank */
    hsize_t chunk[HDF5_MOST_RANK]; /**< likewise; 0: it lies in one piece */
    unsigned shuffled_bytes;       /**< the size of a number, as the shuffle filter has it */
    int shuffle, deflate;          /**< which filter of a chunk each is, the first one is 0; -1: none */
};

/** Open and check it. A file of S bytes has at most S frames, S agents and HDF5_MOST_COLUMNS columns, a text of at most
 * HDF5_MOST_TEXT bytes: so that no product of extents can overflow, and reading takes memory in proportion to the file.
 */
enum hdf5_found hdf5_set_open(struct hdf5_set *set, const struct hdf5_source *source, const char *path,
                              enum hdf5_kind kind, int rank, struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void hdf5_set_close(struct hdf5_set *set);

/** Whether a chunk is packed by filters. */
bool hdf5_set_is_packed(const struct hdf5_set *set);

/** Bytes of one chunk, unpacked. */
size_t hdf5_set_chunk_bytes(const struct hdf5_set *set);

#endif
