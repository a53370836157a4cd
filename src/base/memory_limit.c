#include "memory_limit.h"

#include "base/control_group.h"

#include <inttypes.h>
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

static double limit_of_group(const char *folder)
{
    double limit, rest;
    return control_group_read(folder, "memory.max", &limit, &rest) > 0 ||
                   control_group_read(folder, "memory.limit_in_bytes", &limit, &rest) > 0
               ? limit
               : (double)INFINITY;
}

double memory_limit_of_cgroups(const char *membership, const char *mount)
{
    return control_group_limit(membership, mount, "memory", limit_of_group);
}

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
    double pages = 0, rest;
    struct memory_limit limit = {(double)INFINITY, ""};
    struct rlimit own;
    /* The first number of this file is the address space in use. */
    control_group_read("/proc/self", "statm", &pages, &rest);
    if (there > 0)
        lower(&limit, there, "this machine");
    lower(&limit, memory_limit_of_cgroups("/proc/self/cgroup", "/sys/fs/cgroup"), "its control group");
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
