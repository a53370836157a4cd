/* This file has four parts: regular files, the paths of an output, the check that it can be written, and NAME.part. */
#define _GNU_SOURCE // sync_file_range
#include "atomic_file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Regular files. */

/* Find the inherited descriptor of a file, such as standard output, if the program may write to it; 0 if there is none. The program opens
 * all its own files with O_CLOEXEC. Any number of outputs may be written to a device such as /dev/null, so devices other than terminals
 * are ignored. */
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

/* Open an existing regular file for reading and writing. -1 without an error: nothing is at the path. */
static int regular_file_open(const char *path, const char *display_path, struct error *error)
{
    static const char remedy[] = "remove it, or give the output another name";
    struct stat status;
    const int descriptor = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        return descriptor;
    if (descriptor < 0 && errno != ENOENT)
        error_refuse(error, "%s may not be written: %s; %s", display_path, strerror(errno), remedy);
    if (descriptor >= 0) {
        error_refuse(error, "%s is not a regular file; %s", display_path, remedy);
        close(descriptor);
    }
    return -1;
}

/* Create an empty file with the permissions of `model` (NULL: the usual ones). -1 with errno: it failed, or the path exists. */
static int regular_file_create(const char *path, const struct stat *model)
{
    const mode_t mode = model ? model->st_mode & 0777 : 0666;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    /* A file system without permissions may fail to set them, so errors are ignored. */
    if (descriptor >= 0 && model)
        (void)!fchmod(descriptor, mode);
    return descriptor;
}

static bool refuse_busy(const char *display_path, struct error *error)
{
    return error_refuse(error, "%s is being written by another run", display_path);
}

/* Take the advisory lock that a run holds while it writes a file. */
static bool regular_file_lock(int descriptor, const char *display_path, struct error *error)
{
    /* If the file system does not support locks, the file stays unlocked. */
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK ||
           refuse_busy(display_path, error);
}

bool regular_file_is_at(int descriptor, const char *path)
{
    struct stat opened, there;
    return stat(path, &there) == 0 && fstat(descriptor, &opened) == 0 && opened.st_dev == there.st_dev &&
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

void regular_file_wrote(int descriptor, uint64_t end, size_t size)
{
#ifdef SYNC_FILE_RANGE_WRITE
    if ((end - size) >> 24 != end >> 24)
        sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)end, (void)size;
#endif
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

/* The real path of a file; if it does not exist, the real path of its folder followed by its name. If the folder does not
 * exist either, it is the path as the user wrote it. */
static char *find_real_path(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole || errno != ENOENT)
        return whole;
    char *folder = regular_file_folder(path), *real = folder ? realpath(folder, NULL) : NULL;
    if (folder && (real || errno != ENOMEM))
        whole = real ? join(real, "/", text_after(path, '/')) : strdup(path);
    free(real);
    free(folder);
    return whole;
}

bool atomic_file_resolve(struct atomic_file *part, const char *given, struct error *error)
{
    struct stat status;
    const bool is_standard_output = text_is_same(given, "-"), is_there = stat(given, &status) == 0;
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
    if (!is_there && lstat(given, &status) == 0 && S_ISLNK(status.st_mode))
        return error_refuse(error, "%s is a symbolic link to a file that does not exist", given);
    part->name = is_regular ? find_real_path(given) : strdup(is_standard_output ? "/dev/stdout" : given);
    if (!part->name && errno == ENOTDIR)
        return error_refuse(error, "%s: there is no such folder", given);
    if (!part->name)
        return error_set(error, errno == ENOMEM ? ERROR_FAILED : ERROR_REFUSED, "%s: %s", given,
                         strerror(errno));
    const char *ending = is_regular ? ".part" : "";
    const char *display_name = is_standard_output ? "standard output" : given;
    part->path = join(part->name, ending, "");
    part->display_path = join(display_name, ending, "");
    part->next = join(part->name, ending, ".new");
    return (part->path && part->display_path && part->next) ||
           error_fail(error, "%s: out of memory for its name", given);
}

/* Checks whether an output can be written, so that a run does not fail at its end for a reason that could be found
 * before its first step. The rename needs write permission for the folder. A write-protected file is not replaced,
 * although the system would allow it. */

static bool check_folder(const struct atomic_file *part, struct error *error)
{
    struct stat status;
    char *folder = regular_file_folder(part->path);
    const bool is_good =
        !folder ? error_fail(error, "%s: out of memory for its name", part->given)
        : stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)
            ? error_refuse(error, "%s: there is no such folder", part->given)
            : faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ||
                  error_refuse(error, "%s: its folder may not be written: %s", part->given, strerror(errno));
    free(folder);
    return is_good;
}

bool atomic_file_check(const struct atomic_file *part, struct error *error)
{
    if (part->descriptor > 0)
        return true;
    if (part->is_regular && !check_folder(part, error))
        return false;
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

/* Lock NAME.part; if it does not exist, create it. A lock belongs to the open file. If another run has replaced this file
 * before it was locked, the path leads to the file of that run. */
static int lock_part(const struct atomic_file *part, bool *is_new, struct error *error)
{
    struct stat status;
    int descriptor = regular_file_open(part->path, part->display_path, error);
    *is_new = descriptor < 0;
    if (*is_new && error->status == ERROR_NONE) {
        descriptor = regular_file_create(part->path, stat(part->name, &status) == 0 ? &status : NULL);
        /* Another run has just created it, unless it is a link to a file that does not exist. */
        if (descriptor < 0 && errno == EEXIST &&
            !(lstat(part->path, &status) == 0 && S_ISLNK(status.st_mode)))
            refuse_busy(part->display_path, error);
        else if (descriptor < 0)
            error_fail(error, "%s: %s", part->display_path, strerror(errno));
    }
    if (descriptor < 0 ||
        (regular_file_lock(descriptor, part->display_path, error) &&
         (regular_file_is_at(descriptor, part->path) || refuse_busy(part->display_path, error))))
        return descriptor;
    close(descriptor);
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
    descriptor = lock_part(part, &is_new, error);
    if (descriptor < 0 || is_new)
        return descriptor;
    const bool is_gone = unlink(part->path) == 0 || error_refuse(error, "%s cannot be replaced: %s",
                                                                 part->display_path, strerror(errno));
    close(descriptor);
    return is_gone ? lock_part(part, &is_new, error) : -1;
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

bool atomic_file_sync(const struct atomic_file *part, int descriptor, enum config_sync sync,
                      struct error *error)
{
    return !part->is_regular || sync == CONFIG_SYNC_NONE ||
           (regular_file_sync(descriptor) && regular_file_sync_folder(part->path)) ||
           refuse_sync(part->display_path, error);
}

bool atomic_file_commit(const struct atomic_file *part, int descriptor, enum config_sync sync,
                        struct error *error)
{
    if (!part->is_regular)
        return true;
    if (sync != CONFIG_SYNC_NONE && !regular_file_sync(descriptor))
        return refuse_sync(part->display_path, error);
    if (rename(part->path, part->name) != 0)
        return error_fail(error, "%s: cannot be renamed to %s: %s", part->display_path, part->given,
                          strerror(errno));
    return sync == CONFIG_SYNC_NONE || regular_file_sync_folder(part->name) ||
           refuse_sync(part->given, error);
}

void atomic_file_free(struct atomic_file *part)
{
    free(part->name);
    free(part->path);
    free(part->next);
    free(part->display_path);
    *part = (struct atomic_file){0};
}
