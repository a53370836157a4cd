/* Reads an initial state: chooses the frame and the format. */
#include "trajectory.h"

#include "hdf5/formats.h"
#include "text/formats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The step after the last @ of PATH@STEP, unless there is a file of that whole name. */
static const char *find_step(const char *path)
{
    const char *at = strrchr(path, '@');
    if (!at || at[1] == '\0' || strspn(at + 1, "0123456789") != strlen(at + 1) || access(path, F_OK) == 0)
        return NULL;
    return at + 1;
}

bool snapshot_read(struct snapshot *snapshot, const char *path, struct fault *fault)
{
    char file[4096];
    const char *step = find_step(path);
    *snapshot = (struct snapshot){0};
    if (strlen(path) >= sizeof file)
        return fault_refuse(fault, "the path of the initial state is longer than %zu bytes", sizeof file - 1);
    snprintf(file, sizeof file, "%.*s", step ? (int)(step - path - 1) : (int)strlen(path), path);
    const bool is_standard_input = strcmp(file, "-") == 0;
    struct frame_request request = {
        .path = file, .name = is_standard_input ? "standard input" : file, .is_any = !step};
    if (!is_standard_input && !trajectory_check_input(file, "an initial state", fault))
        return false;
    if (step) {
        errno = 0;
        request.step = strtoull(step, NULL, 10);
        if (errno != 0)
            return fault_refuse(fault, "%s: step %s is beyond what a file can hold", request.name, step);
    }
    const bool is_hdf5 = trajectory_format_of_input(file) == TRAJECTORY_HDF5;
    return agent_list_read(snapshot, is_hdf5 ? h5_snapshot_rows : csv_read, &request, fault);
}
