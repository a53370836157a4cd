#include "memory_limit.h"

#include <inttypes.h>
#include <unistd.h>

/* The system may grant memory that it does not have, and ends the process when this memory is used. Limits of the process (ulimit)
 * need no check: beyond them, an allocation fails. */
bool memory_limit_check(uint32_t boids, double bytes, struct error *error)
{
    const double pages = (double)sysconf(_SC_PHYS_PAGES), machine = pages * (double)sysconf(_SC_PAGESIZE);
    const char *name = bytes >= 1e9 ? "GB" : "MB";
    const double unit = bytes >= 1e9 ? 1e9 : 1e6;
    return machine <= 0 || bytes <= machine ||
           error_refuse(
               error, "flock.count is %" PRIu32 "; that takes %.1f %s of memory and this machine has %.1f %s",
               boids, bytes / unit, name, machine / unit, name);
}
