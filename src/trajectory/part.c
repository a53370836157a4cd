/* Locks go by what was opened, names by the path, and two runs that start at once may pull a file away from under each
 * other. So a lock counts only when, once it is taken, the path still leads to what is locked; else all begins anew.
 */
#include "part.h"

#include "plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that is to be replaced, if there is one. */
static const struct stat *find_model(const struct part *part, struct stat *status)
{
    return stat(part->name, status) == 0 && S_ISREG(status->st_mode) ? status : NULL;
}

/* What is at the path, or a new file; -1 without a fault when it came or went in between. */
static int open_or_make(const struct part *part, bool *is_new, struct fault *fault)
{
    struct stat status;
    int descriptor = plain_open(part->path, part->told, fault);
    *is_new = descriptor < 0 && fault->status == FAULT_NONE;
    if (!*is_new)
        return descriptor;
    descriptor = plain_make(part->path, find_model(part, &status));
    if (descriptor < 0 && errno != EEXIST)
        fault_fail(fault, "%s: %s", part->told, strerror(errno));
    return descriptor;
}

/* The lock on NAME.part, which is made where there is none. */
static int claim(const struct part *part, bool *is_new, struct fault *fault)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES && fault->status == FAULT_NONE; i++) {
        const int descriptor = open_or_make(part, is_new, fault);
        if (descriptor < 0)
            continue;
        if (plain_lock(descriptor, part->told, fault) && plain_is_at(descriptor, part->path))
            return descriptor;
        close(descriptor);
    }
    fault_fail(fault, "%s is replaced by others again and again", part->told);
    return -1;
}

static int open_stream(const struct part *part, struct fault *fault)
{
    const int descriptor = open(part->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        fault_fail(fault, "%s: %s", part->told, strerror(errno));
    return descriptor;
}

static bool remove_stale(const struct part *part, struct fault *fault)
{
    return unlink(part->path) == 0 ||
           fault_refuse(fault, "%s cannot be replaced: %s", part->told, strerror(errno));
}

int part_open(const struct part *part, struct fault *fault)
{
    bool is_new = false;
    int descriptor;
    if (part->is_standard_output)
        return STDOUT_FILENO;
    if (!part->is_regular)
        return open_stream(part, fault);
    while ((descriptor = claim(part, &is_new, fault)) >= 0 && !is_new) {
        const bool is_gone = remove_stale(part, fault);
        close(descriptor);
        if (!is_gone)
            return -1;
    }
    return descriptor;
}

int part_hold(const struct part *part, struct fault *fault)
{
    bool is_new;
    return claim(part, &is_new, fault);
}

static bool refuse_sync(const char *told, struct fault *fault)
{
    return fault_fail(fault, "%s: it cannot be brought to the disk: %s", told, strerror(errno));
}

bool part_settle(const struct part *part, int descriptor, enum sync_when sync, struct fault *fault)
{
    return !part->is_regular || sync == SYNC_NONE || (sync_file(descriptor) && sync_folder(part->path)) ||
           refuse_sync(part->told, fault);
}

bool part_rename(const struct part *part, int descriptor, enum sync_when sync, struct fault *fault)
{
    struct stat status;
    if (!part->is_regular)
        return true;
    if (lstat(part->path, &status) == 0 && !plain_is_at(descriptor, part->path))
        return fault_fail(fault, "%s is no longer the file that this run wrote; it is not renamed to %s",
                          part->told, part->given);
    if (sync != SYNC_NONE && !sync_file(descriptor))
        return refuse_sync(part->told, fault);
    if (rename(part->path, part->name) != 0)
        return fault_fail(fault, "%s: it cannot be renamed to %s: %s", part->told, part->given,
                          strerror(errno));
    return sync == SYNC_NONE || sync_folder(part->name) || refuse_sync(part->given, fault);
}
