/* A state out of a file: which frame, and which format. */
#include "trajectory.h"

#include "hdf5/snapshot.h"
#include "text/formats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The step behind the last @ of PATH@STEP, unless a file has that very name. */
static const char *find_step(const char *path)
{
    const char *at = strrchr(path, '@');
    if (!at || at[1] == '\0' || strspn(at + 1, "0123456789") != strlen(at + 1) || access(path, F_OK) == 0)
        return NULL;
    return at + 1;
}

/* A path without its @STEP. */
static void find_file(const char *path, char *file, size_t size)
{
    const char *step = find_step(path);
    const int length = step ? (int)(step - path - 1) : (int)strlen(path);
    snprintf(file, size, "%.*s", length, path);
}

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool parse_step(const char *text, struct rows_wish *wish, struct fault *fault)
{
    errno = 0;
    wish->is_any = false;
    wish->step = strtoull(text, NULL, 10);
    return errno == 0 || fault_refuse(fault, "%s: step %s is beyond what a file can hold", wish->name, text);
}

bool snapshot_read(struct snapshot *snapshot, const char *path, struct fault *fault)
{
    char file[4096];
    *snapshot = (struct snapshot){0};
    if (strlen(path) >= sizeof file)
        return fault_refuse(fault, "the path of the initial state is longer than %zu bytes", sizeof file - 1);
    find_file(path, file, sizeof file);
    struct rows_wish wish = {.path = file,
                             .name = is_standard_input(file) ? "standard input" : file,
                             .is_any = true};
    const char *step = find_step(path);
    return (is_standard_input(file) || trajectory_check_input(file, "an initial state", fault)) &&
           (!step || parse_step(step, &wish, fault)) && 
           rows_read(snapshot, trajectory_format_of_input(file) == TRAJECTORY_HDF5 ? hdf5_snapshot_rows : csv_read,
                     &wish, fault);
}
