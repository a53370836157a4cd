/* The old file is the only one until the new one takes its place, so that one is read back first. Of each frame that was
 * read a digest is kept, to be compared with that of the frame that is in the new file. */
#include "copy.h"

#include "checkpoint.h"
#include "observable.h"
#include "state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 }; /* frames of which the observables are read at once */

/* A file whose first frames are read one after another. */
struct frames {
    struct hdf5_source source;
    struct hdf5_state state;
    struct hdf5_set *observables;
    size_t observable_count;
    struct agent *agents; /* the frame in hand */
    size_t agent_count;
    double *columns; /* of the block in hand: BLOCK numbers of each observable */
    double *numbers; /* of the frame in hand */
    hsize_t rows;    /* that will be read */
};

static bool open_observables(struct frames *frames, const struct trajectory_about *about, struct fault *fault)
{
    for (size_t i = 0; i < about->observable_count; i++)
        if (hdf5_observable_open(&frames->observables[i], &frames->source, about->observable_names[i],
                                 fault) == HDF5_FAULT)
            return false;
    return hdf5_observable_check_all(&frames->source, about->observable_names, about->observable_count,
                                     fault);
}

static bool check_agents(const struct frames *frames, const struct trajectory_about *about,
                         struct fault *fault)
{
    const struct hdf5_kin *kin = frames->state.kin;
    bool is_same = kin[0].count == about->boids && kin[1].count == about->predators;
    for (size_t i = 0; is_same && i < frames->agent_count; i++)
        is_same = about->ids[i] == (i < kin[0].count ? kin[0].ids[i] : kin[1].ids[i - kin[0].count]);
    return is_same || fault_refuse(fault, "%s: its boids and predators are not in ascending order of id",
                                   frames->source.name);
}

static bool make_room(struct frames *frames, const struct trajectory_about *about, struct fault *fault)
{
    const size_t observables = about->observable_count + 1; /* so that there is one */
    frames->observable_count = about->observable_count;
    frames->agent_count = about->boids + about->predators;
    frames->observables = calloc(observables, sizeof *frames->observables);
    frames->agents = malloc(frames->agent_count * sizeof *frames->agents);
    frames->columns = malloc(BLOCK * observables * sizeof *frames->columns);
    frames->numbers = malloc(observables * sizeof *frames->numbers);
    return (frames->observables && frames->agents && frames->columns && frames->numbers) ||
           fault_fail(fault, "%s: there is no memory for a frame of it", frames->source.name);
}

/* Begin to read frames, of which the source was just opened: `found` says how that went. */
static bool open_frames(struct frames *frames, enum hdf5_found found, const char *name,
                        const struct trajectory_about *about, struct fault *fault)
{
    if (found == HDF5_ABSENT)
        fault_fail(fault, "%s: it cannot be opened as HDF5", name);
    return found == HDF5_FOUND && make_room(frames, about, fault) &&
           hdf5_state_open(&frames->state, &frames->source, fault) && check_agents(frames, about, fault) &&
           open_observables(frames, about, fault);
}

static void close_frames(struct frames *frames)
{
    for (size_t i = 0; frames->observables && i < frames->observable_count; i++)
        hdf5_set_close(&frames->observables[i]);
    hdf5_state_close(&frames->state);
    hdf5_source_close(&frames->source);
    free(frames->observables);
    free(frames->agents);
    free(frames->columns);
    free(frames->numbers);
}

static uint64_t mix(uint64_t digest, const double *numbers, size_t count)
{
    const uint64_t odd = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio */
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        digest = (digest ^ bits) * odd;
        digest ^= digest >> 32;
    }
    return digest;
}

static bool read_block(struct frames *frames, hsize_t row, struct fault *fault)
{
    const hsize_t left = frames->rows - row;
    for (size_t i = 0; i < frames->observable_count; i++)
        if (!hdf5_observable_read(&frames->observables[i], row, left < BLOCK ? left : BLOCK,
                                  frames->columns + i * BLOCK, fault))
            return false;
    return true;
}

static bool read_frame(struct frames *frames, hsize_t row, uint64_t *digest, struct fault *fault)
{
    if (!hdf5_state_read(&frames->state, row, frames->agents, fault))
        return false;
    if (row % BLOCK == 0 && !read_block(frames, row, fault))
        return false;
    for (size_t i = 0; i < frames->observable_count; i++)
        frames->numbers[i] = frames->columns[i * BLOCK + row % BLOCK];
    *digest = mix(0, &frames->agents->x, frames->agent_count * (sizeof *frames->agents / sizeof(double)));
    *digest = mix(*digest, frames->numbers, frames->observable_count);
    return true;
}

/* There. */

