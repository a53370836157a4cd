/* In four parts: where an output is written; whether it can be written; NAME.part; NAME.part.new.
 *
 * Locks belong to the open file, names to the path, and two runs that start at once may each remove the other's file. So a
 * lock counts only if the path still leads to the locked file once the lock is taken; otherwise the search starts again.
 */
#include "part.h"

#include "plain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where an output is written. */

static char *join(const char *a, size_t length, const char *b)
{
    char *whole = malloc(length + strlen(b) + 1);
    if (whole) {
        memcpy(whole, a, length);
        memcpy(whole + length, b, strlen(b) + 1);
    }
    return whole;
}

/* Where a link points, seen from the folder it is in; NULL for what is no link. */
static char *read_link(const char *path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return NULL;
    target[length] = '\0';
    const char *slash = strrchr(path, '/');
    if (target[0] == '/' || !slash)
        return strdup(target);
    return join(path, (size_t)(slash - path) + 1, target);
}

/* Links to a file that is not there yet. */
static char *follow_dangling_links(const char *path)
{
    enum { MOST = 40 }; /* as many as the system follows */
    char *target = strdup(path);
    char *next;
    for (int i = 0; i < MOST && target && (next = read_link(target)); i++) {
        free(target);
        target = next;
    }
    return target;
}

/* The true path of a file that is not there: its folder's, and its name. One whose folder is missing too is left as it
 * is written. */
static char *find_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *written = folder_of(path);
    char *folder = written ? realpath(written, NULL) : NULL;
    char *slashed = folder ? join(folder, strlen(folder), "/") : NULL;
    char *whole = slashed ? join(slashed, strlen(slashed), name) : strdup(path);
    free(written);
    free(folder);
    free(slashed);
    return whole;
}

static char *follow_links(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole || errno != ENOENT)
        return whole;
    char *target = follow_dangling_links(path);
    whole = target ? find_folder(target) : NULL;
    free(target);
    return whole;
}

/* What is there and no regular file is written where it is: the path may be a way in, as /dev/fd/63 is, rather than a
 * name. */
