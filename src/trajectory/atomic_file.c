/* This file has five parts: regular files, the paths of an output, the check that it can be written, NAME.part, and
 * NAME.part.new.
 *
 * Every check of a path is repeated on the open file, because another process may have replaced the file in between.
 *
 * A lock belongs to an open file, not to its path, and two runs that start at the same time may remove each other's
 * file. So after taking a lock, the code checks that the path still leads to the locked file; if not, it tries
 * again.
 */
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Regular files. */

static const char remedy[] = "remove it, or give the output another name";

/* The inherited descriptor of a file, such as standard output, if the program may write to it; 0 if there is none. The program opens all
 * its own files with O_CLOEXEC. Any number of outputs may be written to a device such as /dev/null, so devices other than terminals are
 * ignored. */
static int find_inherited(const struct stat *file)
{
    enum { MAX_DESCRIPTOR = 64 };
    struct stat opened;
    for (int descriptor = STDOUT_FILENO; descriptor < MAX_DESCRIPTOR; descriptor++)
        if (fstat(descriptor, &opened) == 0 && opened.st_dev == file->st_dev &&
            opened.st_ino == file->st_ino && fcntl(descriptor, F_GETFD) == 0 &&
            (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY &&
            (!S_ISCHR(file->st_mode) || isatty(descriptor)))
            return descriptor;
    return 0;
}

static bool check_regular(const struct stat *status, const char *display_path, struct error *error)
{
    if (S_ISLNK(status->st_mode))
        return error_refuse(error, "%s is a symbolic link; %s", display_path, remedy);
    if (!S_ISREG(status->st_mode))
        return error_refuse(error, "%s is not a regular file; %s", display_path, remedy);
    if (find_inherited(status) > 0)
        return error_refuse(error,
                            "%s is the file of descriptor %d, to which messages or another output go; %s",
                            display_path, find_inherited(status), remedy);
    return status->st_nlink <= 1 ||
           error_refuse(error, "%s is a hard link to a file with other names; %s", display_path, remedy);
}

/* Open an existing regular file for reading and writing. -1 without an error: nothing is at the path. */
static int regular_file_open(const char *path, const char *display_path, struct error *error)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        if (errno != ENOENT)
            error_refuse(error, "%s: %s", display_path, strerror(errno));
        return -1;
    }
    /* Opening a device can have side effects, so the path is also checked before it is opened. */
    if (!check_regular(&status, display_path, error))
        return -1;
    const int descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 && errno != ENOENT)
        error_refuse(error, "%s may not be written: %s; %s", display_path, strerror(errno), remedy);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &status) == 0 && check_regular(&status, display_path, error))
        return descriptor;
    error_fail(error, "%s: %s", display_path, strerror(errno));
    close(descriptor);
    return -1;
}

/* Create an empty file with the permissions of `model` (NULL: the usual ones). -1 with errno: it failed, or the path exists. */
static int regular_file_create(const char *path, const struct stat *model)
{
    /* The new file must not have more permissions than the final one at any time, because another process could open
     * it. */
    const mode_t mode = model ? model->st_mode & 0777 : 0666;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    /* A file system without permissions may fail to set them, so errors are ignored. */
    if (descriptor >= 0 && model)
        (void)!fchmod(descriptor, mode);
    return descriptor;
}

/* Take the advisory lock that a run holds while it writes a file. */
static bool regular_file_lock(int descriptor, const char *display_path, struct error *error)
{
    /* If the file system does not support locks, the file stays unlocked. */
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK ||
           error_refuse(error, "%s is being written by another run", display_path);
}

bool regular_file_is_at(int descriptor, const char *path)
{
    struct stat opened, there;
    return lstat(path, &there) == 0 && fstat(descriptor, &opened) == 0 && opened.st_dev == there.st_dev &&
           opened.st_ino == there.st_ino;
}

bool regular_file_check_close(int descriptor)
{
    const int twin = dup(descriptor);
    return twin >= 0 && close(twin) == 0;
}

/* Some file systems do not support fsync(), especially for folders. This is not an error. */
bool regular_file_sync(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

char *regular_file_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

/* Write the folder of a file to the disk, because the folder contains the name of the file. It is not an error if the folder cannot be
 * opened because it has no read permission or was removed. */
static bool regular_file_sync_folder(const char *path)
{
    char *folder = regular_file_folder(path);
    if (!folder)
        return false;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (descriptor < 0)
        return errno == EACCES || errno == ENOENT;
    const bool is_good = regular_file_sync(descriptor);
    const int reason = errno;
    close(descriptor);
    errno = reason;
    return is_good;
}

/* The paths of an output. */

static char *join(const char *a, const char *b, const char *c)
{
    char *whole = malloc(strlen(a) + strlen(b) + strlen(c) + 1);
    if (whole)
        sprintf(whole, "%s%s%s", a, b, c);
    return whole;
}

/* The real path of a file, or of the file that a symbolic link will create. If the file does not exist, it is the real
 * path of its folder followed by its name. If the folder does not exist either, it is the path as the user wrote it. */
static char *follow_links(const char *path)
{
    char target[PATH_MAX], *whole = realpath(path, NULL);
    if (whole || errno != ENOENT)
        return whole; /* a circle of links gives another error, so the recursion below ends */
    char *folder = regular_file_folder(path), *real = NULL;
    const char *slash = strrchr(path, '/');
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length >= 0) {
        target[length] = '\0';
        char *next = target[0] == '/' || !slash ? strdup(target) : folder ? join(folder, target, "") : NULL;
        whole = next ? follow_links(next) : NULL;
        free(next);
    } else if (folder) {
        real = realpath(folder, NULL);
        if (real || errno != ENOMEM)
            whole = real ? join(real, "/", slash ? slash + 1 : path) : strdup(path);
    }
    free(real);
    free(folder);
    return whole;
}

