/* Which format a file is in, and what holds of its frames in all of them. */
#include "frames.h"

#include "hdf5/formats.h"
#include "text/formats.h"
#include "trajectory.h"

#include <inttypes.h>
#include <stdlib.h>

struct frames {
    const struct frames_format *format;
    void *reader;
    const char *path;
    struct rows rows; /* of the frame in hand */
    uint64_t step;    /* likewise */
    bool has_begun;
};

static bool choose(struct frames *frames, struct fault *fault)
{
    switch (trajectory_format_of_input(frames->path)) {
    case TRAJECTORY_HDF5: frames->format = &hdf5_frames; return true;
    case TRAJECTORY_MATRIX:
    case TRAJECTORY_XYZ:
        return fault_refuse(fault, "%s: trajectories are read from HDF5 and CSV only", frames->path);
    case TRAJECTORY_CSV:
    case TRAJECTORY_OBSERVABLES:
    case TRAJECTORY_UNKNOWN:
    default: frames->format = &csv_frames; return true;
    }
}

static bool open_reader(struct frames *frames, struct fault *fault)
{
    if (!trajectory_check_input(frames->path, "a trajectory", fault) || !choose(frames, fault))
        return false;
    frames->reader = frames->format->open(frames->path, fault);
    return frames->reader != NULL;
}

struct frames *frames_open(const char *path, struct fault *fault)
{
    struct frames *frames = malloc(sizeof *frames);
    if (!frames) {
        fault_fail(fault, "%s: there is no memory to read it", path);
        return NULL;
    }
    *frames = (struct frames){.path = path};
    if (open_reader(frames, fault))
        return frames;
    frames_close(frames);
    return NULL;
}

enum frames_numbers frames_numbers(const struct frames *frames)
{
    return frames->format->numbers(frames->reader);
}

unsigned frames_fields(const struct frames *frames)
{
    return frames->format->fields(frames->reader);
}

static bool check_step(struct frames *frames, uint64_t step, struct fault *fault)
{
    if (frames->has_begun && step <= frames->step)
        return fault_refuse(
            fault, "%s: step %" PRIu64 " comes after step %" PRIu64 "; the steps of a trajectory ascend",
            frames->path, step, frames->step);
    frames->has_begun = true;
    frames->step = step;
    return true;
}

enum frames_found frames_next(struct frames *frames, struct snapshot *frame, struct fault *fault)
{
    uint64_t step;
    snapshot_free(frame);
    frames->rows.count = 0;
    const enum frames_found found = frames->format->next(frames->reader, &frames->rows, &step, fault);
    if (found != FRAMES_FRAME)
        return found;
    if (!check_step(frames, step, fault) || !rows_take(frame, &frames->rows, frames->path, fault))
        return FRAMES_FAULT;
    frame->step = step;
    return FRAMES_FRAME;
}

void frames_close(struct frames *frames)
{
    if (!frames)
        return;
    if (frames->reader)
        frames->format->close(frames->reader);
    free(frames->rows.rows);
    free(frames);
}
