/* A dataset that is safe to read, contiguous or in chunks. Its type, size and storage were checked when it was opened, against
 * what boids writes and against the size of the file. */
#ifndef HDF5_DATASET_H
#define HDF5_DATASET_H

#include "file.h"

#include <stdint.h>

enum h5_kind {
    HDF5_REAL,  /**< float32 or float64; read as double */
    HDF5_WHOLE, /**< int32 or int64; read as int64_t */
    HDF5_BITS,  /**< uint64: hashes */
    HDF5_TEXT   /**< of a fixed length */
};

enum { HDF5_MOST_RANK = 3, HDF5_MOST_COLUMNS = 4, HDF5_MOST_TEXT = 1 << 20 };

/** A checkpoint has two slots, and four numbers per agent: x, y, vx, vy. */
enum { HDF5_SLOTS = 2, HDF5_NUMBERS = 4 };

struct h5_dataset {
    const struct h5_file *file;
    char path[128]; /**< for sentences */
    hid_t id, type;
    size_t type_size;
    int rank;
    hsize_t size[HDF5_MOST_RANK];  /**< 1 for dimensions beyond its rank */
    hsize_t chunk[HDF5_MOST_RANK]; /**< likewise; 0: it is contiguous */
    unsigned shuffled_bytes;       /**< size of a number according to the shuffle filter */
    int shuffle, deflate;          /**< position of each in the filter pipeline; -1: not used */
};

/** Open and check it. A file of S bytes has at most S frames, S agents and HDF5_MOST_COLUMNS columns, a text of at most
 * HDF5_MOST_TEXT bytes: so that no product of extents can overflow, and reading takes memory in proportion to the file.
 */
enum h5_found h5_dataset_open(struct h5_dataset *dataset, const struct h5_file *file, const char *path,
                              enum h5_kind kind, int rank, struct fault *fault);

/** Close it. A dataset that was not opened is accepted if it is all zeros. */
void h5_dataset_close(struct h5_dataset *dataset);

/** Whether its chunks are compressed. */
bool h5_dataset_is_packed(const struct h5_dataset *dataset);

/* Numbers. A read that fails is a fault, never a number. */

/** Read `count` agents from `first` on, as double: of one row of a dataset of rank 3, or of a dataset of rank 2. */
bool h5_read_rows(const struct h5_dataset *dataset, hsize_t row, hsize_t first, hsize_t count,
                  double *numbers, struct fault *fault);

/** Read `count` numbers of a dataset of rank 1 and kind HDF5_REAL. */
bool h5_read_numbers(const struct h5_dataset *dataset, hsize_t first, hsize_t count, double *numbers,
                     struct fault *fault);

/** Read one number of a dataset of rank 1 and kind HDF5_BITS. */
bool h5_read_bits(const struct h5_dataset *dataset, hsize_t row, uint64_t *bits, struct fault *fault);

/** Read a whole dataset of rank 1 and kind HDF5_WHOLE; free the result if it was found. */
enum h5_found h5_read_integers(const struct h5_file *file, const char *path, int64_t **line, hsize_t *count,
                               struct fault *fault);

/** Read a string; free it if it was found. */
enum h5_found h5_read_text(const struct h5_file *file, const char *path, char **text, struct fault *fault);

/** Read a string attribute of the object at `path` into `size` bytes. HDF5_ABSENT also if it is longer, or no string. */
enum h5_found h5_read_attribute(const struct h5_file *file, const char *path, const char *attribute,
                                char *word, size_t size, struct fault *fault);

#endif
