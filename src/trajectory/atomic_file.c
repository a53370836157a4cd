/* In four parts: where an output is written; whether it can be written; NAME.part; NAME.part.new.
 *
 * Locks belong to the open file, names to the path, and two runs that start at once may each remove the other's file.
 * So a lock counts only if the path still leads to the locked file once the lock is taken; otherwise the search starts
 * again.
 */
#include "atomic_file.h"

#include "regular_file.h"

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

/* The target of a link, relative to the link's folder; NULL if the path is not a link. */
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
    enum { MOST = 40 }; /* the system's own limit */
    char *target = strdup(path);
    char *next;
    for (int i = 0; i < MOST && target && (next = read_link(target)); i++) {
        free(target);
        target = next;
    }
    return target;
}

/* The real path of a file that does not exist: that of its folder, and its name. If the folder is missing too, the
 * path as it was written. */
static char *find_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *written = regular_file_folder(path);
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

/* A file that exists and is not regular is written directly: its path may be an access path such as /dev/fd/63. */
static bool is_stream(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool name_parts(struct atomic_file *part)
{
    const char *ending = part->is_regular ? ".part" : "";
    part->path = join(part->name, strlen(part->name), ending);
    part->display_path = join(part->given, strlen(part->given), ending);
    if (!part->path || !part->display_path)
        return false;
    part->next = join(part->path, strlen(part->path), ".new");
    part->display_next = join(part->display_path, strlen(part->display_path), ".new");
    return part->next && part->display_next;
}

bool atomic_file_resolve(struct atomic_file *part, const char *given, struct fault *fault)
{
    *part = (struct atomic_file){.given = given, .is_regular = !is_stream(given)};
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

/* In a folder with the sticky bit, such as /tmp, only the owner of a file may rename or replace it. */
static bool may_be_replaced(const struct stat *folder, const char *path)
{
    struct stat file;
    const uid_t me = geteuid();
    return !(folder->st_mode & S_ISVTX) || me == 0 || folder->st_uid == me || lstat(path, &file) != 0 ||
           file.st_uid == me;
}

static bool check_folder(const struct atomic_file *part, const char *folder, struct fault *fault)
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
    return may_be_replaced(&status, part->path) || fault_refuse(fault, owned, part->display_path);
}

/* The path may have changed while another output waited for its reader. */
static bool check_kind(const struct atomic_file *part, struct fault *fault)
{
    struct stat status;
    return stat(part->name, &status) != 0 || S_ISREG(status.st_mode) ||
           fault_refuse(fault,
                        S_ISDIR(status.st_mode) ? "%s is a folder; an output is a file"
                                                : "%s is no longer a regular file",
                        part->given);
}

static bool check_target(const struct atomic_file *part, struct fault *fault)
{
    return may_be(W_OK, part->name) || errno == ENOENT ||
           fault_refuse(fault, "%s may not be written: %s", part->given, strerror(errno));
}

static bool check_part(const struct atomic_file *part, struct fault *fault)
{
    const int descriptor = regular_file_open(part->path, part->display_path, fault);
    if (descriptor < 0)
        return fault->status == FAULT_NONE;
    const bool is_free = regular_file_lock(descriptor, part->display_path, fault);
    close(descriptor);
    return is_free;
}

bool atomic_file_check(const struct atomic_file *part, struct fault *fault)
{
    if (!part->is_regular)
        return check_target(part, fault);
    char *folder = regular_file_folder(part->path);
    const bool is_good = folder ? check_folder(part, folder, fault)
                                : fault_fail(fault, "%s: there is no memory for its name", part->given);
    free(folder);
    return is_good && check_kind(part, fault) && check_target(part, fault) && check_part(part, fault);
}

/* NAME.part. */

/* The file whose permissions a new one gets: NAME, or the file open as `held` if there is no NAME. */
static const struct stat *find_model(const struct atomic_file *part, int held, struct stat *status)
{
    return (stat(part->name, status) == 0 && S_ISREG(status->st_mode)) || fstat(held, status) == 0 ? status
                                                                                                   : NULL;
}

/* Open the file at the path, or create one; -1 without a fault if it appeared or vanished in between. */
static int open_or_make(const struct atomic_file *part, bool *is_new, struct fault *fault)
{
    struct stat status;
    int descriptor = regular_file_open(part->path, part->display_path, fault);
    *is_new = descriptor < 0 && fault->status == FAULT_NONE;
    if (!*is_new)
        return descriptor;
    descriptor = regular_file_create(part->path, find_model(part, -1, &status));
    if (descriptor < 0 && errno != EEXIST)
        fault_fail(fault, "%s: %s", part->display_path, strerror(errno));
    return descriptor;
}

/* Lock NAME.part, which is created if there is none. */
static int claim(const struct atomic_file *part, bool *is_new, struct fault *fault)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES && fault->status == FAULT_NONE; i++) {
        const int descriptor = open_or_make(part, is_new, fault);
        if (descriptor < 0)
            continue;
        if (regular_file_lock(descriptor, part->display_path, fault) &&
            regular_file_is_at(descriptor, part->path))
            return descriptor;
        close(descriptor);
    }
    fault_fail(fault, "%s is replaced by others again and again", part->display_path);
    return -1;
}

