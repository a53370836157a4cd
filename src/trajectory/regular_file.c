/* Every check of a path is repeated on the open file: in between another process may have replaced it. */
#include "regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { PERMISSIONS = 0777 };

static const char remedy[] = "remove it, or give the output another name";

static bool check(const struct stat *status, const char *display_path, struct fault *fault)
{
    if (S_ISLNK(status->st_mode))
        return fault_refuse(fault, "%s is a symbolic link; %s", display_path, remedy);
    if (!S_ISREG(status->st_mode))
        return fault_refuse(fault, "%s is no regular file; %s", display_path, remedy);
    return status->st_nlink <= 1 ||
           fault_refuse(fault, "%s is a hard link to a file with other names; %s", display_path, remedy);
}

int regular_file_open(const char *path, const char *display_path, struct fault *fault)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        if (errno != ENOENT)
            fault_refuse(fault, "%s: %s", display_path, strerror(errno));
        return -1;
    }
    /* Opening a device can have effects, so the path is checked before as well. */
    if (!check(&status, display_path, fault))
        return -1;
    const int descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 && errno != ENOENT)
        fault_refuse(fault, "%s may not be written: %s; %s", display_path, strerror(errno), remedy);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &status) == 0 && check(&status, display_path, fault))
        return descriptor;
    fault_fail(fault, "%s: %s", display_path, strerror(errno));
    close(descriptor);
    return -1;
}

int regular_file_create(const char *path, const struct stat *model)
{
    /* It must never have wider permissions than in the end: another process could open it in that moment. */
    const mode_t mode = model ? model->st_mode & PERMISSIONS : 0666;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    /* A file system without permissions need not accept any. */
    if (descriptor >= 0 && model)
        (void)!fchmod(descriptor, mode);
    return descriptor;
}

bool regular_file_lock(int descriptor, const char *display_path, struct fault *fault)
{
    /* On a file system without locks none can be taken. */
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK ||
           fault_refuse(fault, "%s is being written by another run", display_path);
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

/* Some file systems do not support fsync(), above all for folders; what they do has to be enough. */
bool regular_file_sync(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/* A folder without read permission cannot be opened for this; a folder that is gone has no name to keep. */
static bool sync_opened(const char *folder)
{
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == EACCES || errno == ENOENT;
    const bool is_good = regular_file_sync(descriptor);
    const int reason = errno;
    close(descriptor);
    errno = reason;
    return is_good;
}

char *regular_file_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

bool regular_file_sync_folder(const char *path)
{
    char *folder = regular_file_folder(path);
    const bool is_good = folder && sync_opened(folder);
    free(folder);
    return is_good;
}
