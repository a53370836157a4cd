/* Library calls for writing, with sticky errors: the first failure is kept, so that a sequence of calls is written without
 * branches and the result is checked at its end. */
#ifndef HDF5_CALLS_H
#define HDF5_CALLS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

/** The first failure, if there was any. */
struct h5_failure {
    bool has_failed;
    int error; /**< errno at that moment */
};

/** Every handle and result passes through here: the first failure is remembered, and later calls fail harmlessly. */
hid_t h5_keep(struct h5_failure *failure, hid_t result);

/** The type of a string of this length. */
hid_t h5_string_type(struct h5_failure *failure, const char *text, size_t length);

/** Creation properties of an object without time stamps: equal runs give equal bytes. */
hid_t h5_timeless(struct h5_failure *failure, hid_t class);

/** Create a group and leave it open. */
hid_t h5_make_group(struct h5_failure *failure, hid_t where, const char *name);

/** Write an attribute of rank 0, a scalar, or of rank 1 and `size` values. */
void h5_put_attribute(struct h5_failure *failure, hid_t where, const char *name, hid_t file_type, hid_t type,
                      int rank, hsize_t size, const void *value);

/** Write a string attribute. */
void h5_put_text(struct h5_failure *failure, hid_t where, const char *name, const char *text);

/** Create a dataset and leave it open. `most` is its maximal size; NULL: it cannot grow. The properties are closed. */
hid_t h5_make_dataset(struct h5_failure *failure, hid_t where, const char *name, hid_t type, int rank,
                      const hsize_t *size, const hsize_t *most, hid_t properties, hid_t access);

/** Write a dataset of fixed size; rank and size as for an attribute. */
void h5_put_dataset(struct h5_failure *failure, hid_t where, const char *name, hid_t file_type, hid_t type,
                    int rank, hsize_t size, const void *value);

/** Write a hyperslab of a dataset. */
void h5_write_slab(struct h5_failure *failure, hid_t set, int rank, const hsize_t *start,
                   const hsize_t *count, hid_t type, const void *values);

#endif
