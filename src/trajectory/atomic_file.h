/* NAME.part: where a file is written until it is whole, a temporary file and an atomic rename.
 *
 * A regular file is begun under NAME.part beside its final place and renamed when it is complete. Symbolic links are
 * followed first, so that the link stays a link. Pipes and devices are written directly: nothing may be renamed over
 * them.
 *
 * What a run writes into it has made itself: a NAME.part that an earlier run left is never overwritten, but replaced. From
 * its first byte until after its renaming a file is locked, so a locked NAME.part is being written, and one without a
 * lock is nobody's.
 */
#ifndef PART_H
#define PART_H

#include "fault.h"
#include "regular_file.h"

#include <stdbool.h>

struct atomic_file {
    char *name;         /**< the final place, links followed */
    char *path;         /**< where to write: name.part, or name itself for a pipe or device */
    char *next;         /**< name.part.new, where a new NAME.part is written while the old one stays */
    char *display_path; /**< path in the user's words, for sentences */
    char *display_next; /**< next, likewise */
    const char *given;  /**< the final place as the user wrote it, for sentences; borrowed */
    bool is_regular;
    bool is_standard_output; /**< then there are no other names than `given` */
};

/** Find out where `given` is to be written. Refuses a folder. To be freed either way. */
bool atomic_file_resolve(struct atomic_file *part, const char *given, struct fault *fault);

/** Refuse, without touching anything, what cannot be written: a folder that is not there, a file or folder without
 * permission, a NAME.part that is no plain file or that another run is writing. */
bool atomic_file_check(const struct atomic_file *part, struct fault *fault);

/** Begin NAME.part: empty, locked, with the permissions of the file that it is to replace; or open a pipe or device,
 * which may wait for its reader; or give standard output, which stays open for whoever comes after.
 *
 * @return the descriptor, or -1 with a fault: refused as by atomic_file_check().
 */
int atomic_file_open(const struct atomic_file *part, struct fault *fault);

/** Take the lock on NAME.part as it is, or on an empty one that keeps its place. As atomic_file_open() else. */
int atomic_file_lock(const struct atomic_file *part, struct fault *fault);

/** Give the file its final name, if it has one, both brought to the disk unless `sync` says otherwise. `descriptor` holds its lock and is closed after this: so nobody else can
 * begin a NAME.part that is renamed by mistake. */
bool atomic_file_commit(const struct atomic_file *part, int descriptor, enum sync_when sync,
                        struct fault *fault);

/** Bring a file to the disk that is left as it is, NAME.part or NAME, unless `sync` says otherwise. */
bool atomic_file_sync(const struct atomic_file *part, int descriptor, enum sync_when sync,
                      struct fault *fault);

/** Begin NAME.part.new: empty, locked, with the permissions of the file that it is to replace.
 *
 * @param held  what atomic_file_lock() gave; where there is no NAME yet, its permissions are taken.
 * @return the descriptor, or -1 with a fault; then an empty NAME.part that atomic_file_lock() has just made is gone, too.
 */
int atomic_file_open_next(const struct atomic_file *part, int held, struct fault *fault);

/** Put NAME.part.new, open as `next`, in the place of NAME.part; to the disk as atomic_file_commit(). */
bool atomic_file_commit_next(const struct atomic_file *part, int next, enum sync_when sync,
                             struct fault *fault);

/** Remove NAME.part.new, and NAME.part if atomic_file_lock() has just made it. */
void atomic_file_discard_next(const struct atomic_file *part);

void atomic_file_free(struct atomic_file *part);

#endif
