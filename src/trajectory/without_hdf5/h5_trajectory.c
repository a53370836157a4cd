/* The functions of hdf5/h5_trajectory.h in a program without HDF5 (`make HDF5=no`). They refuse every file that needs the
 * library. */
#include "trajectory/hdf5/h5_trajectory.h"

bool h5_check_built(const char *path, struct error *error)
{
    return error_refuse(
        error,
        "%s: this boids was built without HDF5; use .csv, or install HDF5 (Debian: apt-get install "
        "libhdf5-dev) and build boids again, with make or pip",
        path);
}

static void *refuse_writer(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                           struct error *error)
{
    (void)metadata;
    h5_check_built(part->given, error);
    return NULL;
}

static void *refuse_reader(const char *path, struct frame_contents *contents, struct error *error)
{
    (void)contents;
    h5_check_built(path, error);
    return NULL;
}

/* No writer or reader can be created, so the other functions are never called and are not set. */
const struct format format_hdf5 = {.open = refuse_writer};
const struct frame_reader_format h5_frames = {.open = refuse_reader};

void *h5_continue(const struct previous_run *previous, const struct atomic_file *part,
                  const struct trajectory_metadata *about, struct error *error)
{
    (void)previous;
    return refuse_writer(part, about, error);
}

bool h5_read_snapshot(struct snapshot *state, const struct frame_request *request, struct error *error)
{
    (void)state;
    return h5_check_built(request->name, error);
}

char *trajectory_read_config(const char *path, struct error *error)
{
    h5_check_built(path, error);
    return NULL;
}

bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, bool is_kept,
                           struct error *error)
{
    (void)is_rounded, (void)is_kept;
    *start = (struct snapshot){0};
    return h5_check_built(path, error);
}

/* Without HDF5, a run that could be resumed cannot be recognised. */
bool h5_check_resumable(const struct atomic_file *part, struct error *error)
{
    (void)part, (void)error;
    return true;
}

bool h5_find_last_step(const char *path, uint64_t *last)
{
    (void)path, (void)last;
    return false;
}

bool previous_run_open(struct previous_run *previous, const char *path, struct error *error)
{
    *previous = (struct previous_run){0};
    return h5_check_built(path, error);
}

bool previous_run_load(struct previous_run *previous, const struct previous_run_plan *plan,
                       struct error *error)
{
    (void)plan;
    return h5_check_built(previous->name, error);
}

bool previous_run_has_observable(const struct previous_run *previous, const char *name)
{
    (void)previous, (void)name;
    return false;
}

bool previous_run_observable(const struct previous_run *previous, const char *name, double *values,
                             uint64_t count, struct error *error)
{
    (void)name, (void)values, (void)count;
    return h5_check_built(previous->name, error);
}

void previous_run_free(struct previous_run *previous)
{
    (void)previous;
}

bool trajectory_verify(struct verify_report *report, const char *path, const char *const *names, size_t count,
                       expect_contents *expect, struct error *error)
{
    (void)report, (void)names, (void)count, (void)expect;
    return h5_check_built(path, error);
}
