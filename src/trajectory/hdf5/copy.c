/* The old file is the only one until the new one takes its place, so that one is read back first. Of each frame that was
 * read, and of each state apart, a digest is kept, to be compared with that of what is in the new file. Nobody has a frame whole, unless
 * it is packed: it passes slab by slab. */
#include "copy.h"

#include "apart.h"
#include "observable.h"
#include "read.h"
#include "slabs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What is to be copied: rows of both kinds, and what they looked like when they were read. */
struct extent {
    struct cadence frame_steps, measured_steps;
    hsize_t rows, samples;
    uint64_t *digests; /* of the rows, then of the samples */
    uint64_t first_digest, last_digest;
};

/* A file whose first frames are read one after another. */
struct frames {
    struct hdf5_source source;
    struct hdf5_state state;
    struct hdf5_observables observables;
    struct hdf5_slabs slabs;
};

static bool check_agents(const struct frames *frames, const struct trajectory_about *about,
                         struct fault *fault)
{
    const struct hdf5_kin *kin = frames->state.kin;
    bool is_same = kin[0].count == about->boids && kin[1].count == about->predators;
    for (size_t i = 0; is_same && i < about->boids + about->predators; i++)
        is_same = about->ids[i] == (i < kin[0].count ? kin[0].ids[i] : kin[1].ids[i - kin[0].count]);
    return is_same || fault_refuse(fault, "%s: its boids and predators are not in ascending order of id",
                                   frames->source.name);
}

/* Begin to read frames, of which the source was just opened: `found` says how that went. */
static bool open_frames(struct frames *frames, enum hdf5_found found, const char *name,
                        const struct trajectory_about *about, const struct extent *extent,
                        struct fault *fault)
{
    if (found == HDF5_ABSENT)
        fault_fail(fault, "%s: it cannot be opened as HDF5", name);
    if (found != HDF5_FOUND || !hdf5_state_open(&frames->state, &frames->source, fault) ||
        !check_agents(frames, about, fault) ||
        !hdf5_slabs_open(&frames->slabs, &frames->source, &frames->state, about->compression > 0, fault))
        return false;
    const bool is_good = hdf5_observables_open(&frames->observables, &frames->source, about->observable_names,
                                               about->observable_count, fault);
    frames->observables.rows = extent->samples;
    return is_good;
}

static void close_frames(struct frames *frames)
{
    hdf5_observables_close(&frames->observables);
    hdf5_slabs_close(&frames->slabs);
    hdf5_state_close(&frames->state);
    hdf5_source_close(&frames->source);
}

/* A frame, for who takes it, if anybody does. */
static bool read_frame(struct frames *frames, hsize_t row, hdf5_slab_taker *take, void *context,
                       uint64_t *digest, struct fault *fault)
{
    const struct hdf5_place place = {.where = HDF5_IN_FRAMES, .row = (int64_t)row};
    return hdf5_slabs_read(&frames->slabs, &place, take, context, digest, fault) == HDF5_FOUND;
}

static bool read_sample(struct frames *frames, hsize_t row, uint64_t *digest, struct fault *fault)
{
    struct hdf5_observables *observables = &frames->observables;
    if (!hdf5_observables_read(observables, row, fault))
        return false;
    *digest = hdf5_digest(0, observables->numbers, observables->count);
    return true;
}

/* There: frames. */

static void put_frame(void *context, size_t first, size_t count, const struct agent *agents)
{
    hdf5_put_agents(context, first, count, agents);
}

/* Behind the last row no step comes. */
static uint64_t step_of(hsize_t row, hsize_t rows, struct cadence steps)
{
    return row < rows ? cadence_step(steps, row) : UINT64_MAX;
}

static bool copy_frame(struct hdf5_writer *w, struct frames *from, hsize_t row, uint64_t *digest,
                       struct fault *fault)
{
    hdf5_begin_frame(w);
    return read_frame(from, row, put_frame, w, digest, fault);
}

