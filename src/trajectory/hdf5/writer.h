/* An HDF5 file that is being written. */
#ifndef HDF5_WRITER_H
#define HDF5_WRITER_H

#include "layout.h"
#include "trajectory/atomic_file.h"

enum { HDF5_MOST_PENDING = 4096 };

/** Rows that are written one after another; a row is committed when its step is written. */
struct hdf5_rows {
    hsize_t count;                      /**< written */
    hsize_t committed;                  /**< those whose step is in the file */
    int64_t pending[HDF5_MOST_PENDING]; /**< the steps of the others */
};

struct hdf5_writer {
    const struct atomic_file *part;
    int lock; /**< NAME.part, locked and held open until it has its name; the library's own lock can be switched off */
    struct hdf5_failure failure;
    struct hdf5_layout layout;
    struct hdf5_rows frames;
    struct hdf5_rows samples; /**< of what is measured, where that has steps of its own */
    size_t slab;              /**< agents that are written at once: of a frame that is packed all */
    double *buffer;           /**< their positions, then their velocities */
    uint64_t hash;            /**< of the frame in hand, so far */
    double flushed;           /**< when, on the monotonic clock */
};

/** A writer without a file, to be freed; NULL with a fault. */
struct hdf5_writer *hdf5_writer_make(const struct atomic_file *part, const struct trajectory_about *about,
                                     struct fault *fault);
void hdf5_writer_free(struct hdf5_writer *w);

/** Write into its empty file all that is in it before the first frame. The descriptor stays the caller's. */
bool hdf5_writer_begin(struct hdf5_writer *w, int descriptor, struct fault *fault);

/** As trajectory_write(). */
bool hdf5_write(void *writer, const struct frame *frame, struct fault *fault);

/** Commit all frames and flush them to the file. */
bool hdf5_flush(struct hdf5_writer *w, struct fault *fault);

#endif
