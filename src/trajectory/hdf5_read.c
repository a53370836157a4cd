/* A frame out of an H5MD file that boids wrote. A run that is still writing it is not disturbed: no lock is taken. */
#include "hdf5_read.h"

#include "snapshot.h"

#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Datasets are read through double and int64; the library converts. */
enum { MOST_DIMS = 3 };

static const char boids[] = "particles/boids";
static const char predators[] = "particles/predators";

void hdf5_quieten(void)
{
    /* Ours is the lock that counts; the library's own on the same file would stand in its way. */
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

hid_t hdf5_open_to_read(const char *path)
{
    hdf5_quieten();
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

/* The size of a dataset of the given rank; false when it is not that. */
static bool get_size(hid_t set, int rank, hsize_t *size)
{
    hid_t space = H5Dget_space(set);
    const bool is_right =
        H5Sget_simple_extent_ndims(space) == rank && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    H5Sclose(space);
    return is_right;
}

int64_t *hdf5_read_line(hid_t where, const char *name, hsize_t *count)
{
    int64_t *line = NULL;
    hid_t set = H5Dopen2(where, name, H5P_DEFAULT);
    if (set >= 0 && get_size(set, 1, count) && *count > 0)
        line = malloc(*count * sizeof *line);
    if (line && H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, line) < 0) {
        free(line);
        line = NULL;
    }
    H5Dclose(set);
    return line;
}

int64_t *hdf5_read_steps(hid_t file, hsize_t *count)
{
    return hdf5_read_line(file, "particles/boids/position/step", count);
}

uint64_t hdf5_count_frames(const char *path)
{
    hid_t file = hdf5_open_to_read(path);
    hsize_t count = 0;
    uint64_t whole = 0;
    int64_t *steps = file >= 0 ? hdf5_read_steps(file, &count) : NULL;
    for (hsize_t i = 0; steps && i < count; i++)
        whole += steps[i] >= 0;
    free(steps);
    H5Fclose(file);
    return whole;
}

/* The row of the wanted frame, or -1. */
static int64_t find_frame(const int64_t *steps, hsize_t count, const struct snapshot_wish *wish)
{
    int64_t found = -1;
    for (hsize_t i = 0; i < count; i++)
        if (steps[i] >= 0 && (wish->is_any || (uint64_t)steps[i] == wish->step))
            found = (int64_t)i;
    return found;
}

static bool refuse_step(const int64_t *steps, hsize_t count, const struct snapshot_wish *wish,
                        struct fault *fault)
{
    int64_t first = INT64_MAX;
    int64_t last = -1;
    for (hsize_t i = 0; i < count; i++) {
        first = steps[i] >= 0 && steps[i] < first ? steps[i] : first;
        last = steps[i] > last ? steps[i] : last;
    }
    if (last < 0)
        return fault_refuse(fault, "%s: it holds no whole frame", wish->path);
    return fault_refuse(fault, "%s: step %" PRIu64 " is not in it; its steps go from %" PRId64 " to %" PRId64,
                        wish->path, wish->step, first, last);
}

bool hdf5_read_row(hid_t set, hsize_t row, hsize_t agents, double *values)
{
    hsize_t size[MOST_DIMS] = {0};
    if (set < 0 || !get_size(set, MOST_DIMS, size) || row >= size[0] || agents != size[1] || size[2] < 2)
        return false;
    const hsize_t start[MOST_DIMS] = {row, 0, 0};
    const hsize_t part[MOST_DIMS] = {1, agents, 2};
    hid_t there = H5Dget_space(set);
    hid_t here = H5Screate_simple(MOST_DIMS, part, NULL);
    H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, part, NULL);
    const herr_t result = H5Dread(set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, values);
    H5Sclose(here);
    H5Sclose(there);
    return result >= 0;
}

hid_t hdf5_open_observable(hid_t file, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "observables/%s/value", name);
    return H5Dopen2(file, path, H5P_DEFAULT);
}

static void fill_undefined(double *numbers, hsize_t count)
{
    for (hsize_t i = 0; i < count; i++)
        numbers[i] = NAN;
}

void hdf5_read_numbers(hid_t set, hsize_t first, hsize_t count, double *numbers)
{
    hsize_t size = 0;
    fill_undefined(numbers, count);
    if (set < 0 || !get_size(set, 1, &size) || first >= size)
        return;
    const hsize_t part = count < size - first ? count : size - first;
    hid_t there = H5Dget_space(set);
    hid_t here = H5Screate_simple(1, &part, NULL);
    H5Sselect_hyperslab(there, H5S_SELECT_SET, &first, NULL, &part, NULL);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, numbers) < 0)
        fill_undefined(numbers, part);
    H5Sclose(here);
    H5Sclose(there);
}

