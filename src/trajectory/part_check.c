/* What would stop a run at its end is found before its first step: renaming needs a folder that may be written, and what
 * its owner has protected from writing is not to be replaced either, though the system would let it be.
 */
#include "part.h"
#include "plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool may_be(int access, const char *path)
{
    return faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0;
}

static char *name_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
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
    char *folder = name_folder(part->path);
    const bool is_good = folder ? check_folder(part, folder, fault)
                                : fault_fail(fault, "%s: there is no memory for its name", part->given);
    free(folder);
    return is_good && check_kind(part, fault) && check_target(part, fault) && check_part(part, fault);
}
