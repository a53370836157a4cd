/* An HDF5 file that is being written. layout.c creates its datasets, writer.c writes frames into them. */
#ifndef HDF5_WRITER_H
#define HDF5_WRITER_H

#include "hash.h"
#include "trajectory/format.h"
#include "vfd.h"

enum { HDF5_DIMS = 3, HDF5_AXIS_CHUNK = 1024, HDF5_MAX_PENDING = 4096 };

/** Rows that are written one after another; a row is committed when its step is written. */
struct h5_rows {
    hid_t step, time;                  /**< datasets, one number per row */
    hsize_t extent;                    /**< rows that the datasets have room for */
    hsize_t count;                     /**< rows that were written */
    hsize_t committed;                 /**< rows whose step is in the file */
    int64_t pending[HDF5_MAX_PENDING]; /**< steps of the rows that are not committed */
};

/** The datasets of one species. */
struct h5_particles {
    hid_t position, velocity; /**< -1: output.fields leaves it out */
    size_t first, count;      /**< index of its first agent in a frame */
};

struct h5_writer {
    const struct atomic_file *part;
    const struct trajectory_metadata *about;
    int lock; /**< descriptor of NAME.part, locked and kept open until the file is renamed; our own lock is needed because the library's can be switched off */

    bool has_failed; /**< a library call failed; all later ones fail harmlessly */
    int error;       /**< errno of the first one that failed */

    struct h5_vfd_file disk;
    hid_t file;
    hsize_t dims;           /**< 2 or 3 */
    hsize_t block;          /**< frames by which the datasets grow; a power of two, at most HDF5_AXIS_CHUNK */
    struct h5_rows frames;  /**< positions and velocities; observables, unless they have steps of their own */
    struct h5_rows samples; /**< observables that are measured at other steps */
    bool has_samples;
    struct h5_particles groups[2];
    hid_t edges;        /**< of the box; -1 unless h5_dims is 3: readers expect them per frame */
    hid_t *observables; /**< about->observable_count of them */
    hid_t frame_hashes, observable_hashes; /**< of each row; -1: nothing is measured */
    hid_t counts;                          /**< frames and rows of observables, -1 until the file is closed */

    /* The checkpoint, only if frames are rounded: the last state in the run's own numbers, in two slots (checkpoint.c). */
    hid_t slot_states, slot_steps, slot_hashes;
    struct agent *latest;                /**< the last frame on the grid of output.every */
    int64_t latest_step;                 /**< -1: none yet */
    int64_t committed_steps[HDF5_SLOTS]; /**< in the file */

    size_t slab;    /**< agents that are written at once: all if frames are compressed */
    double *buffer; /**< their positions, then their velocities */
    enum h5_hash_format format;
    uint64_t hash;  /**< of the current frame, so far */
    double flushed; /**< time of the last flush, monotonic clock */
};

/** Every result of a library call passes through here: the first failure is remembered, so that a sequence of calls is written
 * without branches and checked at its end. Returns `result`. */
hid_t h5_check(struct h5_writer *w, hid_t result);

/** Write a hyperslab of a dataset. */
void h5_write_slab(struct h5_writer *w, hid_t set, int rank, const hsize_t *start, const hsize_t *count,
                   hid_t type, const void *values);

/** Create all datasets in an empty file. The descriptor stays the caller's. */
void h5_layout_create(struct h5_writer *w, int descriptor);

/** Make room for so many rows in all datasets of `rows`, which is w->frames or w->samples, or cut them back. */
void h5_layout_extend(struct h5_writer *w, struct h5_rows *rows, hsize_t extent);

/** Write the numbers of rows to the file; a number that is not negative marks the file as closed. */
void h5_layout_write_counts(struct h5_writer *w, int64_t frames, int64_t observables);

/** Create a writer without a file; free it. NULL with a fault. */
struct h5_writer *h5_writer_make(const struct atomic_file *part, const struct trajectory_metadata *about,
                                 struct fault *fault);
void h5_writer_free(struct h5_writer *w);

/** Create all datasets in an empty file. The descriptor stays the caller's. */
bool h5_writer_begin(struct h5_writer *w, int descriptor, struct fault *fault);

/** As trajectory_write(). */
bool h5_write(void *writer, const struct frame *frame, struct fault *fault);

/** Commit all frames and flush them to the file. */
bool h5_flush(struct h5_writer *w, struct fault *fault);

#endif
