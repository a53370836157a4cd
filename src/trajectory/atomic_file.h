/* Atomic output files: a file is written as NAME.part and renamed to NAME when it is complete.
 *
 * NAME.part is in the folder of NAME. Symbolic links are followed first, so a link remains a link. Pipes and devices
 * are written directly, because nothing may be renamed over them.
 *
 * A run writes only into a file that it created: a NAME.part of an earlier run is replaced, not overwritten. A file is
 * locked from before its first byte until after its renaming, so a run is writing NAME.part if and only if it is
 * locked.
 */
#ifndef ATOMIC_FILE_H
#define ATOMIC_FILE_H

#include "fault.h"

#include <stdbool.h>
#include <sys/stat.h>

/** When files are brought to the disk by fsync(2), so that they survive a loss of power. Until then the data is only
 * in the system's memory; it survives if the process is killed, but not a loss of power. */
enum sync_when {
    SYNC_NONE, /**< when the system decides */
    SYNC_END,  /**< a file before it is renamed or left, its folder after that */
    SYNC_FLUSH /**< each flush as well */
};

struct atomic_file {
    char *name;         /**< the final path, links followed */
    char *path;         /**< the path to write: name.part, or name itself for a pipe or device */
    char *next;         /**< name.part.new, where a new NAME.part is written while the old one stays */
    char *display_path; /**< path as the user wrote it, for messages */
    char *display_next; /**< next, likewise */
    const char *given;  /**< the final path as the user wrote it, for messages; borrowed */
    bool is_regular;
    bool is_standard_output; /**< if so, only `given` is set */
};

/** Find the paths for an output `given`. Refuses a folder. To be freed either way. */
bool atomic_file_resolve(struct atomic_file *part, const char *given, struct fault *fault);

/** Refuse an output that cannot be written, without touching anything: a missing folder, a file or folder without
 * permission, a NAME.part that is not a regular file or that another run is writing. */
bool atomic_file_check(const struct atomic_file *part, struct fault *fault);

/** Create NAME.part, empty, locked, with the permissions of the file that it will replace; or open a pipe or device,
 * which may wait for its reader; or return standard output, which the caller must not close.
 *
 * @return the descriptor, or -1 with a fault: refused as by atomic_file_check().
 */
int atomic_file_open(const struct atomic_file *part, struct fault *fault);

/** Lock the existing NAME.part, or an empty new one as a placeholder. Otherwise as atomic_file_open(). */
int atomic_file_lock(const struct atomic_file *part, struct fault *fault);

/** Rename a regular file to its final name; `sync` decides whether file and folder are synchronised. `descriptor` holds
 * the lock and must be closed only afterwards, so that no other run can create a NAME.part that is then renamed by
 * mistake. */
bool atomic_file_commit(const struct atomic_file *part, int descriptor, enum sync_when sync,
                        struct fault *fault);

/** Synchronise a file that keeps its name, NAME.part or NAME, as `sync` says. */
bool atomic_file_sync(const struct atomic_file *part, int descriptor, enum sync_when sync,
                      struct fault *fault);

/** Create NAME.part.new, empty, locked, with the permissions of the file that it will replace.
 *
 * @param held  the descriptor from atomic_file_lock(); its permissions count if there is no NAME yet.
 * @return the descriptor, or -1 with a fault; then an empty NAME.part that atomic_file_lock() created is removed, too.
 */
int atomic_file_open_next(const struct atomic_file *part, int held, struct fault *fault);

/** Rename NAME.part.new, open as `next`, to NAME.part; `sync` as in atomic_file_commit(). */
bool atomic_file_commit_next(const struct atomic_file *part, int next, enum sync_when sync,
                             struct fault *fault);

/** Remove NAME.part.new, and NAME.part if atomic_file_lock() created it. */
void atomic_file_discard_next(const struct atomic_file *part);

void atomic_file_free(struct atomic_file *part);

/* Regular files with one name, opened under that name and through no link. Every output that is not a stream is such a
 * file: a planted link would send the bytes of the run into another file, and a FIFO would block it for ever. */

/** Open a regular file for reading and writing; its contents do not change.
 *
 * @param display_path  the path as the user wrote it, for messages.
 * @return the descriptor; or -1, without a fault if there is nothing at the path, refused if it is a link or not a
 *          regular file, or may not be written.
 */
int regular_file_open(const char *path, const char *display_path, struct fault *fault);

/** Create an empty file at a path where there is none.
 *
 * @param model  a file whose permissions it gets, without setuid and setgid bits; NULL: the usual permissions.
 * @return the descriptor, or -1 with errno: EEXIST if there is a file.
 */
int regular_file_create(const char *path, const struct stat *model);

/** Take the advisory lock of a run that is writing. Refused if another run holds it. */
bool regular_file_lock(int descriptor, const char *display_path, struct fault *fault);

/** Whether a path still leads to the open file. */
bool regular_file_is_at(int descriptor, const char *path);

/** Report errors that otherwise only the last close() reports: a network file system may accept bytes and find no room
 * for them later. The descriptor stays open and keeps its lock. False with errno. */
bool regular_file_check_close(int descriptor);

/** Bring a file to the disk. It succeeds for a pipe or device. False with errno. */
bool regular_file_sync(int descriptor);

/** fsync() the folder that contains a file, so that its name is on the disk. False with errno. */
bool regular_file_sync_folder(const char *path);

/** The folder part of a path, with a slash at its end. To be freed; NULL when memory ran out. */
char *regular_file_folder(const char *path);

#endif
