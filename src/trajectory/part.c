/* Paths on their way to becoming files. */
#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(const char *a, size_t length, const char *b)
{
    char *whole = malloc(length + strlen(b) + 1);
    if (whole) {
        memcpy(whole, a, length);
        memcpy(whole + length, b, strlen(b) + 1);
    }
    return whole;
}

/* A link to a file that is not there yet: where it points, seen from the folder it is in. */
static char *follow_dangling_link(const char *path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return strdup(path);
    target[length] = '\0';
    const char *slash = strrchr(path, '/');
    if (target[0] == '/' || !slash)
        return strdup(target);
    return join(path, (size_t)(slash - path) + 1, target);
}

/* The true path of a file that is not there: its folder's, and its name. One whose folder is missing too is left as it
 * is written. */
static char *find_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *written = slash ? join(path, (size_t)(slash - path) + 1, "") : strdup("./");
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
    char *target = follow_dangling_link(path);
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

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool refuse_folder(const char *given, struct fault *fault)
{
    return fault_refuse(fault, "%s: there is no such folder", given);
}

bool part_choose(struct part *part, const char *given, struct fault *fault)
{
    *part = (struct part){.given = given, .is_regular = !is_stream(given)};
    const size_t length = strlen(given);
    if (length == 0 || given[length - 1] == '/')
        return fault_refuse(fault, "\"%s\" names no file to write", given);
    if (is_folder(given))
        return fault_refuse(fault, "%s is a folder; an output is a file", given);
    part->name = part->is_regular ? follow_links(given) : strdup(given);
    if (!part->name && errno == ENOTDIR)
        return refuse_folder(given, fault);
    if (!part->name)
        return fault_fail(fault, "%s: %s", given, strerror(errno));
    part->path = join(part->name, strlen(part->name), part->is_regular ? ".part" : "");
    return part->path || fault_fail(fault, "%s: there is no memory for its name", given);
}

static bool has_folder(const struct part *part)
{
    const char *slash = strrchr(part->path, '/');
    if (!slash)
        return true;
    char *folder = join(part->path, (size_t)(slash - part->path) + 1, "");
    const bool is_there = folder && is_folder(folder);
    free(folder);
    return is_there;
}

static bool refuse_live(const struct part *part, struct fault *fault)
{
    return fault_refuse(fault, "%s.part is being written by another run", part->given);
}

static bool is_locked(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool part_check(const struct part *part, struct fault *fault)
{
    if (!part->is_regular)
        return true;
    if (!has_folder(part))
        return refuse_folder(part->given, fault);
    const int descriptor = open(part->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return true;
    const bool is_live = is_locked(descriptor);
    close(descriptor);
    return !is_live || refuse_live(part, fault);
}

/* The file keeps the permissions of the one it is to replace. */
static void take_permissions(int descriptor, const char *name)
{
    struct stat status;
    if (stat(name, &status) == 0 && S_ISREG(status.st_mode))
        (void)!fchmod(descriptor, status.st_mode & 07777);
}

int part_open(const struct part *part, struct fault *fault)
{
    const int flags = part->is_regular ? O_RDWR | O_CREAT | O_CLOEXEC : O_WRONLY | O_CLOEXEC;
    const int descriptor = open(part->path, flags, 0666);
    if (descriptor < 0) {
        fault_fail(fault, "%s: %s", part->given, strerror(errno));
        return -1;
    }
    if (!part->is_regular)
        return descriptor;
    if (is_locked(descriptor)) {
        refuse_live(part, fault);
        close(descriptor);
        return -1;
    }
    take_permissions(descriptor, part->name);
    return descriptor;
}

bool part_rename(const struct part *part, struct fault *fault)
{
    if (!part->is_regular || rename(part->path, part->name) == 0)
        return true;
    return fault_fail(fault, "%s.part: it cannot be renamed to %s: %s", part->given, part->given,
                      strerror(errno));
}

int part_open_next(const struct part *part, int lock, char **path, struct fault *fault)
{
    struct stat status;
    *path = join(part->path, strlen(part->path), ".new");
    const int descriptor = *path ? open(*path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (descriptor >= 0 && !is_locked(descriptor) && fstat(lock, &status) == 0 &&
        fchmod(descriptor, status.st_mode & 07777) == 0)
        return descriptor;
    fault_fail(fault, "%s.part.new: %s", part->given, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

bool part_take_next(const struct part *part, const char *next, struct fault *fault)
{
    return rename(next, part->path) == 0 ||
           fault_fail(fault, "%s.part.new: it cannot be renamed to %s.part: %s", part->given, part->given,
                      strerror(errno));
}

void part_drop_next(const struct part *part, const char *next)
{
    struct stat status;
    if (next)
        unlink(next);
    if (stat(part->path, &status) == 0 && status.st_size == 0)
        unlink(part->path);
}

void part_free(struct part *part)
{
    free(part->name);
    free(part->path);
    part->name = part->path = NULL;
}
