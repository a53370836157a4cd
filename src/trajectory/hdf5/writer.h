/* An HDF5 file that is being written, as its rooms share it: layout.c makes it, writer.c fills it with frames,
 * continue.c begins it with the frames of an earlier run. */
#ifndef HDF5_WRITER_H
#define HDF5_WRITER_H

#include "source.h"
#include "trajectory/part.h"
#include "trajectory/trajectory.h"

#include <hdf5.h>

enum { HDF5_DIMS = 3, HDF5_LINE_CHUNK = 1024, HDF5_MOST_PENDING = 4096 };

/** One kind of agents: their two datasets. */
struct hdf5_group {
    hid_t position, velocity;
    size_t first, count; /**< among the agents of a frame */
};

/** Frame 0 and the last frame on the grid in the run's own numbers, where frames are rounded; checkpoint.c. */
struct hdf5_checkpoint {
    hid_t initial, state, step;
    struct agent *latest; /**< NULL: there is no need of one */
    int64_t latest_step;  /**< -1: none yet */
    int64_t marked[2];    /**< the step of each slot */
};

struct hdf5_writer {
    const struct trajectory_about *about;
    struct part part;
    int lock; /**< NAME.part, locked and held open until it has its name; the library's own lock can be switched off */
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
    struct hdf5_checkpoint checkpoint;
    double flushed; /**< when, on the monotonic clock */
    bool has_failed;
    int error; /**< errno at the first failure */
};

/** Every handle and result passes through here: the first failure is remembered, and later calls fail harmlessly. */
hid_t hdf5_keep(struct hdf5_writer *w, hid_t result);

/** Write into an empty file all that is in it before the first frame. The descriptor stays the caller's. */
void hdf5_create(struct hdf5_writer *w, int descriptor);

/** Properties of an object that does not remember when it was made. */
hid_t hdf5_timeless(struct hdf5_writer *w, hid_t class);

/** A group, open. */
hid_t hdf5_make_group(struct hdf5_writer *w, hid_t where, const char *name);

/** Write a block of a dataset. */
void hdf5_write_slab(struct hdf5_writer *w, hid_t set, int rank, const hsize_t *start, const hsize_t *count,
                     hid_t type, const void *values);

/** A writer without a file, to be freed; NULL with a fault. `path` is as given. */
struct hdf5_writer *hdf5_writer_make(const char *path, const struct trajectory_about *about,
                                     struct fault *fault);
void hdf5_writer_free(struct hdf5_writer *w);

/** Tell what has failed, if anything has. */
bool hdf5_report(const struct hdf5_writer *w, struct fault *fault);

/** As trajectory_write(). */
bool hdf5_write(void *writer, const struct frame *frame, struct fault *fault);

/** Have all frames marked as whole, and in the file. */
bool hdf5_flush(struct hdf5_writer *w, struct fault *fault);

/** The checkpoint's part in all this: made with the layout, told each frame, written with the frames of a flush, marked
 * after them and before their steps; in the end both slots are made equal. */
void hdf5_checkpoint_create(struct hdf5_writer *w);
void hdf5_checkpoint_note(struct hdf5_writer *w, const struct frame *frame);
void hdf5_checkpoint_write(struct hdf5_writer *w);
void hdf5_checkpoint_mark(struct hdf5_writer *w);
void hdf5_checkpoint_settle(struct hdf5_writer *w);

/** Read frame 0, `count` agents in order of a frame. HDF5_ABSENT where the file does not hold it in full. */
enum hdf5_found hdf5_initial_read(const struct hdf5_source *source, size_t count, struct agent *agents,
                                  struct fault *fault);

/** Read the newest checkpoint that is no later than `step`, agents in order of a frame. `found` is its step, or -1 when
 * there is none. */
bool hdf5_checkpoint_read(const struct hdf5_source *source, int64_t step, size_t count, struct agent *agents,
                          int64_t *found, struct fault *fault);

#endif
