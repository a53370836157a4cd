/* 64-bit hashes of frames, rows of observables and strings. The probability that damage is not detected is 2^-64.
 * The hash of a frame or row is a sum over its parts, so their order does not matter. */
#ifndef HDF5_HASH_H
#define HDF5_HASH_H

#include "base/agent.h"
#include "input_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How numbers are stored, and what is hashed. */
enum h5_hash_format {
    HDF5_FLOATS,  /**< float; its bits are hashed */
    HDF5_FLOAT32, /**< double; its bits as float32 are hashed */
    HDF5_FLOAT64, /**< double */
    HDF5_FIXED    /**< double; its bits as a Q16.16 number are hashed */
};

/** The format of a file that stores each number in `number_size` bytes. */
enum h5_hash_format h5_hash_stored_format(const char *arithmetic, size_t number_size);

enum { HDF5_POSITION, HDF5_VELOCITY, HDF5_FIELDS };

/** The positions and velocities of a part of a frame, in the format of a file. */
struct h5_vectors {
    enum h5_hash_format format;
    const void *fields[HDF5_FIELDS];
    size_t stride; /**< from one vector to the next, in numbers */
};

/** The contribution of `count` agents to the hash of a frame. The sum over all agents is what --hash prints, if frames are not
 * rounded.
 *
 * @param first index of the first of these agents in the frame: boids from 0 on, then predators.
 */
uint64_t h5_hash_vectors(const struct h5_vectors *vectors, size_t first, size_t count);

/** The same for agents. The numbers have the format of the run, as in a checkpoint. */
uint64_t h5_hash_agents(const char *arithmetic, size_t first, size_t count, const struct agent *agents);

/** The hash of a state in the number format of the run. */
uint64_t h5_hash_state(const char *arithmetic, int64_t step, size_t count, const struct agent *agents);

/** The contribution of an observable to the hash of a row. */
uint64_t h5_hash_value(const char *name, double value);

/** The hash of the configuration and the initial state. */
uint64_t h5_hash_parameters(const char *config, const char *arithmetic, uint64_t initial_hash);

/** Add the next id to a hash of a list of ids. The hash of an empty list is 0. */
uint64_t h5_hash_id(uint64_t hash, int64_t id);

enum { HDF5_HASH_SIZE = 17 };

/** Parse a hash of 16 hexadecimal digits; false if `word` is not a hash. */
bool h5_hash_parse(const char *word, uint64_t *hash);

/* Checking the hashes of a file. Data that do not match their hash are an error. Files of version 0.1.0 have no
 * hashes. */

/** Read a hash that is stored in an attribute of the object at `path`. A missing attribute is an error. */
bool h5_hash_read(const struct h5_file *file, const char *path, const char *name, uint64_t *hash);

struct h5_file_hashes {
    bool is_there; /**< false: the file has no hashes, and every check passes */
    uint64_t parameters, initial;
    char arithmetic[16];
};

/** Read the hashes of a file. It is an error if only some of them are present. */
bool h5_file_hashes_read(struct h5_file_hashes *hashes, const struct h5_file *file);

/** The rows of a file: one per frame, or one per row of observables. */
struct h5_series {
    const struct h5_file *file;
    char group[128]; /**< path of the group that contains the datasets `step` and `time` */
    int64_t *steps;  /**< step of each row, -1: not committed; NULL: the steps were not read */
    hsize_t count;   /**< number of rows */
    hsize_t whole;   /**< number of committed rows before the first row that is not committed */
    /** Number of rows that the run stated when it closed the file; -1: it did not close it. */
    int64_t stated;
    /** Hash of each row; if it is not open, the file has no hashes, and every check passes. */
    struct h5_dataset hashes;
};

/** Read the steps from `group`, unless they have been read already. */
bool h5_series_read_steps(struct h5_series *series, const struct h5_file *file, const char *group);

/** Open the hashes and check the rows, after h5_series_read_steps(). Steps must ascend and be equal to the times. In a
 * file that was closed, every dataset must have the number of rows that the file states; in any other file it must have
 * at least the committed rows. All datasets must have links to the same step and time.
 *
 * @param name of the hashes: "frames" or "observables".
 * @param sets the datasets of the rows; those that are not open are skipped.
 * @return false after an error. Call h5_series_close() in both cases.
 */
bool h5_series_open(struct h5_series *series, const char *name, const struct h5_dataset *sets, size_t count);

/** Check that `hash` is the stored hash of a row. */
bool h5_series_check(const struct h5_series *series, hsize_t row, uint64_t hash);

/** Close the hashes and free the steps; a zeroed struct is accepted. */
void h5_series_close(struct h5_series *series);

#endif
