/* One frame out of a file as a state to begin from. A run that is still writing the file is not disturbed: no lock is
 * taken. */
#include "snapshot.h"

#include "apart.h"
#include "state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The row of the wanted frame, or -1. */
static int64_t find_frame(const int64_t *steps, hsize_t count, const struct rows_wish *wish)
{
    int64_t found = -1;
    for (hsize_t i = 0; i < count && !(wish->is_first && found >= 0); i++)
        if (steps[i] >= 0 && (wish->is_any || wish->is_first || (uint64_t)steps[i] == wish->step))
            found = (int64_t)i;
    return found;
}

static bool refuse_step(const int64_t *steps, hsize_t count, const struct rows_wish *wish,
                        struct fault *fault)
{
    int64_t first = INT64_MAX;
    int64_t last = -1;
    for (hsize_t i = 0; i < count; i++) {
        first = steps[i] >= 0 && steps[i] < first ? steps[i] : first;
        last = steps[i] > last ? steps[i] : last;
    }
    if (last < 0)
        return fault_refuse(fault, "%s: it holds no whole frame", wish->name);
    return fault_refuse(fault, "%s: step %" PRIu64 " is not in it; its steps go from %" PRId64 " to %" PRId64,
                        wish->name, wish->step, first, last);
}

static bool check_finite(const struct rows *rows, const char *name, struct fault *fault)
{
    for (const struct row *row = rows->rows; row < rows->rows + rows->count; row++) {
        const struct agent *agent = &row->agent;
        if (!isfinite(agent->x) || !isfinite(agent->y) || !isfinite(agent->vx) || !isfinite(agent->vy))
            return fault_refuse(fault, "%s: id %" PRId32 " has a number that is not finite", name, row->id);
    }
    return true;
}

/* A frame of the file as rows. */
static bool read_frame(struct rows *rows, const struct hdf5_source *source, const struct hdf5_state *state,
                       hsize_t row, struct agent *agents, struct fault *fault)
{
    return (hdf5_contents_are_whole(&state->contents) ||
            hdf5_contents_refuse(&state->contents, source->name, "no run can begin from its frames",
                                 fault)) &&
           hdf5_state_read(state, row, agents, fault) &&
           hdf5_state_rows(state, agents, rows, source->name, fault);
}

/* What stands apart from the frames. Predators are in all of them, and come last. */
static bool read_apart(struct rows *rows, const struct hdf5_source *source, const struct hdf5_state *state,
                       const struct hdf5_place *place, const int64_t *ids, size_t count, struct agent *agents,
                       struct fault *fault)
{
    const enum hdf5_found found = hdf5_apart_read_whole(source, place, count, ids, agents, fault);
    if (found == HDF5_ABSENT)
        hdf5_source_fail(source, "checkpoint/initial", fault);
    if (found != HDF5_FOUND || !ids)
        return found == HDF5_FOUND && hdf5_state_rows(state, agents, rows, source->name, fault);
    const size_t predators = state->kin[1].count;
    for (size_t i = 0; i < count; i++)
        if (!hdf5_state_add(rows, &agents[i], ids[i], i + predators >= count, source->name, fault))
            return false;
    return true;
}

static bool read_opened(struct rows *rows, const struct hdf5_source *source, const struct hdf5_state *state,
                        const struct hdf5_place *place, struct fault *fault)
{
    int64_t *ids = NULL;
    size_t count = state->kin[0].count + state->kin[1].count;
    size_t others = 0;
    if (place->where == HDF5_INITIAL && hdf5_initial_ids(source, &ids, &others, fault) == HDF5_FAULT)
        return false;
    count = ids ? others : count;
    struct agent *agents = malloc(count * sizeof *agents);
    const bool is_good = !agents ? fault_fail(fault, "%s: there is no memory for a frame of it", source->name)
                         : place->where == HDF5_IN_FRAMES
                             ? read_frame(rows, source, state, (hsize_t)place->row, agents, fault)
                             : read_apart(rows, source, state, place, ids, count, agents, fault);
    free(agents);
    free(ids);
    return is_good && check_finite(rows, source->name, fault);
}

