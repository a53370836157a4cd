/* A preloaded library that kills the program at write number KILL_AT, so that a test can stop a run at each of its writes.
 * Without KILL_AT, the program writes their number to the file KILL_COUNT at exit.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long count;

static void tick(void)
{
    const char *at = getenv("KILL_AT");
    if (++count == (at ? atol(at) : 0))
        kill(getpid(), SIGKILL);
}

__attribute__((destructor)) static void write_count(void)
{
    const char *path = getenv("KILL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}

#define REAL(type, name, ...)                                \
    static type (*real)(__VA_ARGS__);                        \
    if (!real)                                               \
        real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name); \
    tick()

ssize_t pwrite(int file, const void *bytes, size_t size, off_t place)
{
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return real(file, bytes, size, place);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t place)
{
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
    return real(file, bytes, size, place);
}

int ftruncate(int file, off_t size)
{
    REAL(int, "ftruncate", int, off_t);
    return real(file, size);
}

int ftruncate64(int file, off_t size)
{
    REAL(int, "ftruncate64", int, off_t);
    return real(file, size);
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    return real(from, to);
}