bool atomic_file_resolve(struct atomic_file *part, const char *given, struct error *error)
{
    struct stat status;
    const bool is_standard_output = strcmp(given, "-") == 0, is_there = stat(given, &status) == 0;
    const size_t length = strlen(given);
    const int descriptor = is_standard_output ? STDOUT_FILENO : is_there ? find_inherited(&status) : 0;
    /* A file that exists and is not regular is written directly. Its path is not resolved, because it may be a path
     * such as /dev/fd/63. */
    const bool is_regular = descriptor == 0 && (!is_there || S_ISREG(status.st_mode));
    *part = (struct atomic_file){.given = given, .is_regular = is_regular, .descriptor = descriptor};
    if (length == 0 || given[length - 1] == '/')
        return error_refuse(error, "\"%s\" names no file to write", given);
    if (is_there && S_ISDIR(status.st_mode) && !is_standard_output)
        return error_refuse(error, "%s is a folder; an output is a file", given);
    part->name = is_regular ? follow_links(given) : strdup(is_standard_output ? "/dev/stdout" : given);
    if (!part->name && errno == ENOTDIR)
        return error_refuse(error, "%s: there is no such folder", given);
    if (!part->name)
        return errno == ENOMEM ? error_fail(error, "%s: %s", given, strerror(errno))
                               : error_refuse(error, "%s: %s", given, strerror(errno));
    const char *ending = is_regular ? ".part" : "";
    const char *display_name = is_standard_output ? "standard output" : given;
    part->path = join(part->name, ending, "");
    part->display_path = join(display_name, ending, "");
    part->next = join(part->name, ending, ".new");
    part->display_next = join(display_name, ending, ".new");
    return (part->path && part->display_path && part->next && part->display_next) ||
           error_fail(error, "%s: out of memory for its name", given);
}

/* Checks whether an output can be written, so that a run does not fail at its end for a reason that could be found
 * before its first step. The rename needs write permission for the folder. A write-protected file is not replaced,
 * although the system would allow it. */

/* In a folder with the sticky bit, such as /tmp, only the owner of a file may rename or replace it. */
static bool may_be_replaced(const struct stat *folder, const char *path)
{
    struct stat file;
    const uid_t me = geteuid();
    return !(folder->st_mode & S_ISVTX) || me == 0 || folder->st_uid == me || lstat(path, &file) != 0 ||
           file.st_uid == me;
}

static bool check_folder(const struct atomic_file *part, const char *folder, struct error *error)
{
    static const char owned[] = "%s belongs to another user, and in its folder only the owner may replace it";
    struct stat status;
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return error_refuse(error, "%s: there is no such folder", part->given);
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        return error_refuse(error, "%s: its folder may not be written: %s", part->given, strerror(errno));
    if (!may_be_replaced(&status, part->name))
        return error_refuse(error, owned, part->given);
    return may_be_replaced(&status, part->path) || error_refuse(error, owned, part->display_path);
}

bool atomic_file_check(const struct atomic_file *part, struct error *error)
{
    struct stat status;
    if (part->descriptor > 0)
        return true;
    if (part->is_regular) {
        char *folder = regular_file_folder(part->path);
        const bool is_good = folder ? check_folder(part, folder, error)
                                    : error_fail(error, "%s: out of memory for its name", part->given);
        free(folder);
        if (!is_good)
            return false;
        /* The path may have changed since it was parsed, because opening another output, a pipe, waits for the reader of the pipe. */
        if (stat(part->name, &status) == 0 && !S_ISREG(status.st_mode))
            return error_refuse(error,
                                S_ISDIR(status.st_mode) ? "%s is a folder; an output is a file"
                                                        : "%s is no longer a regular file",
                                part->given);
    }
    if (faccessat(AT_FDCWD, part->name, W_OK, AT_EACCESS) != 0 && errno != ENOENT)
        return error_refuse(error, "%s may not be written: %s", part->given, strerror(errno));
    if (!part->is_regular)
        return true;
    const int descriptor = regular_file_open(part->path, part->display_path, error);
    if (descriptor < 0)
        return error->status == ERROR_NONE;
    const bool is_free = regular_file_lock(descriptor, part->display_path, error);
    close(descriptor);
    return is_free;
}

/* NAME.part. */

/* The status of the file whose permissions are copied to a new file: NAME or, if NAME does not exist, the open file
 * `held`. */
