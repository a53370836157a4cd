/* The hashes in a file, against which what is read from it is held: whatever does not agree is a fault, never a number.
 * Files of 0.1.0 have none, and are believed. */
#ifndef HDF5_PROOF_H
#define HDF5_PROOF_H

#include "hash.h"
#include "set.h"

#include <stdint.h>

struct hdf5_proof {
    bool is_there; /**< else the rest is all zeros, and everything agrees */
    uint64_t parameters, initial;
    char arithmetic[16];
};

/** What a file says of itself. A fault where some of its hashes are gone. */
bool hdf5_proof_open(struct hdf5_proof *proof, const struct hdf5_source *source, struct fault *fault);

/** Hold its configuration against it. */
bool hdf5_proof_check_config(const struct hdf5_proof *proof, const struct hdf5_source *source,
                             const char *config, struct fault *fault);

/** Hold the hash of the ids of all agents against it. */
bool hdf5_proof_check_ids(const struct hdf5_proof *proof, const struct hdf5_source *source, uint64_t hash,
                          struct fault *fault);

/** What is counted in a file. */
enum hdf5_counted { HDF5_FRAMES, HDF5_OBSERVABLES };

/** The hashes of rows: of frames, or of what was measured. */
struct hdf5_line_proof {
    struct hdf5_set hashes; /**< not open: there are none, and everything agrees */
    int64_t *steps;         /**< of the rows, for sentences */
    hsize_t rows, time_rows;
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
bool hdf5_line_proof_open(struct hdf5_line_proof *line, const struct hdf5_source *source,
                          enum hdf5_counted counted, const char *group, const struct hdf5_set *const *sets,
                          size_t set_count, struct fault *fault);

/** A fault if the file has hashes of observables, though it has none of these. */
bool hdf5_proof_check_no_observables(const struct hdf5_source *source, struct fault *fault);

/** Hold a row's hash against it. */
bool hdf5_line_proof_check(const struct hdf5_line_proof *line, hsize_t row, uint64_t hash,
                           struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void hdf5_line_proof_close(struct hdf5_line_proof *line);

#endif
