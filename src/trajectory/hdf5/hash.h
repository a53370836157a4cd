/* 64-bit hashes of frames, rows of observables and strings. The probability that damage is not detected is 2^-64.
 * The hash of a frame or row is a sum over its parts, so their order does not matter. */
#pragma once

#include "base/agent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How numbers are stored, and what is hashed. struct frame has no hash of floats with a NaN, which may change with its type. */
enum h5_hash_format {
    HDF5_FLOATS = 1, /**< float; its bits are hashed */
    HDF5_FLOAT32,    /**< double; its bits as float32 are hashed */
    HDF5_FLOAT64,    /**< double */
    HDF5_FIXED       /**< double; its bits as a Q16.16 number are hashed */
};

/** The format of a file that stores each number in `number_size` bytes. */
enum h5_hash_format h5_hash_stored_format(const char *arithmetic, size_t number_size);

enum { HDF5_POSITION, HDF5_VELOCITY, HDF5_FIELDS };

/** The positions and velocities of a part of a frame, in the format of a file. */
struct h5_vectors {
    enum h5_hash_format format;
    const void *fields[HDF5_FIELDS];
    size_t stride; /**< distance from one vector to the next, in numbers */
};

/** The contribution of `count` agents to the hash of a frame. The sum over all agents is what --hash prints, if frames are not
 * rounded.
 *
 * @param first index of the first of these agents in the frame: boids from 0 on, then predators.
 */
uint64_t h5_hash_vectors(const struct h5_vectors *vectors, size_t first, size_t count);

/** As h5_hash_vectors(), for agents. The numbers have the format of the run, as in a checkpoint. */
uint64_t h5_hash_agents(const char *arithmetic, size_t first, size_t count, const struct agent *agents);

/** The hash of a state in the number format of the run. */
uint64_t h5_hash_state(const char *arithmetic, int64_t step, size_t count, const struct agent *agents);

uint64_t h5_hash_text(const char *text);

/** The contribution of an observable to the hash of a row; `name_hash` is the hash of its name. */
uint64_t h5_hash_value(uint64_t name_hash, double value);

/** The hash of the configuration and the initial state. */
uint64_t h5_hash_parameters(const char *config, const char *arithmetic, uint64_t initial_hash);

/** Add the next id to a hash of a list of ids. The hash of an empty list is 0. */
uint64_t h5_hash_id(uint64_t hash, int64_t id);

enum { HDF5_HASH_SIZE = 17, HDF5_CONTENTS_SIZE = 48 /**< of the attribute `contents` of /hashes */ };

/** Parse a hash of 16 hexadecimal digits; false if `word` is not a hash. */
bool h5_hash_parse(const char *word, uint64_t *hash);
