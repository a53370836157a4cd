/* NAME.part: where a file is written until it is whole.
 *
 * A regular file is begun under NAME.part beside its final place and renamed when it is complete. Symbolic links are
 * followed first, so that the link stays a link. Pipes and devices are written directly: nothing may be renamed over
 * them.
 */
#ifndef PART_H
#define PART_H

#include "fault.h"

#include <stdbool.h>

struct part {
    char *name;        /**< the final place, links followed */
    char *path;        /**< where to write: name.part, or name itself for a pipe or device */
    const char *given; /**< as the user wrote it, for sentences; borrowed */
    bool is_regular;
};

/** Find out where `given` is to be written. Refuses a folder. */
bool part_choose(struct part *part, const char *given, struct fault *fault);

/** Refuse, without touching anything, a folder that is not there and a file that another run is writing. */
bool part_check(const struct part *part, struct fault *fault);

/** Open part->path for writing without touching what is in it, and take the lock that says a live run is writing.
 *
 * @return the descriptor, or -1 with a fault: refused when another run holds the lock.
 */
int part_open(const struct part *part, struct fault *fault);

/** Give the file its final name, if it has one. */
bool part_rename(const struct part *part, struct fault *fault);

/** Open NAME.part.new, in which a new NAME.part is begun while the old one stays, with the old one's permissions, empty
 * and locked as part_open() does.
 *
 * @param path  receives its path, to be freed.
 * @param lock  what part_open() gave.
 */
int part_open_next(const struct part *part, int lock, char **path, struct fault *fault);

/** Put NAME.part.new in the place of NAME.part. */
bool part_take_next(const struct part *part, const char *next, struct fault *fault);

/** Remove NAME.part.new, unless `next` is NULL, and NAME.part if part_open() has just made it. */
void part_drop_next(const struct part *part, const char *next);

void part_free(struct part *part);

#endif
