/* A preloaded library whose calls fail as they do on a bad sector, without memory or on a network file system:
 *
 *     FAIL=pread:7,close:1   the seventh pread and the first close fail; calls of each function are counted separately. Possible:
 *                            malloc (with calloc and realloc), aligned_alloc, open, read, pread, write, pwrite, fsync,
 *                            rename, ftruncate, close
 *     FAIL_PLACES=file       at exit, write to this file one line for each call of the functions in FAIL: the number of the calling
 *                            place in the program
 *     FAIL_INTERRUPTED=1     they fail with EINTR, as if a signal had interrupted them
 *     FAIL_AWAY=1            count only calls of threads other than the first
 *
 * Compiled with -DNO_MALLOC, it does not replace malloc: a sanitizer has its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { MAX_FAILURES = 8, MAX_CALLS = 1 << 20, PLACE_FRAMES = 6 };

/* The call that fails, and the number of calls so far. */
static struct {
    const char *call;
    size_t length;
    long at, count;
} failures[MAX_FAILURES];
static int failure_count;
static bool is_noting, is_away_only;
static bool is_over = true; /* calls do not count before main(), at exit, or while a place is recorded */
static uint64_t places[MAX_CALLS];

__attribute__((constructor)) static void begin(void)
{
    for (const char *item = getenv("FAIL"); item && failure_count < MAX_FAILURES;) {
        const char *colon = strchr(item, ':');
        failures[failure_count].call = item;
        failures[failure_count].length = colon ? (size_t)(colon - item) : strlen(item);
        failures[failure_count++].at = colon ? atol(colon + 1) : 0;
        item = strchr(item, ',');
        item += item ? 1 : 0;
    }
    is_noting = getenv("FAIL_PLACES") != NULL;
    is_away_only = getenv("FAIL_AWAY") != NULL;
    is_over = false;
}

/* The innermost callers, as offsets in their files, which are the same in each run. */
static uint64_t place(void)
{
    void *frames[PLACE_FRAMES];
    uint64_t hash = 0;
    is_over = true;
    for (int k = backtrace(frames, PLACE_FRAMES) - 1; k > 0; k--) {
        Dl_info file = {0};
        dladdr(frames[k], &file);
        hash = (hash ^ ((uintptr_t)frames[k] - (uintptr_t)file.dli_fbase)) * 0x9e3779b97f4a7c15;
    }
    is_over = false;
    return hash;
}

/* True if this call fails. Thread-safe. */
static bool is_bad(const char *call, int error)
{
    bool is_one = false;
    if (is_over || (is_away_only && gettid() == getpid()))
        return false;
    for (int i = 0; i < failure_count; i++) {
        if (strlen(call) != failures[i].length || strncmp(call, failures[i].call, failures[i].length) != 0)
            continue;
        const long number = __atomic_add_fetch(&failures[i].count, 1, __ATOMIC_RELAXED);
        if (is_noting && number <= MAX_CALLS)
            places[number - 1] = place();
        is_one |= number == failures[i].at;
    }
    errno = is_one ? (getenv("FAIL_INTERRUPTED") ? EINTR : error) : errno;
    return is_one;
}

__attribute__((destructor)) static void write_places(void)
{
    is_over = true;
    FILE *file = is_noting ? fopen(getenv("FAIL_PLACES"), "w") : NULL;
    if (!file)
        return;
    for (long k = 0; k < failures[0].count && k < MAX_CALLS; k++)
        fprintf(file, "%" PRIx64 "\n", places[k]);
    fclose(file);
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#if !defined NO_MALLOC
/* Called by the names that the C library has for them: dlsym() would allocate memory. */
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

/* With _FORTIFY_SOURCE, open() without a mode has another name. */
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
    /* Error messages must be printed. */
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

/* The descriptor is closed nevertheless, as Linux does. */
int close(int file)
{
    REAL(int, "close", int);
    const bool is_failed = is_bad("close", EIO);
    const int result = real(file);
    errno = is_failed ? EIO : errno;
    return is_failed ? -1 : result;
}
