/* A program may be limited to a set of processors (by taskset or a batch system), or to an amount of CPU time. A
 * container with `--cpus 1.5` sees all processors of its host, but after it has used its quota, it is stopped for
 * the rest of the period. The quota is in a file of its control group or of a parent group:
 *
 *     version 2   /sys/fs/cgroup/GROUP/cpu.max                          "150000 100000", "max 100000"
 *     version 1   /sys/fs/cgroup/cpu/GROUP/cpu.cfs_quota_us, -period_us  "150000", "100000"; "-1"
 *
 * A file that cannot be read sets no limit. In a container, the path of the group may be its path on the host, which does
 * not exist in the container. The mounted tree then starts with the group itself, so the search through the parent folders
 * still finds the limit. */
#define _GNU_SOURCE // CPU_COUNT
#include "cpu_count.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Read one or two numbers at the beginning of a file in a folder. Returns how many were read. */
static int read_numbers(const char *folder, const char *file, double *first, double *second)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "r");
    if (!stream)
        return 0;
    const int count = fscanf(stream, "%lf %lf", first, second);
    fclose(stream);
    return count > 0 ? count : 0;
}

/* The number of processors that the files of one group grant. */
static double granted_by(const char *group)
{
    double quota, period, rest;
    const bool has_quota = read_numbers(group, "cpu.max", &quota, &period) == 2 ||
                           (read_numbers(group, "cpu.cfs_quota_us", &quota, &rest) > 0 &&
                            read_numbers(group, "cpu.cfs_period_us", &period, &rest) > 0);
    return has_quota && quota > 0 && period > 0 ? quota / period : (double)INFINITY;
}

/* The number that a group and all groups above it grant. A line of the membership file is "4:cpu,cpuacct:/a/b" in version 1,
 * with a list of controllers, and "0::/a/b" in version 2. */
static double granted_by_line(char *line, const char *root)
{
    char folder[PATH_MAX], list[PATH_MAX + 2];
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    double granted = (double)INFINITY;
    if (!group)
        return granted;
    *controllers++ = *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    snprintf(list, sizeof list, ",%s,", controllers);
    if (*controllers != '\0' && !strstr(list, ",cpu,"))
        return granted;
    const int length =
        snprintf(folder, sizeof folder, "%s%s%s", root, *controllers != '\0' ? "/cpu" : "", group);
    if (length >= (int)sizeof folder)
        return granted;
    const char *top = folder + length - strlen(group);
    for (char *end = folder + length; end && end >= top; end = strrchr(folder, '/')) {
        *end = '\0';
        granted = fmin(granted, granted_by(folder));
    }
    return granted;
}

/* One and a half processors count as two. */
int cpu_count_granted(const char *membership, const char *root)
{
    char line[PATH_MAX];
    double granted = (double)INFINITY;
    FILE *file = fopen(membership, "r");
    while (file && fgets(line, sizeof line, file))
        granted = fmin(granted, granted_by_line(line, root));
    if (file)
        fclose(file);
    return granted < INT_MAX ? (int)ceil(granted) : INT_MAX;
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
