/* An HDF5 file that is being written, as its rooms share it: hdf5_layout.c makes it, hdf5.c fills it with frames,
 * hdf5_resume.c begins it with the frames of an earlier run. */
#ifndef HDF5_WRITER_H
#define HDF5_WRITER_H

#include "part.h"
#include "trajectory.h"

#include <hdf5.h>

enum { HDF5_DIMS = 3, HDF5_LINE_CHUNK = 1024, HDF5_MOST_PENDING = 4096 };

/** One kind of agents: their two datasets. */
struct hdf5_group {
    hid_t position, velocity;
    size_t first, count; /**< among the agents of a frame */
};

struct hdf5_writer {
    const struct trajectory_about *about;
    struct part part;
    int lock; /**< our own, held as long as the file is written: the library's can be switched off from outside */
    hid_t file, step, time, edges; /**< edges: only in three dimensions, where readers want one a frame */
    hid_t *observables;            /**< as many as about->observable_count */
    struct hdf5_group groups[2];
    int group_count;
    hsize_t dims;           /**< 2 or 3 */
    hsize_t block;          /**< frames by which the datasets grow; a power of two, at most a line's chunk */
    hsize_t frames, extent; /**< written; allocated */
    hsize_t marked;         /**< frames whose step is in the file */
    int64_t pending[HDF5_MOST_PENDING]; /**< the steps of those behind them */
    hid_t type;                         /**< of a number in the file */
    double *buffer;                     /**< one dataset's part of a frame */
    double flushed;                     /**< when, on the monotonic clock */
    bool has_failed;
    int error; /**< errno at the first failure */
};

/** Every handle and result passes through here: the first failure is remembered, and later calls fail harmlessly. */
hid_t hdf5_keep(struct hdf5_writer *w, hid_t result);

/** Make the file at `path` and all that is in it before the first frame. */
void hdf5_create(struct hdf5_writer *w, const char *path);

#endif
