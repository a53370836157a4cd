/* The rows of a file, one per frame or per measurement, and the hashes that are stored in it. Data that do not match their
 * hash are an error. Files of version 0.1.0 have no hashes. */
#pragma once

#include "hash.h"
#include "input_datasets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Read a hash that is stored in an attribute of the object at `path`. A missing attribute is an error. */
bool h5_hash_read(const struct h5_file *file, const char *path, const char *name, uint64_t *hash);

struct h5_file_hashes {
    bool exist; /**< false: the file has no hashes, and every check passes */
    uint64_t parameters, initial;
    char arithmetic[16];
};

/** Read the hashes of a file. It is an error if only some of them are present. */
bool h5_file_hashes_read(struct h5_file_hashes *hashes, const struct h5_file *file);

/** The rows of a file: one per frame, or one per row of observables. */
struct h5_series {
    const struct h5_file *file;
    char group[128];         /**< path of the group that contains the datasets `step` and `time` */
    int64_t *steps;          /**< step of each row, -1: not committed; NULL: the steps were not read */
    hsize_t count;           /**< number of rows */
    hsize_t committed_count; /**< number of rows before the first one that is not committed */
    /** Number of rows that the run stated when it closed the file; -1: it did not close it. */
    int64_t stated_count;
    /** The dataset with the hash of each row. If it is not open, the file has no hashes, and every check passes. */
    struct h5_dataset hashes;
};

/** Read the steps from `group`, unless they have been read already. */
bool h5_series_read_steps(struct h5_series *series, const struct h5_file *file, const char *group);

/** Open the hashes and check the rows, after h5_series_read_steps(). Steps must ascend and be equal to the times. In a
 * file that was closed, every dataset must have the number of rows that the file states; in any other file it must have
 * at least the committed rows. All datasets must have links to the same step and time.
 *
 * @param name the name of the hashes: "frames" or "observables".
 * @param sets the datasets of the rows; those that are not open are skipped.
 * @return false after an error. Call h5_series_close() in both cases.
 */
bool h5_series_open(struct h5_series *series, const char *name, const struct h5_dataset *sets, size_t count);

/** Check that `hash` is the stored hash of a row. */
bool h5_series_check(const struct h5_series *series, hsize_t row, uint64_t hash);

/** Close the hashes and free the steps; a zeroed struct is accepted. */
void h5_series_close(struct h5_series *series);
