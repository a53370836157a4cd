#include "memory_limit.h"

#include "base/text.h"

#include <inttypes.h>
#include <unistd.h>

/* The system may grant memory that it does not have, and ends the process when this memory is used. Limits of the process (ulimit)
 * need no check: beyond them, an allocation fails. */
bool memory_limit_check(uint32_t boids, double bytes, struct error *error)
{
    const double pages = (double)sysconf(_SC_PHYS_PAGES), machine = pages * (double)sysconf(_SC_PAGESIZE);
    char wanted[CONFIG_TEXT_BYTES_SIZE], there[CONFIG_TEXT_BYTES_SIZE];
    return machine <= 0 || bytes <= machine ||
           error_refuse(error, "flock.count is %" PRIu32 "; that takes %s of memory and this machine has %s",
                        boids, text_bytes(bytes, wanted), text_bytes(machine, there));
}
