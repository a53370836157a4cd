/* What the frames of a file do not hold in the run's own numbers: the state that it began with and, where frames are
 * rounded, the last one on the grid. Others call that a checkpoint, or restart file, within the trajectory. Its two slots are
 * a double buffer. */
#ifndef HDF5_CHECKPOINT_H
#define HDF5_CHECKPOINT_H

#include "handle.h"
#include "hash.h"
#include "set.h"
#include "shares.h"
#include "trajectory/format.h"

struct hdf5_checkpoint {
    struct hdf5_failure *failure; /**< of all that writes the file */
    size_t agents;                /**< of a frame */
    struct cadence frame_steps;   /**< the grid */
    bool has_slots;               /**< frames are rounded */
    struct agent *latest;         /**< where there are slots and no shares */
    struct shares_file *shares;   /**< several ranks have the latest; NULL: it is here */
    uint64_t begun;               /**< the hash of the initial state: initial_hash of the run */
    haddr_t initial;              /**< where that is, while nobody has written it */
    enum hdf5_words words;        /**< of the run's own numbers */
    hid_t state, step, hash;
    int64_t latest_step; /**< -1: none yet */
    int64_t marked[2];   /**< the step of each slot */
};

/** The checkpoint's part in writing: made with the layout, told each frame, written with the frames of a flush, marked
 * after them and before their steps. In the end both slots are made equal: the older one is settled and, once that was
 * flushed, marked, and all is closed. `initial` may be NULL; there is nothing to make without that and without slots. */
void hdf5_checkpoint_create(struct hdf5_checkpoint *c, hid_t file, const struct snapshot *initial);

/** From now on several ranks have the agents, those of the initial state and of the last frame first of all. */
void hdf5_checkpoint_share(struct hdf5_checkpoint *c, struct shares_file *shares);

/** Whether a frame is one that is kept. */
bool hdf5_checkpoint_keeps(const struct hdf5_checkpoint *c, const struct frame *frame);
void hdf5_checkpoint_note(struct hdf5_checkpoint *c, const struct frame *frame);
void hdf5_checkpoint_write(struct hdf5_checkpoint *c);
void hdf5_checkpoint_mark(struct hdf5_checkpoint *c);
void hdf5_checkpoint_settle(struct hdf5_checkpoint *c);
void hdf5_checkpoint_close(struct hdf5_checkpoint *c);

/** The step of the state that the run began with, where that stands apart from the frames; else HDF5_ABSENT. */
enum hdf5_found hdf5_initial_step(const struct hdf5_source *source, int64_t *step, struct fault *fault);

/** Its ids, boids and then predators, to be freed when they were found; HDF5_ABSENT where they are those of the frames. */
enum hdf5_found hdf5_initial_ids(const struct hdf5_source *source, int64_t **ids, size_t *count,
                                 struct fault *fault);

/** Read that state, `count` agents in order of a frame.
 *
 * @param ids  those of hdf5_initial_ids(), or NULL.
 */
enum hdf5_found hdf5_initial_read(const struct hdf5_source *source, size_t count, const int64_t *ids,
                                  struct agent *agents, struct fault *fault);

/** Read the newest checkpoint that is no later than `step`, agents in order of a frame. `found` is its step, or -1 when
 * there is none. */
bool hdf5_checkpoint_read(const struct hdf5_source *source, int64_t step, size_t count, struct agent *agents,
                          int64_t *found, struct fault *fault);

#endif
