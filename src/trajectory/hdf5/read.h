/* All that is ever read from an HDF5 file passes through here, out of datasets that were checked (set.h). A read
 * that fails is a fault, never a number. */
#ifndef HDF5_READ_H
#define HDF5_READ_H

#include "set.h"

#include <stdint.h>

/** A row of a dataset of three dimensions: its agents and their columns, as double. */
bool hdf5_read_row(const struct hdf5_set *set, hsize_t row, double *numbers, struct fault *fault);

/** Of such a row the part of `count` agents from `first` on. */
bool hdf5_read_rows(const struct hdf5_set *set, hsize_t row, hsize_t first, hsize_t count, double *numbers,
                    struct fault *fault);

/** So many rows of a dataset of two dimensions and of HDF5_REAL; all of them. */
bool hdf5_read_table_rows(const struct hdf5_set *set, hsize_t first, hsize_t count, double *numbers,
                          struct fault *fault);
bool hdf5_read_table(const struct hdf5_set *set, double *numbers, struct fault *fault);

/** So many numbers of a dataset of one dimension and of HDF5_REAL. */
bool hdf5_read_numbers(const struct hdf5_set *set, hsize_t first, hsize_t count, double *numbers,
                       struct fault *fault);

/** One number of a dataset of one dimension and of HDF5_BITS. */
bool hdf5_read_bits(const struct hdf5_set *set, hsize_t row, uint64_t *bits, struct fault *fault);

/** All of a dataset of one dimension and of HDF5_WHOLE, to be freed when it was found. */
enum hdf5_found hdf5_read_line(const struct hdf5_source *source, const char *path, int64_t **line,
                               hsize_t *count, struct fault *fault);

/** A text, to be freed when it was found. */
enum hdf5_found hdf5_read_text(const struct hdf5_source *source, const char *path, char **text,
                               struct fault *fault);

/** A text that is an attribute of the object at `path`, into `size` bytes of room. HDF5_ABSENT also where it is anything
 * else, or longer. */
enum hdf5_found hdf5_read_word(const struct hdf5_source *source, const char *path, const char *attribute,
                               char *word, size_t size, struct fault *fault);

#endif
