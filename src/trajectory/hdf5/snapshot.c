/* One frame out of a file as a state to begin from. A run that is still writing the file is not disturbed: no lock is
 * taken. */
#include "snapshot.h"

#include "checkpoint.h"
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

/* Frames that are rounded do not matter to frame 0, which is there in full as well. */
static bool take_initial(const struct hdf5_source *source, struct agent *agents, size_t count,
                         const struct rows_wish *wish, struct fault *fault)
{
    const enum hdf5_found found = hdf5_initial_read(source, count, agents, fault);
    return found == HDF5_FOUND ||
           (found == HDF5_ABSENT &&
            (!wish->is_rounded ||
             fault_refuse(fault, "%s: its frames are rounded to float32 and frame 0 is not in it in full",
                          source->name)));
}

static bool read_rows(struct rows *rows, const struct hdf5_source *source, hsize_t row, bool is_first,
                      const struct rows_wish *wish, struct fault *fault)
{
    struct hdf5_state state;
    struct agent *agents = NULL;
    bool is_good = hdf5_state_open(&state, source, fault);
    const size_t count = state.kin[0].count + state.kin[1].count;
    if (is_good) {
        agents = malloc(count * sizeof *agents);
        is_good = agents || fault_fail(fault, "%s: there is no memory for a frame of it", source->name);
    }
    is_good = is_good && hdf5_state_read(&state, row, agents, fault) &&
              (!is_first || take_initial(source, agents, count, wish, fault)) &&
              hdf5_state_rows(&state, agents, rows, source->name, fault) &&
              check_finite(rows, source->name, fault);
    free(agents);
    hdf5_state_close(&state);
    return is_good;
}

static bool read_from(const struct hdf5_source *source, struct rows *rows, uint64_t *step,
                      const struct rows_wish *wish, struct fault *fault)
{
    hsize_t count = 0;
    int64_t *steps = NULL;
    const enum hdf5_found found = hdf5_state_steps(source, &steps, &count, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: there are no frames of boids in it", wish->name);
    if (found != HDF5_FOUND)
        return false;
    const int64_t row = find_frame(steps, count, wish);
    *step = row >= 0 ? (uint64_t)steps[row] : 0;
    const bool is_good =
        row >= 0 ? read_rows(rows, source, (hsize_t)row, wish->is_first || *step == 0, wish, fault)
                 : refuse_step(steps, count, wish, fault);
    free(steps);
    return is_good;
}

bool hdf5_snapshot_rows(struct rows *rows, uint64_t *step, const struct rows_wish *wish, struct fault *fault)
{
    struct hdf5_source source;
    const enum hdf5_found found = hdf5_source_open(&source, wish->path, wish->name, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: it cannot be opened as HDF5", wish->name);
    if (found != HDF5_FOUND)
        return false;
    const bool is_good = read_from(&source, rows, step, wish, fault);
    hdf5_source_close(&source);
    return is_good;
}
