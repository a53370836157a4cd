/* The functions of hdf5/hdf5_api.h in a program without HDF5 (`make HDF5=no`). They refuse every file that needs the
 * library. */
#include "trajectory/hdf5/hdf5_api.h"

bool h5_check_built(const char *path, struct fault *fault)
{
    return fault_refuse(
        fault,
        "%s: this boids was built without HDF5; use .csv, or install HDF5 (Debian: apt-get install "
        "libhdf5-dev) and build boids again with: make",
        path);
}

static void *refuse_writer(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                           struct fault *fault)
{
    (void)metadata;
    h5_check_built(part->given, fault);
    return NULL;
}

static void *refuse_reader(const char *path, struct frame_contents *contents, struct fault *fault)
{
    (void)contents;
    h5_check_built(path, fault);
    return NULL;
}

/* No writer or reader can be created, so the other functions are never called and are not set. */
const struct format format_hdf5 = {.open = refuse_writer};
const struct frame_reader_format h5_frames = {.open = refuse_reader};

void *h5_continue(const struct previous_run *previous, const struct atomic_file *part,
                  const struct trajectory_metadata *about, struct fault *fault)
{
    (void)previous;
    return refuse_writer(part, about, fault);
}

bool h5_snapshot_rows(struct agent_list *rows, uint64_t *step, const struct frame_request *request,
                      struct fault *fault)
{
    (void)rows, (void)step;
    return h5_check_built(request->name, fault);
}

char *trajectory_read_config(const char *path, struct fault *fault)
{
    h5_check_built(path, fault);
    return NULL;
}

bool trajectory_read_initial_hash(const char *path, uint64_t *hash, bool *is_there, struct fault *fault)
{
    (void)hash, (void)is_there;
    return h5_check_built(path, fault);
}

bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, bool is_kept,
                           struct fault *fault)
{
    (void)is_rounded, (void)is_kept;
    *start = (struct snapshot){0};
    return h5_check_built(path, fault);
}

struct trajectory_measured *trajectory_measured_open(const char *path, const char *const *names, size_t count,
                                                     struct fault *fault)
{
    (void)names, (void)count;
    h5_check_built(path, fault);
    return NULL;
}

enum frame_reader_status trajectory_measured_next(struct trajectory_measured *measured, uint64_t *step,
                                                  double *values, struct fault *fault)
{
    (void)measured, (void)step, (void)values, (void)fault;
    return FRAME_READER_END;
}

void trajectory_measured_close(struct trajectory_measured *measured)
{
    (void)measured;
}

/* Without HDF5, a run that could be resumed cannot be recognised. */
bool h5_check_resumable(const struct atomic_file *part, struct fault *fault)
{
    (void)part, (void)fault;
    return true;
}

bool previous_run_open(struct previous_run *previous, const char *path, struct fault *fault)
{
    *previous = (struct previous_run){0};
    return h5_check_built(path, fault);
}

bool previous_run_load(struct previous_run *previous, const struct previous_run_plan *plan,
                       struct fault *fault)
{
    (void)plan;
    return h5_check_built(previous->name, fault);
}

bool previous_run_check_measured(const struct previous_run *previous, const char *name, struct interval steps,
                                 struct fault *fault)
{
    (void)name, (void)steps;
    return h5_check_built(previous->name, fault);
}

bool previous_run_observable(const struct previous_run *previous, const char *name, double *values,
                             uint64_t count, struct fault *fault)
{
    (void)name, (void)values, (void)count;
    return h5_check_built(previous->name, fault);
}

void previous_run_free(struct previous_run *previous)
{
    (void)previous;
}

bool trajectory_verify(struct verify_report *report, const char *path, const char *const *names, size_t count,
                       expect_contents *expect, struct fault *fault)
{
    (void)report, (void)names, (void)count, (void)expect;
    return h5_check_built(path, fault);
}