static bool is_stream(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool name_parts(struct part *part)
{
    const char *ending = part->is_regular ? ".part" : "";
    part->path = join(part->name, strlen(part->name), ending);
    part->told = join(part->given, strlen(part->given), ending);
    if (!part->path || !part->told)
        return false;
    part->next = join(part->path, strlen(part->path), ".new");
    part->told_next = join(part->told, strlen(part->told), ".new");
    return part->next && part->told_next;
}

bool part_choose(struct part *part, const char *given, struct fault *fault)
{
    *part = (struct part){.given = given, .is_regular = !is_stream(given)};
    const size_t length = strlen(given);
    struct stat status;
    if (length == 0 || given[length - 1] == '/')
        return fault_refuse(fault, "\"%s\" names no file to write", given);
    if (stat(given, &status) == 0 && S_ISDIR(status.st_mode))
        return fault_refuse(fault, "%s is a folder; an output is a file", given);
    part->name = part->is_regular ? follow_links(given) : strdup(given);
    if (!part->name && errno == ENOTDIR)
        return fault_refuse(fault, "%s: there is no such folder", given);
    if (!part->name)
        return fault_refuse(fault, "%s: %s", given, strerror(errno));
    return name_parts(part) || fault_fail(fault, "%s: there is no memory for its name", given);
}

/* Whether an output can be written: what would stop a run at its end is found before its first step. Renaming needs
 * permission to write to the folder, and a file that its owner has protected from writing is not replaced either, though
 * the system would allow it. */

static bool may_be(int access, const char *path)
{
    return faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0;
}

/* In a folder that everybody may write, such as /tmp, only the owner of a file may rename or replace it. */
static bool may_be_replaced(const struct stat *folder, const char *path)
{
    struct stat file;
    const uid_t me = geteuid();
    return !(folder->st_mode & S_ISVTX) || me == 0 || folder->st_uid == me || lstat(path, &file) != 0 ||
           file.st_uid == me;
}

static bool check_folder(const struct part *part, const char *folder, struct fault *fault)
{
    struct stat status;
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return fault_refuse(fault, "%s: there is no such folder", part->given);
    if (!may_be(W_OK | X_OK, folder))
        return fault_refuse(fault, "%s: its folder may not be written: %s", part->given, strerror(errno));
    static const char owned[] =
        "%s belongs to somebody else, and in its folder only the owner may replace it";
    if (!may_be_replaced(&status, part->name))
        return fault_refuse(fault, owned, part->given);
    return may_be_replaced(&status, part->path) || fault_refuse(fault, owned, part->told);
}

/* While another output waited for its reader, something else may have come. */
static bool check_kind(const struct part *part, struct fault *fault)
{
    struct stat status;
    return stat(part->name, &status) != 0 || S_ISREG(status.st_mode) ||
           fault_refuse(fault,
                        S_ISDIR(status.st_mode) ? "%s is a folder; an output is a file"
                                                : "%s is no longer a regular file",
                        part->given);
}

static bool check_target(const struct part *part, struct fault *fault)
{
    return may_be(W_OK, part->name) || errno == ENOENT ||
           fault_refuse(fault, "%s may not be written: %s", part->given, strerror(errno));
}

static bool check_part(const struct part *part, struct fault *fault)
{
    const int descriptor = plain_open(part->path, part->told, fault);
    if (descriptor < 0)
        return fault->status == FAULT_NONE;
    const bool is_free = plain_lock(descriptor, part->told, fault);
    close(descriptor);
    return is_free;
}

bool part_check(const struct part *part, struct fault *fault)
{
    if (!part->is_regular)
        return check_target(part, fault);
    char *folder = folder_of(part->path);
    const bool is_good = folder ? check_folder(part, folder, fault)
                                : fault_fail(fault, "%s: there is no memory for its name", part->given);
    free(folder);
    return is_good && check_kind(part, fault) && check_target(part, fault) && check_part(part, fault);
}

/* NAME.part. */

/* The file whose permissions a new one gets: NAME, or the file open as `held` if there is no NAME. */
static const struct stat *find_model(const struct part *part, int held, struct stat *status)
{
    return (stat(part->name, status) == 0 && S_ISREG(status->st_mode)) || fstat(held, status) == 0 ? status
                                                                                                   : NULL;
}

/* What is at the path, or a new file; -1 without a fault when it came or went in between. */
static int open_or_make(const struct part *part, bool *is_new, struct fault *fault)
{
    struct stat status;
    int descriptor = plain_open(part->path, part->told, fault);
    *is_new = descriptor < 0 && fault->status == FAULT_NONE;
    if (!*is_new)
        return descriptor;
    descriptor = plain_make(part->path, find_model(part, -1, &status));
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

int part_open(const struct part *part, struct fault *fault)
{
    bool is_new = false;
    int descriptor;
    if (part->is_standard_output)
        return STDOUT_FILENO;
    if (!part->is_regular) {
        descriptor = open(part->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        if (descriptor < 0)
            fault_fail(fault, "%s: %s", part->told, strerror(errno));
        return descriptor;
    }
    while ((descriptor = claim(part, &is_new, fault)) >= 0 && !is_new) {
        const bool is_gone = unlink(part->path) == 0 ||
                             fault_refuse(fault, "%s cannot be replaced: %s", part->told, strerror(errno));
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

/* NAME.part.new: only the run that holds NAME.part writes it, so an old one may be removed. It has a lock of its own, under
 * which it becomes NAME.part. */

static bool remove_stale_next(const struct part *part, struct fault *fault)
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
    if (remove_stale_next(part, fault)) {
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
        return refuse_sync(part->told_next, fault);
    if (rename(part->next, part->path) != 0)
        return fault_fail(fault, "%s: it cannot be renamed to %s: %s", part->told_next, part->told,
                          strerror(errno));
    return sync == SYNC_NONE || sync_folder(part->path) || refuse_sync(part->told, fault);
}

void part_drop_next(const struct part *part)
{
    unlink(part->next);
    drop_empty_part(part);
}

void part_free(struct part *part)
{
    free(part->name);
    free(part->path);
    free(part->next);
    free(part->told);
    free(part->told_next);
    *part = (struct part){0};
}
