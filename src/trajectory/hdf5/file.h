/* An HDF5 file opened for reading. It is untrusted input: every size in it is compared with the size of the file on disk, and no
 * link in it is followed to another file. */
#ifndef HDF5_FILE_H
#define HDF5_FILE_H

#include "fault.h"
#include "vfd.h"

#include <hdf5.h>
#include <stdbool.h>

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

/** Begin to read an open file, without a lock. Its descriptor is closed with it. HDF5_ABSENT: it is no HDF5 file, or cut
 * short. The file must stay where it is in memory. */
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

#endif
