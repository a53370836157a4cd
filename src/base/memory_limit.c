#include "memory_limit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static void lower(struct memory_limit *limit, double bytes, const char *holder)
{
    if (bytes < limit->bytes)
        *limit = (struct memory_limit){bytes, holder};
}

struct memory_limit memory_limit(void)
{
    static const struct {
        int resource;
        const char *holder;
    } limits[] = {{RLIMIT_AS, "ulimit -v"}, {RLIMIT_DATA, "ulimit -d"}};
    const double page = (double)sysconf(_SC_PAGESIZE), there = (double)sysconf(_SC_PHYS_PAGES) * page;
    double pages = 0;
    struct memory_limit limit = {(double)INFINITY, ""};
    struct rlimit own;
    /* The first number of this file is the address space in use. */
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm) {
        if (fscanf(statm, "%lf", &pages) != 1)
            pages = 0;
        fclose(statm);
    }
    if (there > 0)
        lower(&limit, there, "this machine");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (getrlimit(limits[i].resource, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
            lower(&limit, fmax(0, (double)own.rlim_cur - pages * page), limits[i].holder);
    return limit;
}

bool memory_limit_check(uint32_t boids, double bytes, struct error *error)
{
    const struct memory_limit limit = memory_limit();
    const bool is_large = bytes >= 1e9;
    const double unit = is_large ? 1e9 : 1e6;
    return bytes <= limit.bytes ||
           error_refuse(error, "flock.count is %" PRIu32 "; that takes %.1f %s of memory and %s has %.1f %s",
                        boids, bytes / unit, is_large ? "GB" : "MB", limit.holder, limit.bytes / unit,
                        is_large ? "GB" : "MB");
}