static bool read_rows(struct rows *rows, const struct hdf5_source *source, const struct hdf5_place *place,
                      struct fault *fault)
{
    struct hdf5_state state;
    const bool is_good =
        hdf5_state_open(&state, source, fault) && read_opened(rows, source, &state, place, fault);
    hdf5_state_close(&state);
    return is_good;
}

/* Rows are written in order: only a damaged file lacks one before another. */
static bool is_unbroken(const int64_t *steps, hsize_t count)
{
    hsize_t row = 0;
    while (row < count && steps[row] < 0)
        row++;
    return row == 0 || row == count;
}

/* Where the state that the run began with stands apart from the frames, it takes the place of the one of its step. */
static bool wants_initial(const struct rows_wish *wish, uint64_t initial_step, int64_t row_step)
{
    if (wish->is_first)
        return true;
    return wish->is_any ? row_step == (int64_t)initial_step : wish->step == initial_step;
}

static bool choose(const struct hdf5_source *source, struct hdf5_place *place, const int64_t *steps,
                   hsize_t count, const struct rows_wish *wish, struct fault *fault)
{
    int64_t initial_step;
    const enum hdf5_found found = hdf5_initial_step(source, &initial_step, fault);
    const int64_t row = find_frame(steps, count, wish);
    const int64_t row_step = row >= 0 ? steps[row] : -1;
    const bool is_initial = found == HDF5_FOUND && is_unbroken(steps, count) &&
                            wants_initial(wish, (uint64_t)initial_step, row_step);
    if (found == HDF5_FAULT)
        return false;
    if (row < 0 && !is_initial)
        return refuse_step(steps, count, wish, fault);
    if (wish->is_rounded && !is_initial)
        return fault_refuse(fault, "%s: its frames are rounded to float32 and frame 0 is not in it in full",
                            source->name);
    *place = is_initial ? (struct hdf5_place){HDF5_INITIAL, 0, (uint64_t)initial_step}
                        : (struct hdf5_place){HDF5_IN_FRAMES, row, (uint64_t)row_step};
    return true;
}

static bool find_checkpoint(const struct hdf5_source *source, const struct rows_wish *wish,
                            struct hdf5_place *place, struct fault *fault)
{
    const enum hdf5_found found = hdf5_slot_find(source, (int64_t)wish->step, place, fault);
    return found == HDF5_FOUND || (found == HDF5_ABSENT && hdf5_apart_refuse(source, fault));
}

bool hdf5_snapshot_find(const struct hdf5_source *source, const struct rows_wish *wish,
                        struct hdf5_place *place, struct fault *fault)
{
    hsize_t count = 0;
    int64_t *steps = NULL;
    if (wish->is_checkpoint)
        return find_checkpoint(source, wish, place, fault);
    const enum hdf5_found found = hdf5_state_steps(source, &steps, &count, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: there are no frames of boids in it", wish->name);
    const bool is_good = found == HDF5_FOUND && choose(source, place, steps, count, wish, fault);
    free(steps);
    return is_good;
}

bool hdf5_snapshot_rows(struct rows *rows, uint64_t *step, const struct rows_wish *wish, struct fault *fault)
{
    struct hdf5_source source;
    struct hdf5_place place = {0};
    const enum hdf5_found found = hdf5_source_open(&source, wish->path, wish->name, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: it cannot be opened as HDF5", wish->name);
    if (found != HDF5_FOUND)
        return false;
    const bool is_good =
        hdf5_snapshot_find(&source, wish, &place, fault) && read_rows(rows, &source, &place, fault);
    hdf5_source_close(&source);
    *step = is_good ? place.step : 0;
    return is_good;
}
