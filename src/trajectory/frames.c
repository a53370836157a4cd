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

struct frames *frames_open(const char *path, struct fault *fault)
{
    if (!trajectory_check_input(path, "a trajectory", fault))
        return NULL;
    const enum trajectory_format format = trajectory_format_of_input(path);
    if (format == TRAJECTORY_MATRIX || format == TRAJECTORY_XYZ) {
        fault_refuse(fault, "%s: trajectories are read from HDF5 and CSV only", path);
        return NULL;
    }
    struct frames *frames = malloc(sizeof *frames);
    if (!frames) {
        fault_fail(fault, "%s: there is no memory to read it", path);
        return NULL;
    }
    *frames = (struct frames){.path = path, .format = format == TRAJECTORY_HDF5 ? &hdf5_frames : &csv_frames};
    frames->reader = frames->format->open(path, fault);
    if (frames->reader)
        return frames;
    free(frames);
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
    frames->format->close(frames->reader);
    free(frames->rows.rows);
    free(frames);
}
