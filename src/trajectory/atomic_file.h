/* Atomic output files: a file is written as NAME.part and renamed to NAME when it is complete.
 *
 * NAME.part is in the folder of NAME. If NAME is a symbolic link to a file, the file is replaced, so the link itself
 * remains. Pipes and devices are written directly, because a rename would replace them. If NAME leads to the file of
 * a descriptor that the program inherited, such as standard output, the output is written to this descriptor: a
 * rename would lose everything else that is written to it.
 *
 * A run writes only to a file that it has created: it replaces the NAME.part of an earlier run by a new file. A file
 * is locked before its first byte is written and unlocked after it is renamed. So NAME.part is locked if and only if
 * a run is writing it.
 */
#pragma once

#include "base/error.h"
#include "config/config.h"

#include <stdbool.h>

/* An argument of type `enum config_sync` says when fsync(2) writes a file to the disk. Before that, data is only in the
 * memory of the operating system: it survives if the process is killed, but not if the power fails. */

struct atomic_file {
    char *name;         /**< the final path, with symbolic links resolved */
    char *path;         /**< the path to write: name.part, or name itself if the file is not regular */
    char *next;         /**< name.part.new, where --resume writes a new NAME.part while the old one stays */
    char *display_path; /**< path as the user wrote it, for messages */
    const char *given;  /**< the final path as the user wrote it, for messages; borrowed */
    bool is_regular;    /**< the file is written as name.part and renamed */
    int descriptor;     /**< inherited descriptor to which the output is written; 0: there is none */
};

/** Determine the paths of the output `given`; "-" is standard output. A folder, and a symbolic link to a file that does not
 * exist, are refused. Free `part` also if this fails. */
bool atomic_file_resolve(struct atomic_file *part, const char *given, struct error *error);

/** Check, without changing any file, that an output can be written. It is refused if its folder is missing, if the
 * user may not write the file or folder, or if NAME.part is not a regular file or is being written by another run. */
bool atomic_file_check(const struct atomic_file *part, struct error *error);

/** Create an empty, locked NAME.part with the permissions of the file that it will replace. A pipe or device is
 * opened instead, which may wait for its reader. If the output is written to an inherited descriptor, this
 * descriptor is returned, and the caller must not close it.
 *
 * @return the descriptor, or -1 with an error: refused for the same reasons as in atomic_file_check().
 */
int atomic_file_open(const struct atomic_file *part, struct error *error);

/** Lock the existing NAME.part; if there is none, create an empty one as a placeholder. Otherwise, this function does
 * the same as atomic_file_open(). */
int atomic_file_lock(const struct atomic_file *part, struct error *error);

/** Rename a regular file to its final name; `sync` selects whether the file and its folder are written to the disk.
 * `descriptor` holds the lock. Close it only after the rename: otherwise another run could create a NAME.part, and
 * this call would rename that file. */
bool atomic_file_commit(const struct atomic_file *part, int descriptor, enum config_sync sync,
                        struct error *error);

/** Write a file that is not renamed (NAME.part or NAME) to the disk if `sync` requires it. */
bool atomic_file_sync(const struct atomic_file *part, int descriptor, enum config_sync sync,
                      struct error *error);

void atomic_file_free(struct atomic_file *part);

/* Functions for regular files. Every output that is not a stream is a regular file. */

/** True if a path still leads to the open file. */
bool regular_file_is_at(int descriptor, const char *path);

/** Detect errors that some file systems report only on close(): a network file system may accept data and later find
 * that the disk is full. The descriptor stays open and locked. Returns false with errno on an error. */
bool regular_file_check_close(int descriptor);

/** Write a file to the disk with fsync(). Always succeeds for a pipe or device. Returns false with errno on an error. */
bool regular_file_sync(int descriptor);

/** After a write of `size` bytes up to offset `end`, let the system begin to write a long file to the disk, so that fsync() at
 * its end has little to wait for. */
void regular_file_wrote(int descriptor, uint64_t end, size_t size);

/** The folder part of a path, with a slash at its end. The caller frees it; NULL if memory runs out. */
char *regular_file_folder(const char *path);
