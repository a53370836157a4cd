/* What the frames of a file do not hold in the run's own numbers: the state that it began with and, where frames are
 * rounded, the last one on the grid. Others call that a checkpoint, or restart file, within the trajectory. Its two slots are
 * a double buffer. */
#ifndef HDF5_CHECKPOINT_H
#define HDF5_CHECKPOINT_H

#include "handle.h"
#include "hash.h"
#include "trajectory/format.h"

struct hdf5_checkpoint {
    struct hdf5_failure *failure; /**< of all that writes the file */
    size_t agents;                /**< of a frame */
    struct cadence frame_steps;   /**< the grid */
    bool has_slots;               /**< frames are rounded */
    struct agent *latest;         /**< where there are slots */
    enum hdf5_words words;        /**< of the run's own numbers */
    hid_t state, step, hash;
    int64_t latest_step; /**< -1: none yet */
    int64_t marked[2];   /**< the step of each slot */
};

/** The checkpoint's part in writing: made with the layout, told each frame, written with the frames of a flush, marked
 * after them and before their steps. In the end both slots are made equal: the older one is settled and, once that was
 * flushed, marked, and all is closed. `initial` may be NULL; there is nothing to make without that and without slots. */
void hdf5_checkpoint_create(struct hdf5_checkpoint *c, hid_t file, const struct snapshot *initial);

/** Whether a frame is one that is kept. */
bool hdf5_checkpoint_keeps(const struct hdf5_checkpoint *c, const struct frame *frame);
void hdf5_checkpoint_note(struct hdf5_checkpoint *c, const struct frame *frame);
void hdf5_checkpoint_write(struct hdf5_checkpoint *c);
void hdf5_checkpoint_mark(struct hdf5_checkpoint *c);
void hdf5_checkpoint_settle(struct hdf5_checkpoint *c);
void hdf5_checkpoint_close(struct hdf5_checkpoint *c);

/** The last state of an earlier run that is gone on with, some agents after another; it is marked once it is there. `hash` is that of
 * its agents. */
void hdf5_checkpoint_copy_latest(struct hdf5_checkpoint *c, size_t first, size_t count,
                                 const struct agent *agents);
void hdf5_checkpoint_mark_copy(struct hdf5_checkpoint *c, uint64_t step, uint64_t hash);

#endif
