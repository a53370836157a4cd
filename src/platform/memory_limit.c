/* A control group is a folder; its own limit and those of all folders above it apply. In a container the path of the
 * group may be that of the host, which does not exist there. The mounted tree then starts with the group itself, so the
 * search upwards finds its limit all the same. */
#include "memory_limit.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static double less(double a, double b)
{
    return a < b ? a : b;
}

/* Number in a file. Another word ("max"), or no file, means no limit. */
static double read_limit(const char *folder, const char *name)
{
    char path[PATH_MAX];
    double bytes = (double)INFINITY;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = length < (int)sizeof path ? fopen(path, "r") : NULL;
    if (!file)
        return bytes;
    if (fscanf(file, "%lf", &bytes) != 1)
        bytes = (double)INFINITY;
    fclose(file);
    return bytes;
}

static double least_upwards(const char *top, const char *group, const char *name)
{
    char folder[PATH_MAX];
    double least = (double)INFINITY;
    const size_t length = strlen(top);
    if (snprintf(folder, sizeof folder, "%s%s", top, group) >= (int)sizeof folder)
        return least;
    for (char *end = folder + strlen(folder); end && end >= folder + length; end = strrchr(folder, '/')) {
        *end = '\0';
        least = less(least, read_limit(folder, name));
    }
    return least;
}

/* `controllers` is a list with commas. */
static bool has_memory(const char *controllers)
{
    const char *word = strstr(controllers, "memory");
    return word && (word == controllers || word[-1] == ',') && (word[6] == '\0' || word[6] == ',');
}

/* "4:memory:/a/b" of version 1, "0::/a/b" of version 2. */
static double limit_of_line(char *line, const char *mount)
{
    char top[PATH_MAX];
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return (double)INFINITY;
    *controllers++ = *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (*controllers == '\0')
        return least_upwards(mount, group, "memory.max");
    if (!has_memory(controllers) || snprintf(top, sizeof top, "%s/memory", mount) >= (int)sizeof top)
        return (double)INFINITY;
    return least_upwards(top, group, "memory.limit_in_bytes");
}

double memory_limit_of_cgroups(const char *membership, const char *mount)
{
    char line[PATH_MAX];
    double least = (double)INFINITY;
    FILE *file = fopen(membership, "r");
    if (!file)
        return least;
    while (fgets(line, sizeof line, file))
        least = less(least, limit_of_line(line, mount));
    fclose(file);
    return least;
}

/* Bytes of address space in use. */
static double used(void)
{
    double pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lf", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

static void lower(struct memory_limit *limit, double bytes, const char *holder)
{
    if (bytes < limit->bytes)
        *limit = (struct memory_limit){bytes, holder};
}

static void lower_to_ulimit(struct memory_limit *limit, const struct rlimit *own, const char *holder)
{
    if (own->rlim_cur != RLIM_INFINITY)
        lower(limit, fmax(0, (double)own->rlim_cur - used()), holder);
}

struct memory_limit memory_limit(void)
{
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    struct memory_limit limit = {(double)INFINITY, ""};
    struct rlimit own;
    if (there > 0)
        lower(&limit, there, "this machine");
    lower(&limit, memory_limit_of_cgroups("/proc/self/cgroup", "/sys/fs/cgroup"), "its control group");
    if (getrlimit(RLIMIT_AS, &own) == 0)
        lower_to_ulimit(&limit, &own, "ulimit -v");
    if (getrlimit(RLIMIT_DATA, &own) == 0)
        lower_to_ulimit(&limit, &own, "ulimit -d");
    return limit;
}