int atomic_file_open(const struct atomic_file *part, struct fault *fault)
{
    bool is_new = false;
    int descriptor;
    if (part->is_standard_output)
        return STDOUT_FILENO;
    if (!part->is_regular) {
        descriptor = open(part->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        if (descriptor < 0)
            fault_fail(fault, "%s: %s", part->display_path, strerror(errno));
        return descriptor;
    }
    while ((descriptor = claim(part, &is_new, fault)) >= 0 && !is_new) {
        const bool is_gone = unlink(part->path) == 0 || fault_refuse(fault, "%s cannot be replaced: %s",
                                                                     part->display_path, strerror(errno));
        close(descriptor);
        if (!is_gone)
            return -1;
    }
    return descriptor;
}

int atomic_file_lock(const struct atomic_file *part, struct fault *fault)
{
    bool is_new;
    return claim(part, &is_new, fault);
}

static bool refuse_sync(const char *display_path, struct fault *fault)
{
    return fault_fail(fault, "%s: it cannot be brought to the disk: %s", display_path, strerror(errno));
}

bool atomic_file_sync(const struct atomic_file *part, int descriptor, enum sync_when sync,
                      struct fault *fault)
{
    return !part->is_regular || sync == SYNC_NONE ||
           (regular_file_sync(descriptor) && regular_file_sync_folder(part->path)) ||
           refuse_sync(part->display_path, fault);
}

bool atomic_file_commit(const struct atomic_file *part, int descriptor, enum sync_when sync,
                        struct fault *fault)
{
    struct stat status;
    if (!part->is_regular)
        return true;
    if (lstat(part->path, &status) == 0 && !regular_file_is_at(descriptor, part->path))
        return fault_fail(fault, "%s is no longer the file that this run wrote; it is not renamed to %s",
                          part->display_path, part->given);
    if (sync != SYNC_NONE && !regular_file_sync(descriptor))
        return refuse_sync(part->display_path, fault);
    if (rename(part->path, part->name) != 0)
        return fault_fail(fault, "%s: it cannot be renamed to %s: %s", part->display_path, part->given,
                          strerror(errno));
    return sync == SYNC_NONE || regular_file_sync_folder(part->name) || refuse_sync(part->given, fault);
}

/* NAME.part.new: only the run that holds NAME.part writes it, so an old one may be removed. It has a lock of its own,
 * under which it becomes NAME.part. */

static bool remove_stale_next(const struct atomic_file *part, struct fault *fault)
{
    const int descriptor = regular_file_open(part->next, part->display_next, fault);
    if (descriptor < 0)
        return fault->status == FAULT_NONE;
    close(descriptor);
    return unlink(part->next) == 0 ||
           fault_refuse(fault, "%s cannot be replaced: %s", part->display_next, strerror(errno));
}

/* A file without bytes was only a placeholder. */
static void drop_empty_part(const struct atomic_file *part)
{
    struct stat status;
    if (lstat(part->path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        unlink(part->path);
}

int atomic_file_open_next(const struct atomic_file *part, int held, struct fault *fault)
{
    struct stat status;
    int descriptor = -1;
    if (remove_stale_next(part, fault)) {
        descriptor = regular_file_create(part->next, find_model(part, held, &status));
        if (descriptor < 0)
            fault_fail(fault, "%s: %s", part->display_next, strerror(errno));
        else if (regular_file_lock(descriptor, part->display_next, fault))
            return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    drop_empty_part(part);
    return -1;
}

bool atomic_file_commit_next(const struct atomic_file *part, int next, enum sync_when sync,
                             struct fault *fault)
{
    if (sync != SYNC_NONE && !regular_file_sync(next))
        return refuse_sync(part->display_next, fault);
    if (rename(part->next, part->path) != 0)
        return fault_fail(fault, "%s: it cannot be renamed to %s: %s", part->display_next, part->display_path,
                          strerror(errno));
    return sync == SYNC_NONE || regular_file_sync_folder(part->path) ||
           refuse_sync(part->display_path, fault);
}

void atomic_file_discard_next(const struct atomic_file *part)
{
    unlink(part->next);
    drop_empty_part(part);
}

void atomic_file_free(struct atomic_file *part)
{
    free(part->name);
    free(part->path);
    free(part->next);
    free(part->display_path);
    free(part->display_next);
    *part = (struct atomic_file){0};
}
