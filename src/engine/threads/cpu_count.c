/* A program may be limited to a set of processors (by taskset or a batch system), or to an amount of CPU time. A
 * container with `--cpus 1.5` sees all processors of its host, but after it has used its quota, it is stopped for
 * the rest of the period. The quota is in a file of its control group or of a parent group:
 *
 *     version 2   /sys/fs/cgroup/GROUP/cpu.max                          "150000 100000", "max 100000"
 *     version 1   /sys/fs/cgroup/cpu/GROUP/cpu.cfs_quota_us, -period_us  "150000", "100000"; "-1"
 *
 * A file that cannot be read sets no limit. */
#define _GNU_SOURCE // CPU_COUNT
#include "cpu_count.h"

#include "base/control_group.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

static double granted_by(const char *group)
{
    double quota, period, rest;
    const bool has_quota = control_group_read(group, "cpu.max", &quota, &period) == 2 ||
                           (control_group_read(group, "cpu.cfs_quota_us", &quota, &rest) > 0 &&
                            control_group_read(group, "cpu.cfs_period_us", &period, &rest) > 0);
    return has_quota && quota > 0 && period > 0 ? quota / period : (double)INFINITY;
}

/* One and a half processors count as two. */
int cpu_count_granted(const char *membership, const char *root)
{
    const double granted = ceil(control_group_limit(membership, root, "cpu", granted_by));
    return granted < INT_MAX ? (int)granted : INT_MAX;
}

static int allowed(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < INT_MAX ? (int)online : 1;
}

int cpu_count(void)
{
    const int processors = allowed(), granted = cpu_count_granted("/proc/self/cgroup", "/sys/fs/cgroup");
    return processors < granted ? processors : granted;
}
