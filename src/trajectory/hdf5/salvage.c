/* Frames are read until one is damaged; this happens once, when all hope of going on in place is gone. */
#include "salvage.h"

#include "shell.h"
#include "slabs.h"

#include <inttypes.h>

static bool is_good(const struct hdf5_slabs *slabs, hsize_t row)
{
    const struct hdf5_place place = {.where = HDF5_IN_FRAMES, .row = (int64_t)row};
    struct fault none = {0};
    uint64_t digest;
    return hdf5_slabs_read(slabs, &place, NULL, NULL, &digest, &none) == HDF5_FOUND;
}

/* The step of the last frame before a damaged one; -1 when there is none, or no frame is damaged. */
static int64_t find_last_good(const struct hdf5_source *source, const struct hdf5_state *state)
{
    const struct hdf5_line_proof *line = &state->proof;
    struct hdf5_slabs slabs;
    struct fault none = {0};
    hsize_t row = 0;
    if (!hdf5_slabs_open(&slabs, source, state, false, &none))
        return -1;
    while (row < line->whole && is_good(&slabs, row))
        row++;
    hdf5_slabs_close(&slabs);
    return row > 0 && row < line->whole ? line->steps[row - 1] : -1;
}

static int64_t find_step(const struct trajectory_past *past)
{
    struct hdf5_source source;
    struct hdf5_state state;
    struct fault fault = {0};
    if (hdf5_source_open(&source, past->path, past->name, &fault) != HDF5_FOUND)
        return -1;
    const int64_t step = hdf5_state_open(&state, &source, &fault) ? find_last_good(&source, &state) : -1;
    hdf5_state_close(&state);
    hdf5_source_close(&source);
    return step;
}

bool hdf5_salvage_tell(const struct trajectory_past *past, const struct fault *found, struct fault *fault)
{
    char word[SHELL_WORD_SIZE];
    if (found->status != FAULT_FAILED)
        return fault_refuse(fault, "%s", found->sentence);
    const int64_t step = find_step(past);
    if (step < 0)
        return fault_fail(fault, "%s", found->sentence);
    shell_word(past->name, word);
    return fault_fail(fault,
                      "%s; go on from step %" PRId64
                      " in another file with: boids --from %s --init %s@%" PRId64 " --keep-step -o OTHER.h5",
                      found->sentence, step, word, word, step);
}