static const struct stat *find_model(const struct atomic_file *part, int held, struct stat *status)
{
    return (stat(part->name, status) == 0 && S_ISREG(status->st_mode)) || fstat(held, status) == 0 ? status
                                                                                                   : NULL;
}

/* Lock NAME.part; if it does not exist, create it. If another process creates or removes it at the same time, try
 * again. */
static int lock_part(const struct atomic_file *part, bool *is_new, struct error *error)
{
    enum { MAX_ATTEMPTS = 1000 };
    struct stat status;
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
        int descriptor = regular_file_open(part->path, part->display_path, error);
        *is_new = descriptor < 0;
        if (*is_new && error->status == ERROR_NONE) {
            descriptor = regular_file_create(part->path, find_model(part, -1, &status));
            if (descriptor < 0 && errno != EEXIST)
                error_fail(error, "%s: %s", part->display_path, strerror(errno));
        }
        if (descriptor >= 0) {
            if (regular_file_lock(descriptor, part->display_path, error) &&
                regular_file_is_at(descriptor, part->path))
                return descriptor;
            close(descriptor);
        }
        if (error->status != ERROR_NONE)
            return -1;
    }
    error_fail(error, "%s is repeatedly replaced by other programs", part->display_path);
    return -1;
}

int atomic_file_open(const struct atomic_file *part, struct error *error)
{
    bool is_new = false;
    int descriptor;
    if (part->descriptor > 0)
        return part->descriptor;
    if (!part->is_regular) {
        descriptor = open(part->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        if (descriptor < 0)
            error_fail(error, "%s: %s", part->display_path, strerror(errno));
        return descriptor;
    }
    while ((descriptor = lock_part(part, &is_new, error)) >= 0 && !is_new) {
        const bool is_gone = unlink(part->path) == 0 || error_refuse(error, "%s cannot be replaced: %s",
                                                                     part->display_path, strerror(errno));
        close(descriptor);
        if (!is_gone)
            return -1;
    }
    return descriptor;
}

int atomic_file_lock(const struct atomic_file *part, struct error *error)
{
    bool is_new;
    return lock_part(part, &is_new, error);
}

static bool refuse_sync(const char *display_path, struct error *error)
{
    return error_fail(error, "%s: cannot be synchronised to disk: %s", display_path, strerror(errno));
}

bool atomic_file_sync(const struct atomic_file *part, int descriptor, enum sync_when sync,
                      struct error *error)
{
    return !part->is_regular || sync == SYNC_NONE ||
           (regular_file_sync(descriptor) && regular_file_sync_folder(part->path)) ||
           refuse_sync(part->display_path, error);
}

bool atomic_file_commit(const struct atomic_file *part, int descriptor, enum sync_when sync,
                        struct error *error)
{
    struct stat status;
    if (!part->is_regular)
        return true;
    if (lstat(part->path, &status) == 0 && !regular_file_is_at(descriptor, part->path))
        return error_fail(error, "%s is no longer the file that this run wrote; it is not renamed to %s",
                          part->display_path, part->given);
    if (sync != SYNC_NONE && !regular_file_sync(descriptor))
        return refuse_sync(part->display_path, error);
    if (rename(part->path, part->name) != 0)
        return error_fail(error, "%s: cannot be renamed to %s: %s", part->display_path, part->given,
                          strerror(errno));
    return sync == SYNC_NONE || regular_file_sync_folder(part->name) || refuse_sync(part->given, error);
}

/* NAME.part.new. Only the run that has locked NAME.part writes it, so an old NAME.part.new may be removed.
 * NAME.part.new has its own lock, which the run still holds when it renames this file to NAME.part. */

/* Remove NAME.part if it is empty, because it was only a placeholder. */
static void drop_empty_part(const struct atomic_file *part)
{
    struct stat status;
    if (lstat(part->path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        unlink(part->path);
}

int atomic_file_open_next(const struct atomic_file *part, int held, struct error *error)
{
    struct stat status;
    int descriptor = regular_file_open(part->next, part->display_next, error);
    if (descriptor >= 0) {
        close(descriptor);
        if (unlink(part->next) != 0)
            error_refuse(error, "%s cannot be replaced: %s", part->display_next, strerror(errno));
    }
    if (error->status == ERROR_NONE) {
        descriptor = regular_file_create(part->next, find_model(part, held, &status));
        if (descriptor < 0)
            error_fail(error, "%s: %s", part->display_next, strerror(errno));
        else if (regular_file_lock(descriptor, part->display_next, error))
            return descriptor;
        else
            close(descriptor);
    }
    drop_empty_part(part);
    return -1;
}

bool atomic_file_commit_next(const struct atomic_file *part, int next, enum sync_when sync,
                             struct error *error)
{
    if (sync != SYNC_NONE && !regular_file_sync(next))
        return refuse_sync(part->display_next, error);
    if (rename(part->next, part->path) != 0)
        return error_fail(error, "%s: cannot be renamed to %s: %s", part->display_next, part->display_path,
                          strerror(errno));
    return sync == SYNC_NONE || regular_file_sync_folder(part->path) ||
           refuse_sync(part->display_path, error);
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
