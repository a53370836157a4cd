/* Checkpoint: the states that a run file holds in the run's own numbers beside its frames, which are the initial state and, if
 * frames are rounded, the last one. Its two slots are a double buffer. */
#ifndef HDF5_CHECKPOINT_H
#define HDF5_CHECKPOINT_H

#include "calls.h"
#include "hash.h"
#include "run.h"
#include "trajectory/format.h"

struct h5_checkpoint {
    struct h5_failure *failure;  /**< shared by all that writes the file */
    size_t agents;               /**< of a frame */
    struct interval frame_steps; /**< at which steps there are frames */
    bool has_slots;              /**< frames are rounded */
    struct agent *latest;        /**< only if there are slots */
    enum h5_hash_format format;  /**< of the run's own numbers */
    hid_t state, step, hash;
    int64_t latest_step;  /**< -1: none yet */
    int64_t committed[2]; /**< the step of each slot */
};

/** Write the checkpoint together with the frames: create it with the layout, update it with each frame, write it with the frames
 * of a flush, and commit it after them and before their steps. At the end both slots are made equal: finalize writes the
 * older one and, after a flush, close commits it and closes the datasets. `initial` may be NULL; without it and without slots
 * nothing is created. */
void h5_checkpoint_create(struct h5_checkpoint *c, hid_t file, const struct snapshot *initial);

void h5_checkpoint_update(struct h5_checkpoint *c, const struct frame *frame);
void h5_checkpoint_write(struct h5_checkpoint *c);
void h5_checkpoint_commit(struct h5_checkpoint *c);
void h5_checkpoint_finalize(struct h5_checkpoint *c);
void h5_checkpoint_close(struct h5_checkpoint *c);

/** Fill and mark the first slot with the last state of an earlier run. */
void h5_checkpoint_put(struct h5_checkpoint *c, const struct snapshot *state);

/** Where a state is in a file. */
struct h5_location {
    enum h5_where {
        HDF5_IN_FRAMES, /**< a row of the frames */
        HDF5_INITIAL,   /**< the initial state, stored apart from them */
        HDF5_SLOT       /**< a slot of the checkpoint */
    } where;
    int64_t row; /**< of the frames, or of the slots */
    uint64_t step;
};

/** Find the initial state that is stored apart from the frames. */
enum h5_found h5_checkpoint_find_initial(const struct h5_run *run, struct h5_location *location,
                                         struct fault *fault);

/** Its ids, boids and then predators; free them if they were found. HDF5_ABSENT: they are those of the frames. */
enum h5_found h5_checkpoint_read_ids(const struct h5_run *run, int64_t **ids, size_t *count,
                                     struct fault *fault);

/** Find the newest checkpoint that is no later than `step`. */
enum h5_found h5_checkpoint_find_slot(const struct h5_run *run, int64_t step, struct h5_location *location,
                                      struct fault *fault);

/** Refuse a file of rounded frames that has no such state. */
bool h5_checkpoint_refuse_absent(const struct h5_run *run, struct fault *fault);

/** Read the initial state or a slot, of `count` agents in the order of a frame, and check it against its hash. HDF5_ABSENT: it
 * is not there; for a slot that is a fault.
 *
 * @param ids     the ids of its own that the state has, or NULL.
 * @param agents  room for them; NULL: only check it.
 */
enum h5_found h5_checkpoint_read(struct h5_run *run, const struct h5_location *location, size_t count,
                                 const int64_t *ids, struct agent *agents, struct fault *fault);

#endif
