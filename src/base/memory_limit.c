/* A control group is a folder. The limits of the group and of all groups above it apply. In a container, the path of
 * the group may be its path on the host, which does not exist in the container. The mounted tree then starts with
 * the group itself, so the search through the parent folders still finds the limit. */
#include "memory_limit.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number in a file; `otherwise` if the file contains a word such as "max" or does not exist. */
static double number_in_file(const char *path, double otherwise)
{
    double number;
    FILE *file = fopen(path, "r");
    if (!file)
        return otherwise;
    if (fscanf(file, "%lf", &number) != 1)
        number = otherwise;
    fclose(file);
    return number;
}

/* The lowest limit of a group and all groups above it. */
static double min_upwards(const char *top, const char *group, const char *name)
{
    char folder[PATH_MAX], path[PATH_MAX];
    double min = (double)INFINITY;
    const size_t length = strlen(top);
    if (snprintf(folder, sizeof folder, "%s%s", top, group) >= (int)sizeof folder)
        return min;
    for (char *end = folder + strlen(folder); end && end >= folder + length; end = strrchr(folder, '/')) {
        *end = '\0';
        if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
            min = fmin(min, number_in_file(path, (double)INFINITY));
    }
    return min;
}

/* The limit for a line of the membership file. A line is "4:memory:/a/b" for version 1, with a list of controllers,
 * and "0::/a/b" for version 2. */
static double limit_of_line(char *line, const char *mount)
{
    char top[PATH_MAX];
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return (double)INFINITY;
    *controllers++ = *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (*controllers == '\0')
        return min_upwards(mount, group, "memory.max");
    const char *word = strstr(controllers, "memory");
    const bool has_memory =
        word && (word == controllers || word[-1] == ',') && (word[6] == '\0' || word[6] == ',');
    if (!has_memory || snprintf(top, sizeof top, "%s/memory", mount) >= (int)sizeof top)
        return (double)INFINITY;
    return min_upwards(top, group, "memory.limit_in_bytes");
}

double memory_limit_of_cgroups(const char *membership, const char *mount)
{
    char line[PATH_MAX];
    double min = (double)INFINITY;
    FILE *file = fopen(membership, "r");
    if (!file)
        return min;
    while (fgets(line, sizeof line, file))
        min = fmin(min, limit_of_line(line, mount));
    fclose(file);
    return min;
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
    /* The first number of this file is the address space in use, in pages. */
    const double used = number_in_file("/proc/self/statm", 0) * page;
    struct memory_limit limit = {(double)INFINITY, ""};
    struct rlimit own;
    if (there > 0)
        lower(&limit, there, "this machine");
    lower(&limit, memory_limit_of_cgroups("/proc/self/cgroup", "/sys/fs/cgroup"), "its control group");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (getrlimit(limits[i].resource, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
            lower(&limit, fmax(0, (double)own.rlim_cur - used), limits[i].holder);
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
