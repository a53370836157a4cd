/* Hashes of 64 bits: of a frame, of a row of observables, of a string. Damage is missed with a probability of 2^-64. The hash
 * of a frame or row is a sum over its parts, so their order does not matter. */
#ifndef HDF5_HASH_H
#define HDF5_HASH_H

#include "agent.h"
#include "file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The number format that is hashed: that of the numbers in the file. */
enum h5_hash_format {
    HDF5_AS_FLOAT32, /**< rounded to float32 */
    HDF5_FLOAT32,    /**< float32 numbers, stored as doubles */
    HDF5_FLOAT64,
    HDF5_FIXED /**< Q16.16 numbers, stored as doubles */
};

/** The format of the frames of a file, whose numbers have `number_size` bytes there. */
enum h5_hash_format h5_hash_stored_format(const char *arithmetic, size_t number_size);

/** The format of the run's own numbers, as a checkpoint holds them. */
enum h5_hash_format h5_hash_native_format(const char *arithmetic);

/** The contribution of `count` agents to the hash of a frame. The sum over all agents is what --hash prints, if frames are not
 * rounded.
 *
 * @param first  index of the first one: boids count from 0, predators follow them.
 */
uint64_t h5_hash_agents(enum h5_hash_format format, size_t first, size_t count, const struct agent *agents);

/** The hash of a state in the run's own numbers. */
uint64_t h5_hash_state(const char *arithmetic, int64_t step, size_t count, const struct agent *agents);

/** The contribution of an observable to the hash of a row. */
uint64_t h5_hash_value(const char *name, double value);

/** The hash of the configuration and the initial state. */
uint64_t h5_hash_parameters(const char *config, const char *arithmetic, uint64_t initial_hash);

/** Add the next id to a hash of ids, which begins with 0. */
uint64_t h5_hash_id(uint64_t hash, int64_t id);

enum { HDF5_HASH_SIZE = 17 };

/** Parse a hash of 16 hexadecimal digits, as an attribute holds it; false if `word` is none. */
bool h5_hash_parse(const char *word, uint64_t *hash);

/* The hashes of a file that is read. A number that does not agree with its hash is a fault. Files of 0.1.0 have no hashes. */

/** Read a hash that must be there, an attribute of the object at `path`. */
bool h5_hash_read(const struct h5_file *file, const char *path, const char *name, uint64_t *hash,
                  struct fault *fault);

struct h5_file_hashes {
    bool is_there; /**< false: the rest is all zeros, and every check passes */
    uint64_t parameters, initial;
    char arithmetic[16];
};

/** Read them. A fault if some of them are gone. */
bool h5_file_hashes_read(struct h5_file_hashes *hashes, const struct h5_file *file, struct fault *fault);

/** Rows of frames, or of observables. */
struct h5_series {
    int64_t *steps;           /**< of each row, -1: not committed; NULL: they were not read */
    hsize_t count;            /**< of rows */
    hsize_t whole;            /**< committed rows at the beginning */
    bool is_closed;           /**< the run closed the file */
    struct h5_dataset hashes; /**< of each row; not open: the file has none, and every check passes */
};

/** Read the steps, which are in `group`, unless they were read before. */
enum h5_found h5_series_read_steps(struct h5_series *series, const struct h5_file *file, const char *group,
                                   struct fault *fault);

/** Open the hashes and check the rows: steps ascend, and step and time agree; in a file that was closed every dataset has as
 * many rows as the file says, in another at least as many as are committed; each dataset has links to the same step and time.
 *
 * @param name   of the hashes: "frames" or "observables".
 * @param group  where step and time are.
 * @param sets   the datasets of the rows; those that are not open are skipped.
 * @return false with a fault. Close them either way.
 */
bool h5_series_open(struct h5_series *series, const struct h5_file *file, const char *name, const char *group,
                    const struct h5_dataset *sets, size_t set_count, struct fault *fault);

/** Compare the hash of a row. */
bool h5_series_check(const struct h5_series *series, hsize_t row, uint64_t hash, struct fault *fault);

/** A series that was not opened is accepted if it is all zeros. */
void h5_series_close(struct h5_series *series);

#endif
