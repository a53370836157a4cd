/* NAME.part.new is written only by who holds NAME.part, so a stale one is nobody's. It gets a lock of its own all the
 * same, under which it becomes NAME.part.
 */
#include "part.h"
#include "plain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is replaced in the end: NAME, or where that is not there yet, NAME.part. */
static const struct stat *find_model(const struct part *part, int held, struct stat *status)
{
    return (stat(part->name, status) == 0 && S_ISREG(status->st_mode)) || fstat(held, status) == 0 ? status
                                                                                                   : NULL;
}

static bool remove_stale(const struct part *part, struct fault *fault)
{
    const int descriptor = plain_open(part->next, part->told_next, fault);
    if (descriptor < 0)
        return fault->status == FAULT_NONE;
    close(descriptor);
    return unlink(part->next) == 0 ||
           fault_refuse(fault, "%s cannot be replaced: %s", part->told_next, strerror(errno));
}

/* Whatever has no bytes in it only kept the place. */
static void drop_empty_part(const struct part *part)
{
    struct stat status;
    if (lstat(part->path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        unlink(part->path);
}

int part_open_next(const struct part *part, int held, struct fault *fault)
{
    struct stat status;
    int descriptor = -1;
    if (remove_stale(part, fault)) {
        descriptor = plain_make(part->next, find_model(part, held, &status));
        if (descriptor < 0)
            fault_fail(fault, "%s: %s", part->told_next, strerror(errno));
        else if (plain_lock(descriptor, part->told_next, fault))
            return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    drop_empty_part(part);
    return -1;
}

bool part_take_next(const struct part *part, int next, enum sync_when sync, struct fault *fault)
{
    if (sync != SYNC_NONE && !sync_file(next))
        return fault_fail(fault, "%s: it cannot be brought to the disk: %s", part->told_next,
                          strerror(errno));
    if (rename(part->next, part->path) != 0)
        return fault_fail(fault, "%s: it cannot be renamed to %s: %s", part->told_next, part->told,
                          strerror(errno));
    return sync == SYNC_NONE || sync_folder(part->path) ||
           fault_fail(fault, "%s: it cannot be brought to the disk: %s", part->told, strerror(errno));
}

void part_drop_next(const struct part *part)
{
    unlink(part->next);
    drop_empty_part(part);
}
