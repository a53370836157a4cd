/* A preloaded library that records the calls by which a program changes files, so that a test can simulate a loss of power at
 * any moment. It writes to the file RECORD a line `call inode offset size` per call, followed by `size` bytes: the data of a
 * write, the new name of a rename, nothing for other calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static FILE *record;

static void note(const char *what, const struct stat *file, off_t offset, size_t size, const void *bytes)
{
    const char *path = getenv("RECORD");
    if (!path || !(S_ISREG(file->st_mode) || S_ISDIR(file->st_mode)))
        return;
    pthread_mutex_lock(&turn);
    if (!record)
        record = fopen(path, "we");
    if (record) {
        fprintf(record, "%s %llu %lld %zu\n", what, (unsigned long long)file->st_ino, (long long)offset,
                size);
        fwrite(bytes, 1, size, record);
    }
    pthread_mutex_unlock(&turn);
}

__attribute__((destructor)) static void end(void)
{
    if (record)
        fclose(record);
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* Records the requested size: no call fails here. */
#define PWRITE(name)                                                    \
    ssize_t name(int file, const void *bytes, size_t size, off_t place) \
    {                                                                   \
        struct stat status;                                             \
        REAL(ssize_t, #name, int, const void *, size_t, off_t);         \
        if (fstat(file, &status) == 0)                                  \
            note("write", &status, place, size, bytes);                 \
        return real(file, bytes, size, place);                          \
    }
#define FTRUNCATE(name)                           \
    int name(int file, off_t size)                \
    {                                             \
        struct stat status;                       \
        REAL(int, #name, int, off_t);             \
        if (fstat(file, &status) == 0)            \
            note("length", &status, size, 0, ""); \
        return real(file, size);                  \
    }
PWRITE(pwrite)
PWRITE(pwrite64)
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

ssize_t write(int file, const void *bytes, size_t size)
{
    struct stat status;
    REAL(ssize_t, "write", int, const void *, size_t);
    const off_t place = lseek(file, 0, SEEK_CUR);
    if (place >= 0 && fstat(file, &status) == 0)
        note("write", &status, place, size, bytes);
    return real(file, bytes, size);
}

int fsync(int file)
{
    struct stat status;
    REAL(int, "fsync", int);
    const int result = real(file);
    if (result == 0 && fstat(file, &status) == 0)
        note(S_ISDIR(status.st_mode) ? "names" : "sync", &status, 0, 0, "");
    return result;
}

int rename(const char *from, const char *to)
{
    struct stat status;
    REAL(int, "rename", const char *, const char *);
    if (stat(from, &status) == 0)
        note("rename", &status, 0, strlen(to), to);
    return real(from, to);
}
