/* An HDF5 file that is read, and the way to what is in it. It comes from outside: whatever it says of itself is held
 * against its size on disk, and it leads nowhere but into itself. */
#ifndef HDF5_FILE_H
#define HDF5_FILE_H

#include "fault.h"
#include "vfd.h"

#include <hdf5.h>
#include <stdbool.h>

/** What may not be there is found, is not there, or could not be looked for: then there is a fault. */
enum hdf5_found { HDF5_FAULT = -1, HDF5_ABSENT, HDF5_FOUND };

struct hdf5_file {
    hid_t id;
    const char *name; /**< for sentences; borrowed */
    struct hdf5_input input;
};

/** Before anything else: keep the library from printing its own messages, from tidying up at exit behind a run that
 * failed, from locking files and from loading plugins. */
void hdf5_quieten(void);

/** The first of these, for a thread that has not opened a file: where the library was built for several threads, each has
 * messages of its own. */
void hdf5_quieten_thread(void);

/** Begin to read an open file, without a lock. Its descriptor is closed with it. HDF5_ABSENT: it is no HDF5 file, or cut
 * short. The file must stay where it is in memory. */
enum hdf5_found hdf5_file_open(struct hdf5_file *file, int descriptor, const char *name, struct fault *fault);

/** Close it, and all that was opened in it; one that was not opened is accepted if it is all zeros. */
void hdf5_file_close(struct hdf5_file *file);

/** Open the object at "one/after/another". Links to other files or other paths are refused. */
enum hdf5_found hdf5_file_find(const struct hdf5_file *file, const char *path, hid_t *object,
                               struct fault *fault);

/** Tell that what is at `path` cannot be read, and why, as far as that is known. */
bool hdf5_file_fail(const struct hdf5_file *file, const char *path, struct fault *fault);

/** Report damage: "NAME: it is damaged: " and the sentence. Returns false. */
bool hdf5_file_damaged(const struct hdf5_file *file, struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Whether there is an object at the path. */
enum hdf5_found hdf5_file_has(const struct hdf5_file *file, const char *path, struct fault *fault);

#endif
