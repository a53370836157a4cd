/* Chooses the reader of a format, and checks what holds for frames of all formats. */
#include "frame_reader.h"

#include "hdf5/formats.h"
#include "text/formats.h"
#include "trajectory.h"

#include <inttypes.h>
#include <stdlib.h>

struct frame_reader {
    const struct frame_reader_format *format;
    void *reader;
    const char *path;
    struct agent_list rows; /* of the current frame */
    uint64_t step;          /* likewise */
    bool has_begun;
};

struct frame_reader *frame_reader_open(const char *path, struct fault *fault)
{
    if (!trajectory_check_input(path, "a trajectory", fault))
        return NULL;
    const enum trajectory_format format = trajectory_format_of_input(path);
    if (format == TRAJECTORY_MATRIX || format == TRAJECTORY_XYZ) {
        fault_refuse(fault, "%s: trajectories are read from HDF5 and CSV only", path);
        return NULL;
    }
    struct frame_reader *frames = malloc(sizeof *frames);
    if (!frames) {
        fault_fail(fault, "%s: there is no memory to read it", path);
        return NULL;
    }
    *frames =
        (struct frame_reader){.path = path, .format = format == TRAJECTORY_HDF5 ? &h5_frames : &csv_frames};
    frames->reader = frames->format->open(path, fault);
    if (frames->reader)
        return frames;
    free(frames);
    return NULL;
}

enum frame_reader_numbers frame_reader_numbers(const struct frame_reader *frames)
{
    return frames->format->numbers(frames->reader);
}

unsigned frame_reader_fields(const struct frame_reader *frames)
{
    return frames->format->fields(frames->reader);
}

static bool check_step(struct frame_reader *frames, uint64_t step, struct fault *fault)
{
    if (frames->has_begun && step <= frames->step)
        return fault_refuse(
            fault, "%s: step %" PRIu64 " comes after step %" PRIu64 "; the steps of a trajectory ascend",
            frames->path, step, frames->step);
    frames->has_begun = true;
    frames->step = step;
    return true;
}

enum frame_reader_status frame_reader_next(struct frame_reader *frames, struct snapshot *frame,
                                           struct fault *fault)
{
    uint64_t step;
    snapshot_free(frame);
    frames->rows.count = 0;
    const enum frame_reader_status found = frames->format->next(frames->reader, &frames->rows, &step, fault);
    if (found != FRAME_READER_FRAME)
        return found;
    if (!check_step(frames, step, fault) ||
        !agent_list_to_snapshot(frame, &frames->rows, frames->path, fault))
        return FRAME_READER_FAULT;
    frame->step = step;
    return FRAME_READER_FRAME;
}

void frame_reader_close(struct frame_reader *frames)
{
    if (!frames)
        return;
    frames->format->close(frames->reader);
    free(frames->rows.rows);
    free(frames);
}
