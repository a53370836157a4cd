/* The frames of an HDF5 file, one after another; rows that no whole frame was written to are passed over. */
#include "formats.h"
#include "read.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

struct hdf5_frames {
    struct hdf5_source source;
    struct hdf5_state state;
    int64_t *steps; /* of the rows */
    hsize_t count, row;
    struct agent *agents; /* of the row in hand */
    bool is_fixed;
};

static void hdf5_frames_close(void *reader)
{
    struct hdf5_frames *frames = reader;
    hdf5_state_close(&frames->state);
    hdf5_source_close(&frames->source);
    free(frames->steps);
    free(frames->agents);
    free(frames);
}

static bool open_source(struct hdf5_frames *frames, const char *path, struct fault *fault)
{
    const enum hdf5_found found = hdf5_source_open(&frames->source, path, path, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: it cannot be opened as HDF5", path);
    return found == HDF5_FOUND;
}

static bool read_steps(struct hdf5_frames *frames, struct fault *fault)
{
    const enum hdf5_found found = hdf5_state_steps(&frames->source, &frames->steps, &frames->count, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: there are no frames of boids in it", frames->source.name);
    return found == HDF5_FOUND;
}

static bool make_room(struct hdf5_frames *frames, struct fault *fault)
{
    const struct hdf5_kin *kin = frames->state.kin;
    frames->agents = malloc((kin[0].count + kin[1].count) * sizeof *frames->agents);
    return frames->agents ||
           fault_fail(fault, "%s: there is no memory for a frame of it", frames->source.name);
}

static bool read_arithmetic(struct hdf5_frames *frames, struct fault *fault)
{
    char word[16];
    const enum hdf5_found found =
        hdf5_read_word(&frames->source, "parameters", "arithmetic", word, sizeof word, fault);
    frames->is_fixed = found == HDF5_FOUND && strcmp(word, "fixed") == 0;
    return found != HDF5_FAULT;
}

static void *hdf5_frames_open(const char *path, struct fault *fault)
{
    struct hdf5_frames *frames = calloc(1, sizeof *frames);
    if (!frames) {
        fault_fail(fault, "%s: there is no memory to read it", path);
        return NULL;
    }
    if (open_source(frames, path, fault) && read_steps(frames, fault) &&
        hdf5_state_open(&frames->state, &frames->source, fault) && make_room(frames, fault) &&
        read_arithmetic(frames, fault))
        return frames;
    hdf5_frames_close(frames);
    return NULL;
}

static enum frames_found hdf5_frames_next(void *reader, struct rows *rows, uint64_t *step,
                                          struct fault *fault)
{
    struct hdf5_frames *frames = reader;
    while (frames->row < frames->count && frames->steps[frames->row] < 0)
        frames->row++;
    if (frames->row == frames->count)
        return FRAMES_END;
    *step = (uint64_t)frames->steps[frames->row];
    const bool is_good = hdf5_state_read(&frames->state, frames->row++, frames->agents, fault) &&
                         hdf5_state_rows(&frames->state, frames->agents, rows, frames->source.name, fault);
    return is_good ? FRAMES_FRAME : FRAMES_FAULT;
}

static enum frames_numbers hdf5_frames_numbers(const void *reader)
{
    const struct hdf5_frames *frames = reader;
    if (hdf5_state_number_size(&frames->state) == sizeof(float))
        return FRAMES_FLOAT32;
    return frames->is_fixed ? FRAMES_FIXED : FRAMES_FLOAT64;
}

static unsigned hdf5_frames_fields(const void *reader)
{
    const struct hdf5_contents *contents = &((const struct hdf5_frames *)reader)->state.contents;
    return (contents->has_positions ? FRAMES_POSITION : 0) | (contents->has_velocities ? FRAMES_VELOCITY : 0);
}

const struct frames_format hdf5_frames = {
    .open = hdf5_frames_open,
    .next = hdf5_frames_next,
    .numbers = hdf5_frames_numbers,
    .fields = hdf5_frames_fields,
    .close = hdf5_frames_close,
};
