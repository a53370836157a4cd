/* An HDF5 file that is being written. */
#ifndef HDF5_WRITER_H
#define HDF5_WRITER_H

#include "layout.h"
#include "trajectory/atomic_file.h"

enum { HDF5_MOST_PENDING = 4096 };

/** Rows that are written one after another; a row is committed when its step is written. */
struct h5_rows {
    hsize_t count;                      /**< rows that were written */
    hsize_t committed;                  /**< rows whose step is in the file */
    int64_t pending[HDF5_MOST_PENDING]; /**< steps of the rows that are not committed */
};

struct h5_writer {
    const struct atomic_file *part;
    int lock; /**< NAME.part, locked and held open until it has its name; the library's own lock can be switched off */
    struct h5_failure failure;
    struct h5_layout layout;
    struct h5_rows frames;
    struct h5_rows samples; /**< of observables, if they have steps of their own */
    size_t slab;            /**< agents that are written at once: all if frames are compressed */
    double *buffer;         /**< their positions, then their velocities */
    uint64_t hash;          /**< of the current frame, so far */
    double flushed;         /**< time of the last flush, monotonic clock */
};

/** Create a writer without a file; free it. NULL with a fault. */
struct h5_writer *h5_writer_make(const struct atomic_file *part, const struct trajectory_about *about,
                                 struct fault *fault);
void h5_writer_free(struct h5_writer *w);

/** Write the layout into an empty file. The descriptor stays the caller's. */
bool h5_writer_begin(struct h5_writer *w, int descriptor, struct fault *fault);

/** As trajectory_write(). */
bool h5_write(void *writer, const struct frame *frame, struct fault *fault);

/** Commit all frames and flush them to the file. */
bool h5_flush(struct h5_writer *w, struct fault *fault);

#endif
