/* Frames are read until one is damaged; this happens once, when all hope of going on in place is gone. */
#include "salvage.h"

#include "shell.h"
#include "state.h"

#include <inttypes.h>
#include <stdlib.h>

/* The step of the last frame before a damaged one; -1 when there is none, or no frame is damaged. */
static int64_t find_last_good(const struct hdf5_state *state)
{
    const struct hdf5_line_proof *line = &state->proof;
    struct fault fault = {0};
    struct agent *agents = malloc((state->kin[0].count + state->kin[1].count) * sizeof *agents);
    hsize_t row = 0;
    while (agents && row < line->whole && hdf5_state_read(state, row, agents, &fault))
        row++;
    free(agents);
    return row > 0 && row < line->whole && fault.status != FAULT_NONE ? line->steps[row - 1] : -1;
}

static int64_t find_step(const struct trajectory_past *past)
{
    struct hdf5_source source;
    struct hdf5_state state;
    struct fault fault = {0};
    if (hdf5_source_open(&source, past->path, past->name, &fault) != HDF5_FOUND)
        return -1;
    const int64_t step = hdf5_state_open(&state, &source, &fault) ? find_last_good(&state) : -1;
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