/* In the order of their steps, as a run writes them. */
static bool write_frames(struct hdf5_writer *w, struct frames *from, const struct extent *extent,
                         struct fault *fault)
{
    hsize_t row = 0;
    hsize_t sample = 0;
    while (row < extent->rows || sample < extent->samples) {
        const uint64_t frame_step = step_of(row, extent->rows, extent->frame_steps);
        const uint64_t sample_step = step_of(sample, extent->samples, extent->measured_steps);
        struct frame frame = {.step = frame_step < sample_step ? frame_step : sample_step};
        const bool has_agents = frame_step == frame.step;
        if (has_agents && !copy_frame(w, from, row, &extent->digests[row], fault))
            return false;
        if (sample_step == frame.step) {
            if (!read_sample(from, sample, &extent->digests[extent->rows + sample], fault))
                return false;
            frame.observables = from->observables.numbers;
            sample++;
        }
        row += has_agents;
        if (!(has_agents ? hdf5_end_frame(w, &frame, fault) : hdf5_write(w, &frame, fault)))
            return false;
    }
    return true;
}

/* There: what stands apart from them. */

/* States that stand apart are known to whoever continues the run; the initial one is in the file since that was begun. */
static uint64_t digest_of(const struct snapshot *state)
{
    enum { NUMBERS = sizeof(struct agent) / sizeof(double) };
    return hdf5_digest(0, &state->agents->x, (state->boids + state->predators) * NUMBERS);
}

static void copy_latest(struct hdf5_writer *w, const struct trajectory_past *past)
{
    struct hdf5_checkpoint *checkpoint = &w->layout.checkpoint;
    const size_t count = past->last.boids + past->last.predators;
    hdf5_checkpoint_copy_latest(checkpoint, 0, count, past->last.agents);
    hdf5_checkpoint_mark_copy(checkpoint, past->last.step,
                              hdf5_hash_agents(checkpoint->words, 0, count, past->last.agents));
}

static bool write_all(struct hdf5_writer *w, const struct trajectory_past *past, struct extent *extent,
                      struct fault *fault)
{
    struct frames from = {0};
    const enum hdf5_found found = hdf5_source_open(&from.source, past->path, past->name, fault);
    const bool is_good = open_frames(&from, found, past->name, w->layout.about, extent, fault) &&
                         write_frames(w, &from, extent, fault);
    close_frames(&from);
    extent->first_digest = digest_of(&past->first);
    extent->last_digest = digest_of(&past->last);
    if (is_good && w->layout.about->is_rounded)
        copy_latest(w, past);
    return is_good && hdf5_flush(w, fault);
}

/* And back. */

static bool refuse_difference(const char *name, const char *what, const struct trajectory_past *past,
                              struct fault *fault)
{
    return fault_fail(fault, "%s: its %s read back otherwise than written; %s stays as it is", name, what,
                      past->name);
}

/* Whether a line holds so many steps of a grid, and none behind them. */
static bool is_grid(const int64_t *steps, hsize_t count, hsize_t rows, struct cadence grid)
{
    bool is_same = count >= rows;
    for (hsize_t row = 0; is_same && row < count; row++)
        is_same = steps[row] == (row < rows ? (int64_t)cadence_step(grid, row) : -1);
    return is_same;
}

static bool check_steps(const struct frames *copy, const char *path, hsize_t rows, struct cadence grid,
                        const struct trajectory_past *past, struct fault *fault)
{
    int64_t *steps = NULL;
    hsize_t count = 0;
    const enum hdf5_found found = hdf5_read_line(&copy->source, path, &steps, &count, fault);
    if (found == HDF5_FAULT)
        return false;
    const bool is_same = found == HDF5_FOUND && is_grid(steps, count, rows, grid);
    free(steps);
    return is_same || refuse_difference(copy->source.name, "steps", past, fault);
}

static bool check_all_steps(const struct frames *copy, const struct trajectory_about *about,
                            const struct extent *extent, const struct trajectory_past *past,
                            struct fault *fault)
{
    char path[128];
    if (!check_steps(copy, "particles/boids/position/step", extent->rows, extent->frame_steps, past, fault))
        return false;
    if (extent->samples == 0)
        return true;
    snprintf(path, sizeof path, "observables/%s/step", about->observable_names[0]);
    return check_steps(copy, path, extent->samples, extent->measured_steps, past, fault);
}

