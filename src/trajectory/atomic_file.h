/* Atomic output files: a file is written as NAME.part and renamed to NAME when it is complete.
 *
 * NAME.part is in the folder of NAME. Symbolic links are followed first, so a link remains a link. Pipes and devices
 * are written directly, because nothing may be renamed over them.
 *
 * A run writes only into a file that it created: a NAME.part of an earlier run is replaced, not overwritten. A file is
 * locked from before its first byte until after its renaming, so a run is writing NAME.part if and only if it is
 * locked.
 */
#ifndef PART_H
#define PART_H

#include "fault.h"
#include "regular_file.h"

#include <stdbool.h>

struct atomic_file {
    char *name;         /**< the final path, links followed */
    char *path;         /**< the path to write: name.part, or name itself for a pipe or device */
    char *next;         /**< name.part.new, where a new NAME.part is written while the old one stays */
    char *display_path; /**< path as the user wrote it, for messages */
    char *display_next; /**< next, likewise */
    const char *given;  /**< the final path as the user wrote it, for messages; borrowed */
    bool is_regular;
    bool is_standard_output; /**< then only `given` is set */
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

#endif
