/* From what the user wrote to where it is written. */
#include "part.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
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

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
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
    if (length == 0 || given[length - 1] == '/')
        return fault_refuse(fault, "\"%s\" names no file to write", given);
    if (is_folder(given))
        return fault_refuse(fault, "%s is a folder; an output is a file", given);
    part->name = part->is_regular ? follow_links(given) : strdup(given);
    if (!part->name && errno == ENOTDIR)
        return fault_refuse(fault, "%s: there is no such folder", given);
    if (!part->name)
        return fault_refuse(fault, "%s: %s", given, strerror(errno));
    return name_parts(part) || fault_fail(fault, "%s: there is no memory for its name", given);
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
