/* What a trajectory's numbers are known by: 64 bits of a frame, of a row of what was measured, of a text. A damaged one has
 * another hash, but for one chance in 2^64. Each is a sum over its parts, so that their order does not matter. */
#ifndef HDF5_HASH_H
#define HDF5_HASH_H

#include "agent.h"
#include "dataset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** As what an agent's numbers are hashed: as the file holds them. */
enum hdf5_hash_format {
    HDF5_AS_FLOAT32, /**< to float32 */
    HDF5_FLOAT32,    /**< float32 in doubles */
    HDF5_FLOAT64,
    HDF5_FIXED /**< Q16.16 in doubles */
};

/** How the agents of a frame are hashed, whose numbers have so many bytes in the file. */
enum hdf5_hash_format hdf5_hash_stored_format(const char *arithmetic, size_t number_size);

/** How the run's own numbers are hashed, in doubles. */
enum hdf5_hash_format hdf5_hash_native_format(const char *arithmetic);

/** The part of `count` agents in the hash of a frame. Over all of them it is flock_hash() of a flock with these numbers:
 * what --hash tells, where frames are not rounded.
 *
 * @param first  index of the first one: boids count from 0, predators go on where boids end.
 */
uint64_t hdf5_hash_agents(enum hdf5_hash_format format, size_t first, size_t count,
                          const struct agent *agents);

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

/* The hashes of a file that is read. Whatever does not agree with them is a fault, never a number. Files of 0.1.0 have none,
 * and are believed. */

struct hdf5_file_hashes {
    bool is_there; /**< else the rest is all zeros, and everything agrees */
    uint64_t parameters, initial;
    char arithmetic[16];
};

/** What a file says of itself. A fault where some of its hashes are gone. */
bool hdf5_file_hashes_read(struct hdf5_file_hashes *hashes, const struct hdf5_file *file,
                           struct fault *fault);

/** Hold its configuration against it. */
bool hdf5_file_hashes_check_config(const struct hdf5_file_hashes *hashes, const struct hdf5_file *file,
                                   const char *config, struct fault *fault);

/** Hold the hash of the ids of all agents against it. */
bool hdf5_file_hashes_check_ids(const struct hdf5_file_hashes *hashes, const struct hdf5_file *file,
                                uint64_t hash, struct fault *fault);

/** What is counted in a file. */
enum hdf5_counted { HDF5_FRAMES, HDF5_OBSERVABLES };

/** The hashes of rows: of frames, or of what was measured. */
struct hdf5_row_hashes {
    struct hdf5_dataset hashes; /**< not open: there are none, and everything agrees */
    int64_t *steps;             /**< of the rows, for sentences */
    hsize_t count, time_rows;
    bool is_closed; /**< all of the file was written */
    hsize_t whole;  /**< rows from the first on that have a step; there is none behind them */
};

/** Open them, and hold against each other what the file says of the rows: steps are there twice, as step and as time, and
 * ascend; all datasets of a file that was closed have as many rows as it says, those of another at least as many as have a
 * step; and each dataset has the same step and time beside it.
 *
 * @param group    where their step and time are.
 * @param sets     the datasets that they are made of; those that are not open are passed over.
 * @return false with a fault. To be closed either way.
 */
bool hdf5_row_hashes_open(struct hdf5_row_hashes *rows, const struct hdf5_file *file,
                          enum hdf5_counted counted, const char *group,
                          const struct hdf5_dataset *const *sets, size_t set_count, struct fault *fault);

/** A fault if the file has hashes of observables, though it has none of these. */
bool hdf5_check_no_observables(const struct hdf5_file *file, struct fault *fault);

/** Hold a row's hash against it. */
bool hdf5_row_hashes_check(const struct hdf5_row_hashes *rows, hsize_t row, uint64_t hash,
                           struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void hdf5_row_hashes_close(struct hdf5_row_hashes *rows);

#endif
