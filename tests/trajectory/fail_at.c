/* Loaded before the C library, this fails one call of a program, once, as a bad sector, a full memory or a network's disk would:
 *
 *     FAIL_CALL=pread     which: malloc (calloc and realloc, too), aligned_alloc, open, read, pread, write, pwrite, fsync, rename,
 *                         ftruncate, close; pread where it is not given, for HDF5 is read by it
 *     FAIL_AT=7           the call that it counts to
 *     FAIL_COUNT=file     at the end, into this file, how many there were
 *
 * Compiled with -DNO_MALLOC it leaves memory alone: a sanitizer has a malloc of its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long count;
static bool is_over; /* what is done here at the end does not count */

/* Whether this call is the one. Several threads may ask at once. */
static bool is_bad(const char *call, int error)
{
    const char *wanted = getenv("FAIL_CALL");
    const char *at = getenv("FAIL_AT");
    if (is_over || strcmp(wanted ? wanted : "pread", call) != 0 ||
        __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != (at ? atol(at) : 0))
        return false;
    errno = error;
    return true;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    is_over = true;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#if !defined NO_MALLOC
/* Their real ones are asked for by name: to look for them takes memory. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return is_bad("malloc", ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t many, size_t size)
{
    return is_bad("malloc", ENOMEM) ? NULL : __libc_calloc(many, size);
}

void *realloc(void *memory, size_t size)
{
    return is_bad("malloc", ENOMEM) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_bad("aligned_alloc", ENOMEM) ? NULL : __libc_memalign(alignment, size);
}
#endif

/* Under a fortified C library a call without a mode goes by another name. */
#define OPEN(name)                                                 \
    int name(const char *path, int flags, ...)                     \
    {                                                              \
        REAL(int, #name, const char *, int, ...);                  \
        va_list rest;                                              \
        va_start(rest, flags);                                     \
        const mode_t mode = va_arg(rest, mode_t);                  \
        va_end(rest);                                              \
        return is_bad("open", EIO) ? -1 : real(path, flags, mode); \
    }
#define OPEN_2(name)                                         \
    int name(const char *path, int flags)                    \
    {                                                        \
        REAL(int, #name, const char *, int);                 \
        return is_bad("open", EIO) ? -1 : real(path, flags); \
    }
#define FOPEN(name)                                           \
    FILE *name(const char *path, const char *mode)            \
    {                                                         \
        REAL(FILE *, #name, const char *, const char *);      \
        return is_bad("open", EIO) ? NULL : real(path, mode); \
    }
OPEN(open)
OPEN(open64)
OPEN_2(__open_2)
OPEN_2(__open64_2)
FOPEN(fopen)
FOPEN(fopen64)

ssize_t read(int file, void *bytes, size_t size)
{
    REAL(ssize_t, "read", int, void *, size_t);
    return is_bad("read", EIO) ? -1 : real(file, bytes, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    /* What the program says of it is to be heard. */
    return file != STDERR_FILENO && is_bad("write", EIO) ? -1 : real(file, bytes, size);
}

#define PREAD(name)                                                        \
    ssize_t name(int file, void *bytes, size_t size, off_t place)          \
    {                                                                      \
        REAL(ssize_t, #name, int, void *, size_t, off_t);                  \
        return is_bad("pread", EIO) ? -1 : real(file, bytes, size, place); \
    }
#define PWRITE(name)                                                        \
    ssize_t name(int file, const void *bytes, size_t size, off_t place)     \
    {                                                                       \
        REAL(ssize_t, #name, int, const void *, size_t, off_t);             \
        return is_bad("pwrite", EIO) ? -1 : real(file, bytes, size, place); \
    }
#define FTRUNCATE(name)                                          \
    int name(int file, off_t size)                               \
    {                                                            \
        REAL(int, #name, int, off_t);                            \
        return is_bad("ftruncate", EIO) ? -1 : real(file, size); \
    }
PREAD(pread)
PREAD(pread64)
PWRITE(pwrite)
PWRITE(pwrite64)
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

int fsync(int file)
{
    REAL(int, "fsync", int);
    return is_bad("fsync", EIO) ? -1 : real(file);
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    return is_bad("rename", EIO) ? -1 : real(from, to);
}

/* It is closed all the same, as by Linux. */
int close(int file)
{
    REAL(int, "close", int);
    const bool is_failed = is_bad("close", EIO);
    const int result = real(file);
    errno = is_failed ? EIO : errno;
    return is_failed ? -1 : result;
}
