/* What an earlier run left in a file: which of NAME.h5.part and NAME.h5 to go on from, what it was asked, and its last
 * frame on the grid. Nothing is touched here.
 */
#include "hdf5_read.h"
#include "hdf5_writer.h"
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char part_ending[] = ".part";

static char *join(const char *name, const char *ending)
{
    const size_t size = strlen(name) + strlen(ending) + 1;
    char *whole = malloc(size);
    if (whole)
        snprintf(whole, size, "%s%s", name, ending);
    return whole;
}

/* Configurations. */

static bool is_ours(hid_t file)
{
    char name[16] = "";
    hid_t creator = H5Oopen(file, "h5md/creator", H5P_DEFAULT);
    hid_t attribute = H5Aopen(creator, "name", H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) < sizeof name)
        H5Aread(attribute, type, name);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Oclose(creator);
    return strcmp(name, "boids") == 0;
}

/* The text of /parameters/config, to be freed; NULL when it is not what boids writes. */
static char *read_config(hid_t file)
{
    char *text = NULL;
    hid_t set = H5Dopen2(file, "parameters/config", H5P_DEFAULT);
    hid_t type = H5Dget_type(set);
    hid_t space = H5Dget_space(set);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Sget_simple_extent_npoints(space) == 1)
        text = calloc(H5Tget_size(type) + 1, 1);
    if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        free(text);
        text = NULL;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return text;
}

static char *take_config(const char *path, const char *name, struct fault *fault)
{
    hid_t file = hdf5_open_to_read(path);
    if (file < 0) {
        fault_refuse(fault, "%s: it cannot be opened as HDF5, which alone carries a configuration", name);
        return NULL;
    }
    char *config = is_ours(file) ? read_config(file) : NULL;
    if (!config)
        fault_refuse(fault, "%s: boids did not write it; there is no configuration in it", name);
    H5Fclose(file);
    return config;
}

/* The path of PATH, or of PATH.part where that alone is there, to be freed; NULL with a fault. */
static char *find_either(const char *path, struct fault *fault)
{
    char *there = join(path, "");
    if (there && access(there, F_OK) != 0) {
        free(there);
        there = join(path, part_ending);
    }
    if (there && access(there, F_OK) == 0)
        return there;
    if (there)
        fault_refuse(fault, "%s: there is no such file", path);
    else
        fault_fail(fault, "there is no memory for %s", path);
    free(there);
    return NULL;
}

char *trajectory_read_config(const char *path, struct fault *fault)
{
    char *there = find_either(path, fault);
    char *config = there ? take_config(there, there, fault) : NULL;
    free(there);
    return config;
}

/* Finding it. */

/* NAME.h5.part and NAME.h5 are one trajectory. */
static char *name_output(const char *path)
{
    char *output = strdup(path);
    const size_t length = strlen(path);
    const size_t tail = strlen(part_ending);
    if (output && length > tail && strcmp(path + length - tail, part_ending) == 0)
        output[length - tail] = '\0';
    return output;
}

static bool choose_file(struct trajectory_past *past, const struct part *part, struct fault *fault)
{
    const bool has_part = access(part->path, F_OK) == 0;
    const bool has_whole = access(part->name, F_OK) == 0;
    if (!has_part && !has_whole)
        return fault_refuse(fault, "%s: there is no such file, and no %s.part", past->output, past->output);
    past->is_whole = has_whole && (!has_part || hdf5_count_frames(part->path) == 0);
    past->path = strdup(past->is_whole ? part->name : part->path);
    past->name = join(past->output, past->is_whole ? "" : part_ending);
    return (past->path && past->name) || fault_fail(fault, "there is no memory for %s", past->output);
}

