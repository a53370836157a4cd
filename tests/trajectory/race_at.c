/* A preloaded library that runs a command between two calls of a program, so that a race between two runs happens each time:
 *
 *     RACE_CALL=flock RACE_COMMAND='...'   the command runs once, before the first call of flock, rename or open
 *     RACE_PATH=a.csv                      count only calls of open with a path that ends in a.csv
 *     OPEN_LOG=file                        write each path that is opened for writing to this file, one per line
 *     CLOSE_FAILS=.part                    closing a file with a path that ends in .part fails with ENOSPC, but closes it
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path);
    return length >= strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

/* Not by system(), which ignores SIGINT while the command runs. */
static void run(const char *command)
{
    char *words[] = {"sh", "-c", (char *)command, NULL};
    pid_t child;
    unsetenv("LD_PRELOAD");
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0)
        waitpid(child, NULL, 0);
}

static void widen(const char *call)
{
    static int is_done;
    const char *wanted = getenv("RACE_CALL");
    if (is_done || !wanted || strcmp(wanted, call) != 0)
        return;
    is_done = 1;
    run(getenv("RACE_COMMAND"));
}

static void note_opening(const char *path, int flags)
{
    static int is_noting;
    const char *end = getenv("RACE_PATH");
    const char *log = getenv("OPEN_LOG");
    if (is_noting)
        return;
    is_noting = 1;
    if (end && ends_in(path, end))
        widen("open");
    FILE *file = log && (flags & O_ACCMODE) != O_RDONLY && !ends_in(path, log) ? fopen(log, "a") : NULL;
    if (file) {
        fprintf(file, "%s\n", path);
        fclose(file);
    }
    is_noting = 0;
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* With _FORTIFY_SOURCE, open() without a mode has another name. */
#define OPEN(name)                                \
    int name(const char *path, int flags, ...)    \
    {                                             \
        REAL(int, #name, const char *, int, ...); \
        va_list rest;                             \
        va_start(rest, flags);                    \
        const mode_t mode = va_arg(rest, mode_t); \
        va_end(rest);                             \
        note_opening(path, flags);                \
        return real(path, flags, mode);           \
    }
#define OPEN_2(name)                         \
    int name(const char *path, int flags)    \
    {                                        \
        REAL(int, #name, const char *, int); \
        note_opening(path, flags);           \
        return real(path, flags);            \
    }
OPEN(open)
OPEN(open64)
OPEN_2(__open_2)
OPEN_2(__open64_2)

int flock(int file, int operation)
{
    REAL(int, "flock", int, int);
    widen("flock");
    return real(file, operation);
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    widen("rename");
    return real(from, to);
}

int close(int file)
{
    REAL(int, "close", int);
    const char *end = getenv("CLOSE_FAILS");
    char link[64];
    char path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = end ? readlink(link, path, sizeof path - 1) : -1;
    path[length < 0 ? 0 : length] = '\0';
    const int result = real(file);
    if (!end || !ends_in(path, end))
        return result;
    errno = ENOSPC;
    return -1;
}
