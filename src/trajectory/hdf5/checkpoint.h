/* Checkpoint: the states that a run file holds in the run's own numbers beside its frames, which are the initial state and, if
 * frames are rounded, the last one. Its two slots are a double buffer. */
#ifndef HDF5_CHECKPOINT_H
#define HDF5_CHECKPOINT_H

#include "run.h"

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
