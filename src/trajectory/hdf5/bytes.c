/* The system may take a part at a time. */
#include "bytes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool hdf5_bytes_write(int descriptor, uint64_t address, size_t size, const void *bytes)
{
    const char *from = bytes;
    while (size > 0) {
        const ssize_t n = pwrite(descriptor, from, size, (off_t)address);
        if (n < 0 && errno != EINTR)
            return false;
        const size_t done = n < 0 ? 0 : (size_t)n;
        from += done;
        address += done;
        size -= done;
    }
    return true;
}

bool hdf5_bytes_read(int descriptor, uint64_t address, size_t size, void *bytes)
{
    char *to = bytes;
    while (size > 0) {
        const ssize_t n = pread(descriptor, to, size, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0) {
            memset(to, 0, size);
            return true;
        }
        to += n;
        address += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}
