/* The writer of an HDF5 file. h5md_layout.c creates the datasets, and writer.c writes frames to them. */
#pragma once

#include "chunk_deflate.h"
#include "hash.h"
#include "input_datasets.h"
#include "ordered_vfd.h"
#include "trajectory/format_interface.h"

enum {
    HDF5_DIMS = 3,
    HDF5_MIN_CHUNK = 16,
    HDF5_AXIS_CHUNK = 1024,
    HDF5_MAX_PENDING = 4096,
    HDF5_CHUNK_AGENTS = 1 << 24
};

/** A dataset with one double or one hash per row, and its numbers that are not in the file yet. */
struct h5_column {
    hid_t dataset;
    bool is_hash;
    uint64_t numbers[HDF5_AXIS_CHUNK];
};

/** A series of rows, which are written in order. A row is committed when its step is written. */
struct h5_rows {
    hid_t step, time;  /**< datasets with one number per row */
    hsize_t total;     /**< number of rows of the whole run; 0: unknown */
    hsize_t extent;    /**< number of rows for which the datasets have room */
    hsize_t count;     /**< number of rows */
    hsize_t written;   /**< number of rows that were passed to the library; the others are in `columns` */
    hsize_t committed; /**< number of committed rows */
    struct h5_column *columns;         /**< hashes, observables and time */
    size_t column_count;               /**< number of columns that the current row has so far */
    int64_t pending[HDF5_MAX_PENDING]; /**< steps of the rows that are not committed */
};

/** The datasets of one species. */
struct h5_particles {
    hid_t fields[HDF5_FIELDS]; /**< datasets; -1 if output.fields leaves the field out */
    size_t first, count;       /**< index of its first agent in a frame, and its number of agents */
};

struct h5_observable {
    hid_t dataset;
    uint64_t name_hash;
};

struct h5_writer {
    const struct atomic_file *part;
    const struct trajectory_metadata *about;
    int lock; /**< descriptor of NAME.part, which is locked and stays open until the file is renamed */

    bool has_failed; /**< a library call has failed; later calls have no effect */
    int error;       /**< errno of the first failed call */

    struct h5_vfd_file disk;
    hid_t file;
    hsize_t dims; /**< number of dimensions of a vector: 2 or 3 */
    hsize_t
        rows_per_chunk; /**< rows per chunk of datasets without agents (steps, observables): a power of two */
    hsize_t
        block; /**< number of frames by which datasets of agents grow: a power of two, at most `rows_per_chunk` */
    hsize_t
        frames_per_write; /**< number of frames that are written at once: a power of two, at most `block` */
    hsize_t first_kept_frame;                 /**< the first frame that is kept in memory */
    unsigned char *kept_vectors[HDF5_FIELDS]; /**< vectors of all boids, then of all predators */
    size_t vector_size;                       /**< bytes of a vector in the file */
    struct h5_rows frames;  /**< rows of frames, and of observables if they share their steps */
    struct h5_rows samples; /**< rows of observables, if they are not measured at the steps of the frames */
    bool has_samples;
    struct h5_particles groups[2];
    hid_t edges; /**< edges of the box per frame, which readers of 3D files expect; -1 unless h5_dims is 3 */
    struct h5_observable *observables;     /**< about->observable_count datasets */
    hid_t frame_hashes, observable_hashes; /**< datasets with the hash of each row; -1: nothing is measured */
    hid_t counts; /**< number of frames and of rows of observables; -1 until the file is closed */

    /* The checkpoint, which exists only if frames are rounded: the last state in the number format of the run, in
     * two slots (state_reader.c). */
    hid_t slot_states, slot_steps, slot_hashes;
    struct agent *latest;                /**< the last frame at a multiple of output.every */
    int64_t latest_step;                 /**< its step; -1: there is no such frame yet */
    int64_t committed_steps[HDF5_SLOTS]; /**< step of each slot in the file */

    size_t
        agents_per_write; /**< number of agents that are written at once; all of them if frames are compressed */
    void *buffers[HDF5_FIELDS]; /**< positions and velocities of one slab, as they are stored */
    struct h5_vectors vectors;  /**< the current slab, in `buffers` */
    struct chunk_deflate
        *deflate;      /**< compresses frames. NULL: they are not compressed, or HDF5 compresses them */
    uint64_t hash;     /**< hash of the slabs of the current frame that have been written */
    double last_flush; /**< time of the last flush, monotonic clock */
};

/** Record whether a library call failed. All results are passed to this function, so a sequence of calls needs only
 * one check at its end. Returns `result`. */
hid_t h5_check(struct h5_writer *w, hid_t result);

/** A part of a dataset: count[] values from start[] on in each dimension. */
struct h5_region {
    int rank;
    hsize_t start[HDF5_DIMS], count[HDF5_DIMS];
};

/** Write a part of a dataset; `type` is the type of the values in memory. */
void h5_write_slab(struct h5_writer *w, hid_t set, const struct h5_region *region, hid_t type,
                   const void *values);

/** Create all datasets in an empty file. The caller keeps the descriptor and closes it. */
void h5_layout_create(struct h5_writer *w, int descriptor);

/** Extend or shorten all datasets of `rows`, which is w->frames or w->samples, to `extent` rows. */
void h5_layout_extend(struct h5_writer *w, struct h5_rows *rows, hsize_t extent);

/** Write the number of frames and of rows of observables to the file. Numbers of 0 or more mark the file as closed;
 * -1 marks it as open. */
void h5_layout_write_counts(struct h5_writer *w, int64_t frames, int64_t observables);

/** Create a writer that has no file yet; NULL with an error. Free it with h5_writer_free(). */
struct h5_writer *h5_writer_make(const struct atomic_file *part, const struct trajectory_metadata *about,
                                 struct error *error);
void h5_writer_free(struct h5_writer *w);

/** Create all datasets in an empty file. The caller keeps the descriptor and closes it. */
bool h5_writer_begin(struct h5_writer *w, int descriptor, struct error *error);

/** Begin a frame. */
void h5_begin_frame(struct h5_writer *w);

/** Write `count` vectors of a field of the current frame, as they are stored. If frames are compressed, these must be all
 * vectors of the species. */
void h5_write_vectors(struct h5_writer *w, const struct h5_particles *group, int field, size_t first,
                      size_t count, const void *vectors);

/** End a frame whose hash is w->hash, or a row that has only observables (is_frame is false). Flush if it is time. */
bool h5_end_row(struct h5_writer *w, const struct frame *frame, bool is_frame, struct error *error);

/** Commit all frames and flush them to the file. */
bool h5_flush(struct h5_writer *w, struct error *error);
