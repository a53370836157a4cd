/* An HDF5 file opened for reading, and its datasets. It is untrusted input: no link in it is followed to another file, and the
 * type, size and storage of each dataset are compared with what boids writes and with the size of the file on disk. */
#ifndef HDF5_FILE_H
#define HDF5_FILE_H

#include "fault.h"
#include "vfd.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/** The result of looking for something that may be absent. HDF5_FAULT: it could not be looked for; there is a fault. */
enum h5_found { HDF5_FAULT = -1, HDF5_ABSENT, HDF5_FOUND };

struct h5_file {
    hid_t id;
    const char *name; /**< for sentences; borrowed */
    struct h5_vfd_file disk;
};

/** Call it first: the library then prints no messages of its own, runs nothing at exit (it could fail after a failed run), locks
 * no files and loads no plugins. */
void h5_quieten(void);

/** Switch off the messages for a thread that opened no file: if the library is built for threads, each has its own setting. */
void h5_quieten_thread(void);

/** Begin to read an open file, without a lock. Its descriptor is closed with it. HDF5_ABSENT: it is no HDF5 file, or
 * cut short. The struct must not be moved or copied while the file is open. */
enum h5_found h5_file_open(struct h5_file *file, int descriptor, const char *name, struct fault *fault);

/** Close the file and everything that was opened in it. A file that was not opened is accepted if it is all zeros. */
void h5_file_close(struct h5_file *file);

/** Open the object at "one/after/another". Links to other files or other paths are refused. */
enum h5_found h5_file_find(const struct h5_file *file, const char *path, hid_t *object, struct fault *fault);

/** Report that the object at `path` cannot be read, and the reason if it is known. Returns false. */
bool h5_file_fail(const struct h5_file *file, const char *path, struct fault *fault);

/** Report damage: "NAME: it is damaged: " and the sentence. Returns false. */
bool h5_file_damaged(const struct h5_file *file, struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Whether there is an object at the path. */
enum h5_found h5_file_has(const struct h5_file *file, const char *path, struct fault *fault);

enum h5_kind {
    HDF5_REAL,  /**< float32 or float64; read as double */
    HDF5_WHOLE, /**< int32 or int64; read as int64_t */
    HDF5_BITS,  /**< uint64: hashes */
    HDF5_TEXT   /**< of a fixed length */
};

enum { HDF5_MAX_RANK = 3, HDF5_MAX_COLUMNS = 4, HDF5_MAX_TEXT = 1 << 20 };

/** A checkpoint has two slots, and four numbers per agent: x, y, vx, vy. */
enum { HDF5_SLOTS = 2, HDF5_NUMBERS = 4 };

/** A dataset that is safe to read, contiguous or in chunks. */
struct h5_dataset {
    const struct h5_file *file;
    char path[128]; /**< for sentences */
    hid_t id, type;
    hid_t native; /**< the type of this machine as which it is read */
    size_t type_size;
    int rank;
    hsize_t size[HDF5_MAX_RANK];  /**< 1 for dimensions beyond its rank */
    hsize_t chunk[HDF5_MAX_RANK]; /**< likewise; 0: it is contiguous */
    bool is_packed;               /**< its chunks are compressed */
    unsigned shuffled_bytes;      /**< size of a number according to the shuffle filter */
    int shuffle, deflate;         /**< position of each in the filter pipeline; -1: not used */
};

/** Open and check it. A file of S bytes has at most S frames, S agents and HDF5_MAX_COLUMNS columns, a text of at most
 * HDF5_MAX_TEXT bytes: so that no product of extents can overflow, and reading takes memory in proportion to the file.
 */
enum h5_found h5_dataset_open(struct h5_dataset *dataset, const struct h5_file *file, const char *path,
                              enum h5_kind kind, int rank, struct fault *fault);

/** Close it. A dataset that was not opened is accepted if it is all zeros. */
void h5_dataset_close(struct h5_dataset *dataset);

/** Read `count` numbers or rows of numbers from `first` on; of a dataset of rank 3, those of row `row`. A read that fails is a
 * fault, never a number.
 *
 * @param values  room for them, as double, int64_t or uint64_t by the kind of the dataset.
 */
bool h5_dataset_read(const struct h5_dataset *dataset, hsize_t row, hsize_t first, hsize_t count,
                     void *values, struct fault *fault);

/** Read a whole dataset of rank 1 and kind HDF5_WHOLE; free the result if it was found. */
enum h5_found h5_read_integers(const struct h5_file *file, const char *path, int64_t **numbers,
                               hsize_t *count, struct fault *fault);

/** Read a string; free it if it was found. */
enum h5_found h5_read_text(const struct h5_file *file, const char *path, char **text, struct fault *fault);

/** Read a string attribute of the object at `path` into `size` bytes. HDF5_ABSENT also if it is longer, or no string. */
enum h5_found h5_read_attribute(const struct h5_file *file, const char *path, const char *name, char *text,
                                size_t size, struct fault *fault);

#endif
