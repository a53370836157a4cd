/* Selects the state that a request asks for, and reads the initial state and the last state in full precision.
 * layout.c and writer.c write these states.
 *
 * The initial state is stored separately if no frame contains it in full. This is so if frames are rounded to float32
 * and the run is not float32, if the first frame is at a later step, or if frames lack some boids or fields.
 *
 *     /checkpoint/initial      [N, 4]   x, y, vx, vy of the boids, then of the predators
 *     /checkpoint/initial_step [1]      its step; files of 0.1.0 have no such dataset, and the step is 0
 *     /checkpoint/initial_id   [N]      only if some of the boids are not in the frames
 *     /checkpoint/initial_hash [1]      hash of the three datasets above
 *
 * A run cannot be resumed from rounded frames. So a file with rounded frames also contains one state in full
 * precision: that of the newest frame at a multiple of output.every. It is in one of two slots:
 *
 *     /checkpoint/state        [2, N, 4]   x, y, vx, vy in each slot
 *     /checkpoint/step         [2]         step of each slot; -1: the slot is empty
 *     /checkpoint/hash         [2]         hash of the step and the numbers of each slot
 *
 * A flush first fills the older slot. It then writes the step of this slot, which commits the slot, and then commits
 * the frame. So if the program is killed at any time, the newest slot at or before the last complete frame belongs to
 * that frame. Which slot is newer depends on the times of the flushes, so both slots get the same contents at the end
 * of a run.
 */
#include "formats.h"
#include "input_trajectory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool refuse_contents(const struct h5_run *run, const char *path, struct fault *fault)
{
    return fault_refuse(fault, "%s: /%s is not what boids writes", run->file.name, path);
}

/* Finding. */

enum h5_found h5_checkpoint_find_initial(const struct h5_run *run, struct h5_location *location,
                                         struct fault *fault)
{
    static const char path[] = "checkpoint/initial_step";
    int64_t *steps = NULL;
    hsize_t count = 0;
    enum h5_found found = h5_file_has(&run->file, "checkpoint/initial", fault);
    if (found != HDF5_FOUND)
        return found;
    found = h5_read_integers(&run->file, path, &steps, &count, fault);
    *location = (struct h5_location){.where = HDF5_INITIAL};
    if (found == HDF5_FOUND && count == 1 && steps[0] >= 0 && steps[0] <= (int64_t)MAX_STEP) {
        location->step = (uint64_t)steps[0];
    } else if (found == HDF5_FOUND) {
        refuse_contents(run, path, fault);
        found = HDF5_FAULT;
    }
    free(steps);
    return found == HDF5_FAULT ? HDF5_FAULT : HDF5_FOUND;
}

enum h5_found h5_checkpoint_find_slot(const struct h5_run *run, int64_t step, struct h5_location *location,
                                      struct fault *fault)
{
    hsize_t slots = 0;
    int64_t newest = -1;
    int64_t *steps = NULL;
    if (h5_read_integers(&run->file, "checkpoint/step", &steps, &slots, fault) == HDF5_FAULT)
        return HDF5_FAULT;
    for (hsize_t i = 0; i < slots && i < HDF5_SLOTS; i++) {
        if (steps[i] > newest && steps[i] <= step) {
            newest = steps[i];
            *location = (struct h5_location){HDF5_SLOT, (int64_t)i, (uint64_t)newest};
        }
    }
    free(steps);
    return newest >= 0 ? HDF5_FOUND : HDF5_ABSENT;
}

bool h5_checkpoint_refuse_absent(const struct h5_run *run, struct fault *fault)
{
    return fault_refuse(fault, "%s: its frames are rounded to float32 and it contains no checkpoint",
                        run->file.name);
}

/* Reading. */

/* Read the initial state (a dataset of [N, 4] numbers) or one slot of the checkpoint (a dataset of [2, N, 4]
 * numbers). The state has `count` agents in the order of a frame. `ids` are the ids that are stored with the state,
 * or NULL. `agents` has room for all agents; if it is NULL, only the hash is checked. */
