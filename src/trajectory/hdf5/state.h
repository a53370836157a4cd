/* The frames of a file that boids wrote: which there are, who is in them, and each of them as agents. */
#ifndef HDF5_STATE_H
#define HDF5_STATE_H

#include "agent.h"
#include "contents.h"
#include "place.h"
#include "proof.h"
#include "set.h"
#include "trajectory/rows.h"

#include <stddef.h>
#include <stdint.h>

/** The step of each row, -1 where there is no whole frame; to be freed when they were found. */
enum hdf5_found hdf5_state_steps(const struct hdf5_source *source, int64_t **steps, hsize_t *count,
                                 struct fault *fault);

/** How many whole frames a file holds; 0 for one that is not ours. `name` is for sentences. */
bool hdf5_state_count(const char *path, const char *name, uint64_t *frames, struct fault *fault);

/** Boids, or predators. */
struct hdf5_kin {
    struct hdf5_set position, velocity;
    int64_t *ids;
    size_t count; /**< 0: there are none */
};

struct hdf5_state {
    struct hdf5_contents contents;
    struct hdf5_kin kin[2]; /**< boids, predators */
    size_t slab;            /**< agents of a kind that are read at once: of a frame that is packed all */
    double *row;            /**< room for so many of one dataset */
    struct hdf5_line_proof proof;
    enum hdf5_words words; /**< as what its frames are hashed */
};

/** Open them, and hold who and how many they are against what the file says of itself (proof.h); to be closed either way. A
 * file without boids is refused, one without predators has none. */
bool hdf5_state_open(struct hdf5_state *state, const struct hdf5_source *source, struct fault *fault);

/** The agents of a row: boids, then predators, each in the order of its ids. A field that the file leaves out is NAN. A fault
 * where they are not those that were written. */
bool hdf5_state_read(const struct hdf5_state *state, hsize_t row, struct agent *agents, struct fault *fault);

/** Of these agents `count` from `first` on. What they add to the hash of the frame is added to `hash`.
 *
 * @return false with a fault only where they cannot be read: hdf5_line_proof_check(), given the hash of all, tells of damage.
 */
bool hdf5_state_read_some(const struct hdf5_state *state, hsize_t row, size_t first, size_t count,
                          struct agent *agents, uint64_t *hash, struct fault *fault);

/** Whether a frame is packed, so that it is read as a whole. */
bool hdf5_state_is_packed(const struct hdf5_state *state);

/** Bytes of a number of its frames. */
size_t hdf5_state_number_size(const struct hdf5_state *state);

/** Add one agent to `rows`; an id that boids would not write is refused. */
bool hdf5_state_add(struct rows *rows, const struct agent *agent, int64_t id, bool is_predator,
                    const char *name, struct fault *fault);

/** Add agents that were read to `rows`, with their ids; `name` is for sentences. */
bool hdf5_state_rows(const struct hdf5_state *state, const struct agent *agents, struct rows *rows,
                     const char *name, struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void hdf5_state_close(struct hdf5_state *state);

#endif
