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

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_LINE = 4096 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Round up: one and a half processors count as two. */
static int in_processors(double quota, double period)
{
    if (!(quota > 0 && period > 0) || quota / period >= INT_MAX)
        return INT_MAX;
    const int whole = (int)(quota / period);
    return whole < quota / period ? whole + 1 : whole;
}

/* Read up to two numbers from the beginning of a file. @return how many were read. */
static int read_numbers(const char *folder, const char *name, double *first, double *second)
{
    char path[LONGEST_LINE + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const int count = fscanf(file, "%lf %lf", first, second);
    fclose(file);
    return count;
}

static int granted_by(const char *group)
{
    double quota, period, nothing;
    if (read_numbers(group, "cpu.max", &quota, &period) == 2)
        return in_processors(quota, period);
    if (read_numbers(group, "cpu.cfs_quota_us", &quota, &nothing) == 1 &&
        read_numbers(group, "cpu.cfs_period_us", &period, &nothing) == 1)
        return in_processors(quota, period);
    return INT_MAX;
}

/* The smallest limit of a group and its parents, up to the root. */
static int granted_up_to(const char *root, const char *controller, const char *group)
{
    char path[LONGEST_LINE];
    const int length = snprintf(path, sizeof path, "%s%s%s", root, controller, group);
    if (length < 0 || (size_t)length >= sizeof path)
        return INT_MAX;
    int granted = INT_MAX;
    for (char *end = path + length; end; end = strrchr(path + strlen(root), '/')) {
        *end = '\0';
        granted = smaller(granted, granted_by(path));
    }
    return granted;
}

/* "0::/group" in version 2; "4:cpu,cpuacct:/group" in version 1. */
static int granted_to_line(char *line, const char *root)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return INT_MAX;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    controllers++;
    if (*controllers == '\0')
        return granted_up_to(root, "", group);
    if (strcmp(controllers, "cpu") == 0 || strncmp(controllers, "cpu,", 4) == 0)
        return granted_up_to(root, "/cpu", group);
    return INT_MAX;
}

int cpu_count_granted(const char *membership, const char *root)
{
    FILE *file = fopen(membership, "r");
    if (!file)
        return INT_MAX;
    char line[LONGEST_LINE];
    int granted = INT_MAX;
    while (fgets(line, sizeof line, file))
        granted = smaller(granted, granted_to_line(line, root));
    fclose(file);
    return granted;
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
    return smaller(allowed(), cpu_count_granted("/proc/self/cgroup", "/sys/fs/cgroup"));
}
