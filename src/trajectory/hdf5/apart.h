/* The states that stand apart from the frames of a file (checkpoint.c), read: whole, or in parts. */
#ifndef HDF5_APART_H
#define HDF5_APART_H

#include "agent.h"
#include "hash.h"
#include "place.h"
#include "set.h"

#include <stddef.h>
#include <stdint.h>

/** The step of the state that the run began with, where that stands apart from the frames; else HDF5_ABSENT. */
enum hdf5_found hdf5_initial_step(const struct hdf5_source *source, int64_t *step, struct fault *fault);

/** Its ids, boids and then predators, to be freed when they were found; HDF5_ABSENT where they are those of the frames. */
enum hdf5_found hdf5_initial_ids(const struct hdf5_source *source, int64_t **ids, size_t *count,
                                 struct fault *fault);

/** Find the newest checkpoint that is no later than `step`. HDF5_ABSENT: there is none. */
enum hdf5_found hdf5_slot_find(const struct hdf5_source *source, int64_t step, struct hdf5_place *place,
                               struct fault *fault);

/** Refuse a file of rounded frames that has no such state. */
bool hdf5_apart_refuse(const struct hdf5_source *source, struct fault *fault);

/** One of them that is being read. */
struct hdf5_apart {
    struct hdf5_place place;
    struct hdf5_set set;
    bool has_hash; /**< 0.1.0 wrote none */
    enum hdf5_words words;
};

/** Open the one at `place`, of `count` agents in order of a frame. HDF5_ABSENT: it is not there, which of a slot is a fault.
 * To be closed either way. */
enum hdf5_found hdf5_apart_open(struct hdf5_apart *apart, const struct hdf5_source *source,
                                const struct hdf5_place *place, size_t count, struct fault *fault);

/** Some of its agents. */
bool hdf5_apart_read(const struct hdf5_apart *apart, size_t first, size_t count, struct agent *agents,
                     struct fault *fault);

/** What the file says that it is known by; HDF5_ABSENT where it says nothing though it should. */
enum hdf5_found hdf5_apart_hash(const struct hdf5_apart *apart, uint64_t *hash, struct fault *fault);

/** Hold it against that: `hash` is that of its agents, which have `ids` of their own, or NULL. */
bool hdf5_apart_check(const struct hdf5_apart *apart, uint64_t hash, const int64_t *ids, struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void hdf5_apart_close(struct hdf5_apart *apart);

/** All of this at once. */
enum hdf5_found hdf5_apart_read_whole(const struct hdf5_source *source, const struct hdf5_place *place,
                                      size_t count, const int64_t *ids, struct agent *agents,
                                      struct fault *fault);

#endif
