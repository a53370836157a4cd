/* A program may be limited to a set of processors (by taskset or a batch system), or to an amount of CPU time. A
 * container with `--cpus 1.5` sees all processors of its host, but after it has used its quota, it is stopped for
 * the rest of the period. The quota is in the file /sys/fs/cgroup/GROUP/cpu.max of its control group (version 2) or of
 * a parent group: "150000 100000", or "max 100000".
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

/* The number of processors that the file of one group grants. */
static double granted_by(const char *group)
{
    char path[PATH_MAX + 16];
    double quota, period;
    snprintf(path, sizeof path, "%s/cpu.max", group);
    FILE *file = fopen(path, "r");
    const bool has_quota = file && fscanf(file, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0;
    if (file)
        fclose(file);
    return has_quota ? quota / period : (double)INFINITY;
}

/* The number of processors that a group and all groups above it grant. The line of the group in the membership file is "0::/a/b". */
static double granted_by_line(char *line, const char *root)
{
    char folder[PATH_MAX];
    double granted = (double)INFINITY;
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "0::", 3) != 0)
        return granted;
    const int length = snprintf(folder, sizeof folder, "%s%s", root, line + 3);
    if (length >= (int)sizeof folder)
        return granted;
    const char *top = folder + strlen(root);
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
