/* Where a state stands in a file, and how much of one is in hand at once. It can be read without the library's header. */
#ifndef HDF5_PLACE_H
#define HDF5_PLACE_H

#include <stdint.h>

enum hdf5_where {
    HDF5_IN_FRAMES, /**< one of them */
    HDF5_INITIAL,   /**< what the run began with, apart from them (checkpoint.c) */
    HDF5_SLOT       /**< the last one on the grid, where frames are rounded: likewise */
};

struct hdf5_place {
    enum hdf5_where where;
    int64_t row; /**< of the frames, or of the slots */
    uint64_t step;
};

/* A slab: agents that are read or written at once, where a whole frame is not needed. */
enum { HDF5_SLAB_ROWS = 1 << 18 };

#endif