static bool write_frame(struct hdf5_writer *w, const struct frames *from, const struct trajectory_past *past,
                        hsize_t row, struct fault *fault)
{
    const uint64_t step = row * w->layout.about->every;
    const struct agent *agents = from->agents;
    /* The first and the last one are known in full, rounded or not. */
    if (step == 0)
        agents = past->first.agents;
    else if (step == past->last.step)
        agents = past->last.agents;
    return hdf5_write(w, &(struct frame){.step = step, .agents = agents, .observables = from->numbers},
                      fault);
}

static bool write_frames(struct hdf5_writer *w, const struct trajectory_past *past, hsize_t rows,
                         uint64_t *digests, struct fault *fault)
{
    struct frames from = {.rows = rows};
    const enum hdf5_found found = hdf5_source_open(&from.source, past->path, past->name, fault);
    bool is_good = open_frames(&from, found, past->name, w->layout.about, fault);
    for (hsize_t row = 0; is_good && row < rows; row++)
        is_good = read_frame(&from, row, &digests[row], fault) && write_frame(w, &from, past, row, fault);
    close_frames(&from);
    return is_good && hdf5_flush(w, fault);
}

/* And back. */

static bool refuse_difference(const char *name, const char *what, const struct trajectory_past *past,
                              struct fault *fault)
{
    return fault_fail(fault, "%s: its %s read back otherwise than written; %s stays as it is", name, what,
                      past->name);
}

static bool check_steps(const struct frames *copy, const struct hdf5_writer *w,
                        const struct trajectory_past *past, struct fault *fault)
{
    int64_t *steps = NULL;
    hsize_t count = 0;
    const enum hdf5_found found = hdf5_state_steps(&copy->source, &steps, &count, fault);
    if (found == HDF5_FAULT)
        return false;
    bool is_same = found == HDF5_FOUND && count >= copy->rows;
    for (hsize_t row = 0; is_same && row < count; row++)
        is_same = steps[row] == (row < copy->rows ? (int64_t)(row * w->layout.about->every) : -1);
    free(steps);
    return is_same || refuse_difference(copy->source.name, "steps", past, fault);
}

static bool is_same(const struct frames *copy, const struct snapshot *state)
{
    return memcmp(copy->agents, state->agents, copy->agent_count * sizeof *copy->agents) == 0;
}

static bool check_checkpoint(struct frames *copy, const struct trajectory_past *past, struct fault *fault)
{
    const int64_t step = (int64_t)past->last.step;
    int64_t found;
    const enum hdf5_found initial = hdf5_initial_read(&copy->source, copy->agent_count, copy->agents, fault);
    if (initial == HDF5_FAULT)
        return false;
    if (initial == HDF5_ABSENT || !is_same(copy, &past->first))
        return refuse_difference(copy->source.name, "initial state", past, fault);
    if (!hdf5_checkpoint_read(&copy->source, step, copy->agent_count, copy->agents, &found, fault))
        return false;
    return (found == step && is_same(copy, &past->last)) ||
           refuse_difference(copy->source.name, "checkpoint", past, fault);
}

static bool check_frames(struct frames *copy, const uint64_t *digests, const struct trajectory_past *past,
                         struct fault *fault)
{
    for (hsize_t row = 0; row < copy->rows; row++) {
        uint64_t digest;
        if (!read_frame(copy, row, &digest, fault))
            return false;
        if (digest != digests[row])
            return refuse_difference(copy->source.name, "frames", past, fault);
    }
    return true;
}

static bool read_back(const struct hdf5_writer *w, const struct trajectory_past *past, int next, hsize_t rows,
                      const uint64_t *digests, struct fault *fault)
{
    const char *name = w->part->told_next;
    struct frames copy = {.rows = rows};
    const enum hdf5_found found = hdf5_source_open_again(&copy.source, next, name, fault);
    const bool is_good = open_frames(&copy, found, name, w->layout.about, fault) &&
                         check_steps(&copy, w, past, fault) && check_frames(&copy, digests, past, fault) &&
                         (!w->layout.about->is_rounded || check_checkpoint(&copy, past, fault));
    close_frames(&copy);
    return is_good;
}

bool hdf5_copy(struct hdf5_writer *w, const struct trajectory_past *past, int next, struct fault *fault)
{
    const hsize_t rows = past->last.step / w->layout.about->every + 1;
    uint64_t *digests = calloc(rows, sizeof *digests);
    const bool is_good = digests ? write_frames(w, past, rows, digests, fault) &&
                                       read_back(w, past, next, rows, digests, fault)
                                 : fault_fail(fault, "%s: there is no memory for its frames", past->name);
    free(digests);
    return is_good;
}
