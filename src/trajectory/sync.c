/* Some file systems know no such thing, of a folder above all; what they do is as safe as it gets. */
#include "sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sync_file(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/* A folder that may be written and not be read cannot be opened for this; one that is gone names nothing. */
static bool sync_opened(const char *folder)
{
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == EACCES || errno == ENOENT;
    const bool is_good = sync_file(descriptor);
    const int reason = errno;
    close(descriptor);
    errno = reason;
    return is_good;
}

bool sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    const bool is_good = folder && sync_opened(folder);
    free(folder);
    return is_good;
}
