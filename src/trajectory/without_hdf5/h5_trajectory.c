/* The functions of hdf5/h5_trajectory.h in a program without HDF5 (`make HDF5=no`). They refuse every file that needs the
 * library. */
#include "trajectory/hdf5/h5_trajectory.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters) */

bool h5_check_built(const char *path, struct error *error)
{
    return error_refuse(
        error,
        "%s: this boids was built without HDF5; use .csv, or install HDF5 (Debian: apt-get install "
        "libhdf5-dev) and build boids again, with make or pip",
        path);
}

/* Nothing is opened, so the other functions of these tables are never called. */

static void *refuse_writer(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                           struct error *error)
{
    h5_check_built(part->given, error);
    return NULL;
}

static bool refuse_reader(void *reader, const char *path, struct frame_contents *contents,
                          struct error *error)
{
    return h5_check_built(path, error);
}

static void close_reader(void *reader)
{
}

const struct format format_hdf5 = {.open = refuse_writer};
const struct frame_reader_format h5_frames = {.open = refuse_reader, .close = close_reader};

bool h5_read_frame(struct frame *state, const struct frame_request *request, struct error *error)
{
    return h5_check_built(request->name, error);
}

char *trajectory_read_config(const char *path, struct error *error)
{
    h5_check_built(path, error);
    return NULL;
}

bool previous_run_open(struct previous_run *previous, const char *path, struct error *error)
{
    return h5_check_built(path, error);
}

bool trajectory_verify(struct verify_report *report, const char *path, const char *const *names, size_t count,
                       struct error *error)
{
    return h5_check_built(path, error);
}

bool h5_check_resumable(const struct atomic_file *part, struct error *error)
{
    return true;
}

void previous_run_free(struct previous_run *previous)
{
}

/* Never called. */

bool trajectory_read_start(struct frame *start, struct frame_request request, struct error *error)
{
    return false;
}

bool previous_run_load(struct previous_run *previous, const struct config *config, struct error *error)
{
    return false;
}

bool previous_run_observable(const struct previous_run *previous, const char *name, double *values,
                             uint64_t count, struct error *error)
{
    return false;
}

void *h5_continue(const struct previous_run *previous, const struct atomic_file *part,
                  const struct trajectory_metadata *about, struct error *error)
{
    return NULL;
}

/* NOLINTEND(misc-unused-parameters) */
