/* The datasets of an HDF5 file that is being written, in chunks so that they can grow: a block of frames is one chunk. */
#ifndef HDF5_LAYOUT_H
#define HDF5_LAYOUT_H

#include "calls.h"
#include "checkpoint.h"
#include "hash.h"
#include "trajectory/format.h"
#include "vfd.h"

enum { HDF5_DIMS = 3, HDF5_AXIS_CHUNK = 1024, HDF5_CHUNK_ROWS = 1 << 24 };

/** The datasets of one species. */
struct h5_particles {
    hid_t position, velocity; /**< -1: output.fields leaves it out */
    size_t first, count;      /**< among the agents of a frame */
};

/** The step and time of each row. */
struct h5_time_axis {
    hid_t step, time;
    hsize_t extent; /**< rows that the datasets have room for */
};

/** The hashes of rows. */
struct h5_hashes {
    enum h5_hash_format format;
    hid_t frames, observables; /**< of each row */
    hid_t counts;              /**< frames and rows of what was measured, of a file that was closed */
};

struct h5_layout {
    struct h5_failure *failure; /**< shared by all that writes the file */
    const struct trajectory_about *about;
    hid_t type;    /**< of a number in the file */
    hsize_t dims;  /**< 2 or 3 */
    hsize_t block; /**< frames by which the datasets grow; a power of two, at most a line's chunk */
    struct h5_vfd_file disk;
    hid_t file, edges; /**< edges: only with h5_dims 3, for which readers expect one per frame */
    struct h5_time_axis frames, samples; /**< samples: of what is measured, where that has steps of its own */
    bool has_samples;
    hid_t *observables; /**< as many as about->observable_count */
    struct h5_particles groups[2];
    int group_count;
    struct h5_hashes hashes;
    struct h5_checkpoint checkpoint;
};

/** Allocate memory; false if there is none. Free it either way. */
bool h5_layout_init(struct h5_layout *l, const struct trajectory_about *about, struct h5_failure *failure);
void h5_layout_free(struct h5_layout *l);

/** Write the layout into an empty file. The descriptor stays the caller's; the path is only a label for the library. */
void h5_layout_create(struct h5_layout *l, const char *path, int descriptor);

/** Make room for so many rows of `line`, which is l->frames or l->samples, or cut it back to them. */
void h5_layout_extend(struct h5_layout *l, struct h5_time_axis *line, hsize_t rows);

/** Write the numbers of rows, which say that the file was closed; call it after everything was flushed. */
void h5_layout_count(struct h5_layout *l, hsize_t frames, hsize_t observables);

#endif