/* One frame of a dataset as [agents, 2], to be freed. */
static double *read_frame(hid_t group, const char *name, hsize_t frame, hsize_t agents)
{
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    double *values = agents > 0 ? malloc(agents * 2 * sizeof *values) : NULL;
    if (values && !hdf5_read_row(set, frame, agents, values)) {
        free(values);
        values = NULL;
    }
    H5Dclose(set);
    return values;
}

static bool check_finite(const struct snapshot_row *row, const char *path, struct fault *fault)
{
    const struct agent *agent = &row->agent;
    return (isfinite(agent->x) && isfinite(agent->y) && isfinite(agent->vx) && isfinite(agent->vy)) ||
           fault_refuse(fault, "%s: id %" PRId32 " has a number that is not finite", path, row->id);
}

static bool add_rows(struct snapshot_rows *rows, const int64_t *ids, const double *positions,
                     const double *velocities, hsize_t count, bool is_predator, const char *path,
                     struct fault *fault)
{
    for (hsize_t i = 0; i < count; i++) {
        const struct snapshot_row row = {
            {positions[2 * i], positions[2 * i + 1], velocities[2 * i], velocities[2 * i + 1]},
            (int32_t)ids[i],
            is_predator,
        };
        if (ids[i] < 0 || ids[i] > INT32_MAX)
            return fault_refuse(fault, "%s: id %" PRId64 " is not from 0 to 2147483647", path, ids[i]);
        if (!check_finite(&row, path, fault) || !snapshot_add(rows, &row, path, fault))
            return false;
    }
    return true;
}

static bool read_group(struct snapshot_rows *rows, hid_t file, bool is_predator, hsize_t frame,
                       const char *path, struct fault *fault)
{
    const char *name = is_predator ? predators : boids;
    hsize_t count = 0;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    int64_t *ids = group < 0 ? NULL : hdf5_read_line(group, "id", &count);
    double *positions = read_frame(group, "position/value", frame, count);
    double *velocities = read_frame(group, "velocity/value", frame, count);
    bool is_good = ids && positions && velocities;
    if (!is_good)
        fault_refuse(fault, "%s: /%s has not the id, position and velocity that boids writes", path, name);
    else
        is_good = add_rows(rows, ids, positions, velocities, count, is_predator, path, fault);
    free(velocities);
    free(positions);
    free(ids);
    H5Gclose(group);
    return is_good;
}

/* Frames that are rounded do not matter to frame 0, which is there in full as well. */
static bool take_initial(struct snapshot_rows *rows, hid_t file, const struct snapshot_wish *wish,
                         struct fault *fault)
{
    const char *path = wish->path;
    if (!hdf5_initial_is_there(file))
        return !wish->is_rounded ||
               fault_refuse(fault, "%s: its frames are rounded to float32 and frame 0 is not in it in full",
                            path);
    struct agent *agents = malloc(rows->count * sizeof *agents);
    if (!agents)
        return fault_fail(fault, "%s: there is no memory for its %zu rows", path, rows->count);
    bool is_good = hdf5_initial_read(file, rows->count, agents) ||
                   fault_refuse(fault, "%s: /checkpoint/initial is not what boids writes", path);
    for (size_t i = 0; is_good && i < rows->count; i++) {
        rows->rows[i].agent = agents[i];
        is_good = check_finite(&rows->rows[i], path, fault);
    }
    free(agents);
    return is_good;
}

static bool read_agents(hid_t file, struct snapshot_rows *rows, hsize_t frame, const char *path,
                        struct fault *fault)
{
    return read_group(rows, file, false, frame, path, fault) &&
           (H5Lexists(file, predators, H5P_DEFAULT) <= 0 || read_group(rows, file, true, frame, path, fault));
}

static bool read_from(hid_t file, struct snapshot_rows *rows, uint64_t *step,
                      const struct snapshot_wish *wish, struct fault *fault)
{
    hsize_t count = 0;
    int64_t *steps = hdf5_read_steps(file, &count);
    if (!steps)
        return fault_refuse(fault, "%s: there are no frames of boids in it", wish->path);
    const int64_t frame = find_frame(steps, count, wish);
    bool is_good = frame >= 0 || refuse_step(steps, count, wish, fault);
    if (is_good) {
        *step = (uint64_t)steps[frame];
        is_good = read_agents(file, rows, (hsize_t)frame, wish->path, fault) &&
                  (*step > 0 || take_initial(rows, file, wish, fault));
    }
    free(steps);
    return is_good;
}

bool snapshot_read_hdf5(struct snapshot_rows *rows, uint64_t *step, const struct snapshot_wish *wish,
                        struct fault *fault)
{
    hid_t file = hdf5_open_to_read(wish->path);
    if (file < 0)
        return fault_refuse(fault, "%s: it cannot be opened as HDF5", wish->path);
    const bool is_good = read_from(file, rows, step, wish, fault);
    H5Fclose(file);
    return is_good;
}
