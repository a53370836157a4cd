/* Loaded before the C library, this fails the read that FAIL_AT counts to, once, as a bad sector would. Without FAIL_AT
 * it says at the end, in the file FAIL_COUNT, how many reads there were. Only pread() counts: HDF5 is read by it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long count;

static bool is_bad(void)
{
    const char *at = getenv("FAIL_AT");
    errno = EIO;
    return ++count == (at ? atol(at) : 0);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}

ssize_t pread(int file, void *bytes, size_t size, off_t place)
{
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    return is_bad() ? -1 : real(file, bytes, size, place);
}

ssize_t pread64(int file, void *bytes, size_t size, off_t place)
{
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
    return is_bad() ? -1 : real(file, bytes, size, place);
}