static bool check_place(struct frames *copy, enum hdf5_found found, const struct hdf5_place *place,
                        uint64_t digest, const char *what, const struct trajectory_past *past,
                        struct fault *fault)
{
    uint64_t read = 0;
    if (found == HDF5_FOUND)
        found = hdf5_slabs_read(&copy->slabs, place, NULL, NULL, &read, fault);
    if (found == HDF5_FAULT)
        return false;
    return (found == HDF5_FOUND && read == digest) || refuse_difference(copy->source.name, what, past, fault);
}

static bool check_initial(struct frames *copy, const struct extent *extent,
                          const struct trajectory_past *past, struct fault *fault)
{
    int64_t step = 0;
    const enum hdf5_found found = hdf5_initial_step(&copy->source, &step, fault);
    const struct hdf5_place place = {HDF5_INITIAL, 0, (uint64_t)step};
    return check_place(copy, found, &place, extent->first_digest, "initial state", past, fault);
}

static bool check_checkpoint(struct frames *copy, const struct extent *extent,
                             const struct trajectory_past *past, struct fault *fault)
{
    struct hdf5_place place;
    enum hdf5_found found = hdf5_slot_find(&copy->source, (int64_t)past->last.step, &place, fault);
    if (found == HDF5_FOUND && place.step != past->last.step)
        found = HDF5_ABSENT;
    return check_place(copy, found, &place, extent->last_digest, "checkpoint", past, fault);
}

static bool check_frames(struct frames *copy, const struct extent *extent, const struct trajectory_past *past,
                         struct fault *fault)
{
    uint64_t digest;
    for (hsize_t row = 0; row < extent->rows; row++) {
        if (!read_frame(copy, row, NULL, NULL, &digest, fault))
            return false;
        if (digest != extent->digests[row])
            return refuse_difference(copy->source.name, "frames", past, fault);
    }
    for (hsize_t sample = 0; sample < extent->samples; sample++) {
        if (!read_sample(copy, sample, &digest, fault))
            return false;
        if (digest != extent->digests[extent->rows + sample])
            return refuse_difference(copy->source.name, "observables", past, fault);
    }
    return true;
}

static bool read_back(const struct hdf5_writer *w, const struct trajectory_past *past, int next,
                      const struct extent *extent, struct fault *fault)
{
    const char *name = w->part->told_next;
    const struct trajectory_about *about = w->layout.about;
    struct frames copy = {0};
    const enum hdf5_found found = hdf5_source_open_again(&copy.source, next, name, fault);
    const bool is_good = open_frames(&copy, found, name, about, extent, fault) &&
                         check_all_steps(&copy, about, extent, past, fault) &&
                         check_frames(&copy, extent, past, fault) &&
                         (!about->initial || check_initial(&copy, extent, past, fault)) &&
                         (!about->is_rounded || check_checkpoint(&copy, extent, past, fault));
    close_frames(&copy);
    return is_good;
}

bool hdf5_copy(struct hdf5_writer *w, const struct trajectory_past *past, int next, struct fault *fault)
{
    const struct trajectory_about *about = w->layout.about;
    /* What has no frame yet is begun anew. */
    if (past->frames == 0)
        return true;
    struct extent extent = {
        .frame_steps = about->frame_steps,
        .measured_steps = about->measured_steps,
        .rows = past->frames,
        .samples = about->observable_count > 0 ? cadence_rows(about->measured_steps, past->last.step) : 0,
    };
    extent.digests = calloc(extent.rows + extent.samples, sizeof *extent.digests);
    const bool is_good = extent.digests
                             ? write_all(w, past, &extent, fault) && read_back(w, past, next, &extent, fault)
                             : fault_fail(fault, "%s: there is no memory for its frames", past->name);
    free(extent.digests);
    return is_good;
}
