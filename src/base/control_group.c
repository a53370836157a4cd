/* A control group is a folder. In a container, the path of the group may be its path on the host, which does not exist
 * in the container. The mounted tree then starts with the group itself, so the search through the parent folders still
 * finds the limit. */
#include "base/control_group.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int control_group_read(const char *folder, const char *file, double *first, double *second)
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

/* The limit for a line of the membership file. A line is "4:memory:/a/b" for version 1, with a list of controllers,
 * and "0::/a/b" for version 2. */
static double limit_of_line(char *line, const char *mount, const char *controller,
                            double (*limit_of)(const char *folder))
{
    char folder[PATH_MAX], list[PATH_MAX + 2], wanted[64];
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    double min = (double)INFINITY;
    if (!group)
        return min;
    *controllers++ = *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    const bool is_version_2 = *controllers == '\0';
    snprintf(list, sizeof list, ",%s,", controllers); /* such as ",cpu,cpuacct," */
    snprintf(wanted, sizeof wanted, ",%s,", controller);
    if (!is_version_2 && !strstr(list, wanted))
        return min;
    const int length = snprintf(folder, sizeof folder, "%s%s%s%s", mount, is_version_2 ? "" : "/",
                                is_version_2 ? "" : controller, group);
    if (length >= (int)sizeof folder)
        return min;
    const char *top = folder + length - strlen(group);
    for (char *end = folder + length; end && end >= top; end = strrchr(folder, '/')) {
        *end = '\0';
        min = fmin(min, limit_of(folder));
    }
    return min;
}

double control_group_limit(const char *membership, const char *mount, const char *controller,
                           double (*limit_of)(const char *folder))
{
    char line[PATH_MAX];
    double min = (double)INFINITY;
    FILE *file = fopen(membership, "r");
    if (!file)
        return min;
    while (fgets(line, sizeof line, file))
        min = fmin(min, limit_of_line(line, mount, controller, limit_of));
    fclose(file);
    return min;
}
