/* An HDF5 file opened for reading, and its datasets. The file is untrusted input. No link in it is followed to
 * another file. The type, size and storage of each dataset are checked: they must be those that boids writes, and
 * they must fit the size of the file on disk. */
#pragma once

#include "base/error.h"
#include "libhdf5_guard.h"
#include "ordered_vfd.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/** Memory that is used again for each compressed chunk. */
struct h5_chunk_buffers {
    struct h5_bytes {
        unsigned char *at;
        size_t room;
    } stored, shuffled;
};

/** Functions for reading return false in two cases: after an error, which is then in `error`, and if the requested object is absent. Only
 * the first error is kept, so a function may continue after an error and check for it at its end. */
struct h5_file {
    hid_t id;
    const char *name; /**< name for messages; borrowed */
    struct h5_vfd_file disk;
    struct h5_chunk_buffers *buffers;
    struct error *error; /**< receives errors; borrowed. Set it before a call that has another `error` */
};

/** Start reading from an open descriptor, without a lock. h5_file_close() closes the descriptor. A file that is not HDF5, or that is
 * truncated, counts as absent. Do not move or copy the struct while the file is open. */
bool h5_file_open(struct h5_file *file, int descriptor, const char *name, struct error *error);

/** Close the file and everything that was opened in it. A zeroed struct is accepted. */
void h5_file_close(struct h5_file *file);

/** Begin a guarded part in which the file is read (guard.h). The functions below begin their own. */
struct h5_guard h5_file_begin(const struct h5_file *file);

/** Open the object at "one/after/another". Links to other files or other paths are refused. */
bool h5_file_find(const struct h5_file *file, const char *path, hid_t *object);

/** Whether there was an error. */
bool h5_file_has_failed(const struct h5_file *file);

/** Set an error: the object at `path` cannot be read, with the reason if it is known. Returns false. */
bool h5_file_fail(const struct h5_file *file, const char *path);

/** Refuse a file ("NAME: " and the text), or report damage ("NAME: it is damaged: " and the text). Returns false. */
bool h5_file_report(const struct h5_file *file, enum error_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define h5_file_refuse(file, ...)  h5_file_report(file, ERROR_REFUSED, __VA_ARGS__)
#define h5_file_damaged(file, ...) h5_file_report(file, ERROR_FAILED, __VA_ARGS__)

/** Whether there is an object at the path. */
bool h5_file_has(const struct h5_file *file, const char *path);

enum h5_kind {
    HDF5_REAL,  /**< float32 or float64; read as double */
    HDF5_WHOLE, /**< int32 or int64; read as int64_t */
    HDF5_BITS,  /**< uint64: hashes */
    HDF5_TEXT   /**< a string of fixed length */
};

enum { HDF5_MAX_RANK = 3, HDF5_MAX_COLUMNS = 4, HDF5_MAX_TEXT = 1 << 20 };

/** The number of slots of a checkpoint, and the number of values that a slot stores per agent (x, y, vx, vy). */
enum { HDF5_SLOTS = 2, HDF5_NUMBERS = 4 };

/** The rows of the chunk that was read last. */
struct h5_row_cache {
    bool is_filled;
    hsize_t first;
    size_t row_size; /**< in bytes */
    unsigned char rows[];
};

/** An open dataset whose properties were checked, so that it is safe to read. It is contiguous or stored in chunks. */
struct h5_dataset {
    const struct h5_file *file;
    char path[128]; /**< for messages */
    hid_t id, type;
    hid_t native; /**< the type in memory to which values are converted */
    size_t type_size;
    int rank;
    hsize_t size[HDF5_MAX_RANK];  /**< size in each dimension; 1 beyond the rank */
    hsize_t chunk[HDF5_MAX_RANK]; /**< size of a chunk in each dimension; 0: the dataset is contiguous */
    bool is_compressed;           /**< its chunks are compressed */
    unsigned shuffled_bytes;      /**< size of a number in bytes, as stored in the shuffle filter */
    int shuffle, deflate;         /**< position of each filter in the filter pipeline; -1: not used */
    struct h5_row_cache *cache;   /**< NULL: a chunk is one row, or too large */
};

/** Open and check a dataset. In a file of S bytes, a dataset may have at most S frames, S agents and HDF5_MAX_COLUMNS
 * columns, and a string may have at most HDF5_MAX_TEXT bytes. With these limits no product of extents overflows, and
 * the memory for reading is proportional to the size of the file.
 */
bool h5_dataset_open(struct h5_dataset *dataset, const struct h5_file *file, const char *path,
                     enum h5_kind kind, int rank);

/** Close a dataset. A zeroed struct is accepted. */
void h5_dataset_close(struct h5_dataset *dataset);

/** Read `count` entries, starting with entry `first`: numbers if the rank is 1, rows of numbers if it is 2. If the
 * rank is 3, rows of numbers are read from row `row` of the dataset. A failed read is always an error. Small rows may be
 * read one by one: all rows of a chunk are read at once and kept.
 *
 * @param values receives them as double, int64_t or uint64_t, depending on the kind of the dataset.
 */
bool h5_dataset_read(const struct h5_dataset *dataset, hsize_t row, hsize_t first, hsize_t count,
                     void *values);

/** Read all of a dataset of rank 1 and kind HDF5_WHOLE. The caller frees the result; NULL if it is absent or after an
 * error, and the count is then 0. */
int64_t *h5_read_integers(const struct h5_file *file, const char *path, hsize_t *count);

/** Read a string. The caller frees it; NULL if it is absent or after an error. */
char *h5_read_text(const struct h5_file *file, const char *path);

/** Read an attribute of the object at `path`: a string of at most size - 1 bytes (HDF5_TEXT), or one integer as uint64_t (HDF5_WHOLE). Any
 * other attribute counts as absent; `value` is then zero. */
bool h5_read_attribute(const struct h5_file *file, const char *path, const char *name, enum h5_kind kind,
                       void *value, size_t size);