static bool read_state(struct h5_run *run, const struct h5_location *location, size_t count,
                       const int64_t *ids, struct agent *agents, struct fault *fault)
{
    const bool is_slot = location->where == HDF5_SLOT;
    const char *path = is_slot ? "checkpoint/state" : "checkpoint/initial";
    const size_t room = agents || count < HDF5_SLAB_ROWS ? count : HDF5_SLAB_ROWS;
    struct h5_dataset state;
    uint64_t hash = 0, written;
    if (!h5_run_read_hashes(run, fault))
        return false;
    const enum h5_hash_format format = h5_hash_native_format(run->hashes.arithmetic);
    enum h5_found found = h5_dataset_open(&state, &run->file, path, HDF5_REAL, is_slot ? 3 : 2, fault);
    if (found != HDF5_FOUND)
        return found == HDF5_ABSENT &&
               fault_refuse(fault, "%s: /%s is missing, although its step is present", run->file.name, path);
    struct agent *slab = agents ? agents : malloc((room + 1) * sizeof *slab);
    bool is_good = slab || fault_fail(fault, "%s: out of memory for one of its frames", run->file.name);
    if (is_good && (state.size[is_slot] != count || state.size[is_slot + 1] != HDF5_NUMBERS))
        is_good = refuse_contents(run, path, fault);
    for (size_t first = 0, n; is_good && first < count; first += n) {
        n = count - first < room ? count - first : room;
        is_good = h5_dataset_read(&state, (hsize_t)location->row, first, n, slab, fault);
        if (is_good)
            hash += h5_hash_agents(format, first, n, slab);
    }
    h5_dataset_close(&state);
    if (!agents)
        free(slab);
    if (!is_good || !run->hashes.is_there)
        return is_good;
    /* The stored hash covers the numbers, the step and the ids of the state. */
    path = is_slot ? "checkpoint/hash" : "checkpoint/initial_hash";
    found = h5_dataset_open(&state, &run->file, path, HDF5_BITS, 1, fault);
    if (found == HDF5_FOUND &&
        !h5_dataset_read(&state, 0, is_slot ? (hsize_t)location->row : 0, 1, &written, fault))
        found = HDF5_FAULT;
    h5_dataset_close(&state);
    hash = h5_hash_id(hash, (int64_t)location->step);
    for (size_t i = 0; ids && i < count; i++)
        hash = h5_hash_id(hash, ids[i]);
    if (found == HDF5_FAULT || (found == HDF5_FOUND && hash == written))
        return found == HDF5_FOUND;
    return h5_file_damaged(&run->file, fault, "the step or the ids of /%s are not those that were written",
                           path);
}

/* If output.boids leaves boids out of the frames, the initial state has more agents than a frame. Its ids are then
 * stored in a separate dataset. */
static bool read_initial_ids(const struct h5_run *run, int64_t **ids, hsize_t *count, struct fault *fault)
{
    const enum h5_found found = h5_read_integers(&run->file, "checkpoint/initial_id", ids, count, fault);
    if (found == HDF5_ABSENT)
        *count = run->agents;
    return found != HDF5_FAULT;
}

bool h5_checkpoint_check(struct h5_run *run, struct fault *fault)
{
    const struct h5_series *frames = &run->frames;
    struct h5_location location;
    enum h5_found found = h5_checkpoint_find_initial(run, &location, fault);
    if (found == HDF5_FOUND) {
        int64_t *ids = NULL;
        hsize_t count;
        const bool is_good = read_initial_ids(run, &ids, &count, fault) &&
                             read_state(run, &location, (size_t)count, ids, NULL, fault);
        free(ids);
        if (!is_good)
            return false;
    }
    if (found != HDF5_FAULT)
        found = h5_checkpoint_find_slot(run, frames->whole > 0 ? frames->steps[frames->whole - 1] : -1,
                                        &location, fault);
    return found == HDF5_FOUND ? read_state(run, &location, run->agents, NULL, NULL, fault)
                               : found == HDF5_ABSENT;
}

/* Find the state that a request asks for. */

