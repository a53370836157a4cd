/* What a trajectory's numbers are known by: 64 bits of a frame, of a row of what was measured, of a text. A damaged one has
 * another hash, but for one chance in 2^64. Each is a sum over its parts, so that their order does not matter. */
#ifndef HDF5_HASH_H
#define HDF5_HASH_H

#include "agent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** As what an agent's numbers are hashed: as the file holds them. */
enum hdf5_words {
    HDF5_ROUNDED, /**< to float32 */
    HDF5_SINGLES, /**< float32 in doubles */
    HDF5_DOUBLES,
    HDF5_FIXED /**< Q16.16 in doubles */
};

/** How the agents of a frame are hashed, whose numbers have so many bytes in the file. */
enum hdf5_words hdf5_hash_words(const char *arithmetic, size_t number_size);

/** How the run's own numbers are hashed, in doubles. */
enum hdf5_words hdf5_hash_own_words(const char *arithmetic);

/** The part of `count` agents in the hash of a frame. Over all of them it is flock_hash() of a flock with these numbers:
 * what --hash tells, where frames are not rounded.
 *
 * @param first  index of the first one: boids count from 0, predators go on where boids end.
 */
uint64_t hdf5_hash_agents(enum hdf5_words words, size_t first, size_t count, const struct agent *agents);

/** The part of an observable in the hash of a row. */
uint64_t hdf5_hash_value(const char *name, double value);

/** The hash of what a run was asked for, and began with. */
uint64_t hdf5_hash_parameters(const char *config, const char *arithmetic, uint64_t initial_hash);

/** The hash of ids, in their order: of all before this one and this one, beginning with 0. */
uint64_t hdf5_hash_id(uint64_t hash, int64_t id);

enum { HDF5_HASH_SIZE = 17 };

/** A hash as an attribute holds it, in sixteen hexadecimal digits. */
void hdf5_hash_spell(uint64_t hash, char word[HDF5_HASH_SIZE]);

/** The reverse; false when it is none. */
bool hdf5_hash_parse(const char *word, uint64_t *hash);

#endif