/* A program that holds the file's lock may be in the middle of changing it. */
static bool check_use(const struct trajectory_past *past, struct fault *fault)
{
    const int descriptor = open(past->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fault_fail(fault, "%s: it cannot be opened: %s", past->name, strerror(errno));
    const bool is_busy = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(descriptor);
    return !is_busy || fault_refuse(fault, "%s is being written by another program", past->name);
}

static bool find(struct trajectory_past *past, struct fault *fault)
{
    struct part part = {0};
    bool is_found = part_choose(&part, past->output, fault);
    if (is_found && !part.is_regular)
        is_found = fault_refuse(fault, "%s is a pipe or device; only a file can be continued", past->output);
    is_found =
        is_found && part_check(&part, fault) && choose_file(past, &part, fault) && check_use(past, fault);
    part_free(&part);
    return is_found;
}

bool trajectory_past_open(struct trajectory_past *past, const char *path, struct fault *fault)
{
    *past = (struct trajectory_past){.output = name_output(path)};
    if (!past->output)
        return fault_fail(fault, "there is no memory for %s", path);
    if (!find(past, fault))
        return false;
    past->config = take_config(past->path, past->name, fault);
    return past->config != NULL;
}

/* Its frames. */

/* How many rows from the first on are whole frames on the grid, none left out. */
static uint64_t count_on_grid(const int64_t *steps, hsize_t count, uint64_t every)
{
    uint64_t rows = 0;
    while (rows < count && steps[rows] >= 0 && (uint64_t)steps[rows] == rows * every)
        rows++;
    return rows;
}

static uint64_t last_step(const int64_t *steps, hsize_t count)
{
    int64_t last = 0;
    for (hsize_t i = 0; i < count; i++)
        last = steps[i] > last ? steps[i] : last;
    return (uint64_t)last;
}

static bool load_checkpoint(struct trajectory_past *past, hid_t file, struct fault *fault)
{
    struct snapshot *last = &past->last;
    const size_t agents = last->boids + last->predators;
    const int64_t step = hdf5_checkpoint_read(file, (int64_t)last->step, agents, last->agents);
    last->step = step >= 0 ? (uint64_t)step : last->step;
    return step >= 0 ||
           fault_refuse(fault, "%s: its frames are rounded to float32 and there is no checkpoint in it",
                        past->name);
}

bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, struct fault *fault)
{
    struct fault reason = {0};
    *start = (struct snapshot){0};
    char *there = find_either(path, fault);
    if (!there)
        return false;
    const bool is_good = snapshot_read_start(start, there, is_rounded, &reason);
    free(there);
    if (reason.status == FAULT_FAILED)
        return fault_fail(fault, "%s", reason.sentence);
    return is_good ||
           fault_refuse(fault, "%s; a run begins from frame 0, --init none places it anew", reason.sentence);
}

static bool load(struct trajectory_past *past, hid_t file, uint64_t every, bool is_rounded,
                 struct fault *fault)
{
    hsize_t count = 0;
    int64_t *steps = hdf5_read_steps(file, &count);
    const uint64_t rows = steps ? count_on_grid(steps, count, every) : 0;
    past->steps = steps ? last_step(steps, count) : 0;
    free(steps);
    if (rows == 0)
        return fault_refuse(fault, "%s: it holds no whole frame; there is nothing to continue", past->name);
    return snapshot_read_step(&past->last, past->path, (rows - 1) * every, fault) &&
           (!is_rounded || load_checkpoint(past, file, fault)) &&
           snapshot_read_start(&past->first, past->path, is_rounded, fault);
}

bool trajectory_past_load(struct trajectory_past *past, uint64_t every, bool is_rounded, struct fault *fault)
{
    hid_t file = hdf5_open_to_read(past->path);
    if (file < 0)
        return fault_fail(fault, "%s: it cannot be opened as HDF5", past->name);
    const bool is_good = load(past, file, every, is_rounded, fault);
    H5Fclose(file);
    return is_good;
}

bool trajectory_past_observable(const struct trajectory_past *past, const char *name, double *values,
                                uint64_t count, struct fault *fault)
{
    hid_t file = hdf5_open_to_read(past->path);
    if (file < 0)
        return fault_fail(fault, "%s: it cannot be opened as HDF5", past->name);
    hid_t set = hdf5_open_observable(file, name);
    hdf5_read_numbers(set, 0, count, values);
    H5Dclose(set);
    H5Fclose(file);
    return true;
}

void trajectory_past_free(struct trajectory_past *past)
{
    snapshot_free(&past->first);
    snapshot_free(&past->last);
    free(past->config);
    free(past->path);
    free(past->name);
    free(past->output);
    *past = (struct trajectory_past){0};
}