static bool find_state(struct h5_run *run, struct h5_location *location, const struct frame_request *request,
                       struct fault *fault)
{
    const struct h5_series *frames = &run->frames;
    struct h5_location initial = {0};
    if (request->is_checkpoint) {
        const enum h5_found slot = h5_checkpoint_find_slot(run, (int64_t)request->step, location, fault);
        return slot == HDF5_FOUND || (slot == HDF5_ABSENT && h5_checkpoint_refuse_absent(run, fault));
    }
    enum h5_found found = h5_run_read_steps(run, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: contains no frames of boids", request->name);
    if (found != HDF5_FOUND)
        return false;
    found = h5_checkpoint_find_initial(run, &initial, fault);
    if (found == HDF5_FAULT)
        return false;
    /* The row of the requested frame. */
    *location = (struct h5_location){HDF5_IN_FRAMES, -1, 0};
    int64_t first = INT64_MAX, last = -1; /* first and last step of the frames */
    for (hsize_t i = 0; i < frames->count; i++) {
        const int64_t step = frames->steps[i];
        const bool is_wanted =
            request->is_first ? last < 0 : request->is_any || (uint64_t)step == request->step;
        if (step < 0)
            continue;
        if (is_wanted)
            *location = (struct h5_location){HDF5_IN_FRAMES, (int64_t)i, (uint64_t)step};
        first = step < first ? step : first;
        last = step > last ? step : last;
    }
    /* A separately stored initial state is used instead of the frame of the same step, unless the first row is
     * missing. Rows are written in order, so a missing first row means that the file is damaged. */
    const bool has_lost_row = last >= 0 && frames->steps[0] < 0;
    const bool is_initial_step = request->is_any ? location->row >= 0 && location->step == initial.step
                                                 : request->step == initial.step;
    if (found == HDF5_FOUND && !has_lost_row && (request->is_first || is_initial_step)) {
        *location = initial;
        return true;
    }
    if (last < 0)
        return fault_refuse(fault, "%s: it contains no complete frame", request->name);
    if (location->row < 0)
        return fault_refuse(fault,
                            "%s: step %" PRIu64 " is not in it; its steps go from %" PRId64 " to %" PRId64,
                            request->name, request->step, first, last);
    return !request->is_rounded ||
           fault_refuse(
               fault,
               "%s: its frames are rounded to float32 and it does not contain frame 0 in full precision",
               run->file.name);
}

bool h5_snapshot_rows(struct agent_list *rows, uint64_t *step, const struct frame_request *request,
                      struct fault *fault)
{
    struct h5_run own = {0};
    struct h5_run *run = request->run ? request->run : &own;
    struct h5_location location = {0};
    struct agent *agents = NULL;
    int64_t *ids = NULL;
    bool is_good = (request->run || h5_run_open_or_refuse(run, request->path, request->name, "", fault)) &&
                   find_state(run, &location, request, fault) && h5_run_open_frames(run, fault);
    hsize_t count = run->agents;
    if (is_good && location.where == HDF5_INITIAL)
        is_good = read_initial_ids(run, &ids, &count, fault);
    if (is_good) {
        agents = malloc(count * sizeof *agents);
        is_good = agents || fault_fail(fault, "%s: out of memory for one of its frames", run->file.name);
    }
    if (is_good && location.where != HDF5_IN_FRAMES)
        is_good = read_state(run, &location, (size_t)count, ids, agents, fault);
    else if (is_good)
        is_good = h5_run_check_whole(run, "no run can begin from its frames", fault) &&
                  h5_run_read_frame(run, (hsize_t)location.row, agents, run->agents, fault);
    is_good = is_good && h5_run_add_rows(run, rows, agents, ids, (size_t)count, fault);
    for (size_t i = 0; is_good && i < count; i++)
        if (!isfinite(agents[i].x) || !isfinite(agents[i].y) || !isfinite(agents[i].vx) ||
            !isfinite(agents[i].vy))
            is_good = fault_refuse(fault, "%s: id %" PRId32 " has a number that is not finite",
                                   run->file.name, rows->rows[i].id);
    free(agents);
    free(ids);
    *step = is_good ? location.step : 0;
    h5_run_close(&own);
    return is_good;
}
