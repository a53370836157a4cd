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
#include "plain.h"

#include <stdbool.h>

struct part {
    char *name;        /**< the final place, links followed */
    char *path;        /**< where to write: name.part, or name itself for a pipe or device */
    char *next;        /**< name.part.new, where a new NAME.part is written while the old one stays */
    char *told;        /**< path in the user's words, for sentences */
    char *told_next;   /**< next, likewise */
    const char *given; /**< the final place as the user wrote it, for sentences; borrowed */
    bool is_regular;
    bool is_standard_output; /**< then there are no other names than `given` */
};

/** Find out where `given` is to be written. Refuses a folder. To be freed either way. */
bool part_choose(struct part *part, const char *given, struct fault *fault);

/** Refuse, without touching anything, what cannot be written: a folder that is not there, a file or folder without
 * permission, a NAME.part that is no plain file or that another run is writing. */
bool part_check(const struct part *part, struct fault *fault);

/** Begin NAME.part: empty, locked, with the permissions of the file that it is to replace; or open a pipe or device,
 * which may wait for its reader; or give standard output, which stays open for whoever comes after.
 *
 * @return the descriptor, or -1 with a fault: refused as by part_check().
 */
int part_open(const struct part *part, struct fault *fault);

/** Take the lock on NAME.part as it is, or on an empty one that keeps its place. As part_open() else. */
int part_hold(const struct part *part, struct fault *fault);

/** Give the file its final name, if it has one, both brought to the disk unless `sync` says otherwise. `descriptor` holds its lock and is closed after this: so nobody else can
 * begin a NAME.part that is renamed by mistake. */
bool part_rename(const struct part *part, int descriptor, enum sync_when sync, struct fault *fault);

/** Bring a file to the disk that is left as it is, NAME.part or NAME, unless `sync` says otherwise. */
bool part_settle(const struct part *part, int descriptor, enum sync_when sync, struct fault *fault);

/** Begin NAME.part.new: empty, locked, with the permissions of the file that it is to replace.
 *
 * @param held  what part_hold() gave; where there is no NAME yet, its permissions are taken.
 * @return the descriptor, or -1 with a fault; then an empty NAME.part that part_hold() has just made is gone, too.
 */
int part_open_next(const struct part *part, int held, struct fault *fault);

/** Put NAME.part.new, open as `next`, in the place of NAME.part; to the disk as part_rename(). */
bool part_take_next(const struct part *part, int next, enum sync_when sync, struct fault *fault);

/** Remove NAME.part.new, and NAME.part if part_hold() has just made it. */
void part_drop_next(const struct part *part);

void part_free(struct part *part);

#endif
