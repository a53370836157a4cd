#include "memory_limit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The address space that this process uses, in bytes; 0 if the system does not report it. */
static double used_bytes(double page)
{
    double pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm && fscanf(statm, "%lf", &pages) != 1)
        pages = 0;
    if (statm)
        fclose(statm);
    return pages * page;
}

/* The address space that a limit of this process leaves; infinity if there is none. */
static double left_bytes(int resource, double used)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? fmax(0, (double)limit.rlim_cur - used)
               : (double)INFINITY;
}

bool memory_limit_check(uint32_t boids, double bytes, struct error *error)
{
    const double page = (double)sysconf(_SC_PAGESIZE), pages = (double)sysconf(_SC_PHYS_PAGES);
    const double used = used_bytes(page);
    const struct {
        double bytes;
        const char *holder;
    } limits[] = {{pages > 0 ? pages * page : (double)INFINITY, "this machine"},
                  {left_bytes(RLIMIT_AS, used), "ulimit -v"},
                  {left_bytes(RLIMIT_DATA, used), "ulimit -d"}};
    const char *name = bytes >= 1e9 ? "GB" : "MB";
    const double unit = bytes >= 1e9 ? 1e9 : 1e6;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (bytes > limits[i].bytes)
            return error_refuse(error,
                                "flock.count is %" PRIu32 "; that takes %.1f %s of memory and %s has %.1f %s",
                                boids, bytes / unit, name, limits[i].holder, limits[i].bytes / unit, name);
    return true;
}
