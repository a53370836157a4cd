/* Selects the state that a request asks for, and reads the initial state and the last state in full precision.
 * h5md_layout.c and writer.c write these states.
 *
 * The initial state is stored separately if no frame contains it in full. This is the case if frames are rounded to
 * float32 and the run is not float32, if the first frame is at a later step, or if frames lack some boids or fields.
 *
 *     /checkpoint/initial      [N, 4]   x, y, vx, vy of the boids, then of the predators
 *     /checkpoint/initial_step [1]      its step; files of 0.1.0 have no such dataset, and the step is 0
 *     /checkpoint/initial_id   [N]      only if some of the boids are not in the frames
 *     /checkpoint/initial_hash [1]      hash of the three datasets above
 *
 * A run cannot be resumed from rounded frames. So a file with rounded frames also contains one state in full precision:
 * the state of the newest frame whose step is a multiple of output.every. It is in one of two slots:
 *
 *     /checkpoint/state        [2, N, 4]   x, y, vx, vy in each slot
 *     /checkpoint/step         [2]         step of each slot; -1: the slot is empty
 *     /checkpoint/hash         [2]         hash of the step and the numbers of each slot
 *
 * A flush first fills the older slot. It then writes the step of this slot, which commits the slot, and then commits
 * the frame. So if the program is killed at any time, the newest slot at or before the last complete frame belongs to
 * that frame. Which slot is newer depends on the times of the flushes. To make equal runs give equal files, both slots
 * get the same contents at the end of a run.
 */
#include "h5_trajectory.h"
#include "input_trajectory.h"

#include <inttypes.h>
#include <stdlib.h>

static bool refuse_contents(const struct h5_run *run, const char *path)
{
    return h5_file_refuse(&run->file, "/%s is not what boids writes", path);
}

/* Finding. */

bool h5_checkpoint_find_initial(const struct h5_run *run, uint64_t *step)
{
    static const char path[] = "checkpoint/initial_step";
    hsize_t count = 0;
    *step = 0;
    if (!h5_file_has(&run->file, "checkpoint/initial"))
        return false;
    int64_t *steps = h5_read_integers(&run->file, path, &count);
    const bool is_right = steps && count == 1 && steps[0] >= 0 && steps[0] <= (int64_t)MAX_STEP;
    if (is_right)
        *step = (uint64_t)steps[0];
    else if (steps)
        refuse_contents(run, path);
    free(steps);
    return !h5_file_has_failed(&run->file);
}

/* A slot of the checkpoint. */
struct slot {
    hsize_t number;
    uint64_t step;
};

/* Find the newest checkpoint at or before `step`. */
static bool find_slot(const struct h5_run *run, int64_t step, struct slot *slot)
{
    hsize_t slots;
    int64_t newest = -1;
    int64_t *steps = h5_read_integers(&run->file, "checkpoint/step", &slots);
    for (hsize_t i = 0; i < slots && i < HDF5_SLOTS; i++) {
        if (steps[i] > newest && steps[i] <= step) {
            newest = steps[i];
            *slot = (struct slot){i, (uint64_t)newest};
        }
    }
    free(steps);
    return newest >= 0;
}

bool h5_checkpoint_exists(const struct h5_run *run, uint64_t step)
{
    struct slot unused;
    return find_slot(run, (int64_t)step, &unused);
}

/* Reading. */

/* `ids` NULL: the ids of the frames. */
static int64_t id_of(const struct h5_run *run, const int64_t *ids, size_t i)
{
    const struct h5_species *boids = &run->species[HDF5_BOIDS];
    if (ids)
        return ids[i];
    return i < boids->count ? boids->ids[i] : run->species[HDF5_PREDATORS].ids[i - boids->count];
}

/* Read `count` agents from a dataset of [N, 4] numbers (rank 2), or from a slot of a dataset of [2, N, 4] numbers (rank 3).
 * Add them to the hash and, unless `rows` is NULL, to `rows`. */
static bool read_agents(const struct h5_run *run, const struct h5_dataset *set, hsize_t slot, size_t count,
                        const int64_t *ids, struct frame *rows, uint64_t *hash)
{
    struct agent agents[1024];
    const size_t predators = run->species[HDF5_PREDATORS].count, room = sizeof agents / sizeof *agents;
    if (set->size[set->rank - 2] != count || set->size[set->rank - 1] != HDF5_NUMBERS)
        return refuse_contents(run, set->path);
    for (size_t first = 0, n; first < count; first += n) {
        n = count - first < room ? count - first : room;
        if (!h5_dataset_read(set, slot, first, n, agents))
            return false;
        *hash += h5_hash_agents(run->hashes.arithmetic, first, n, agents);
        for (size_t i = first; rows && i < first + n; i++)
            if (!h5_run_add_agent(run, rows, &agents[i - first], id_of(run, ids, i), i + predators >= count))
                return false;
    }
    return true;
}

/* Compare a hash with the one that is stored at `path`. */
static bool check_hash(const struct h5_run *run, const char *path, hsize_t slot, uint64_t hash)
{
    struct h5_dataset set;
    uint64_t written;
    if (!run->hashes.exist)
        return true;
    const bool is_same = h5_dataset_open(&set, &run->file, path, HDF5_BITS, 1) &&
                         h5_dataset_read(&set, 0, slot, 1, &written) && hash == written;
    h5_dataset_close(&set);
    return is_same ||
           h5_file_damaged(&run->file, "the step or the ids of /%s are not those that were written", path);
}

/* Read the state at `step`: a slot or, if that is NULL, the initial state. If output.boids leaves boids out of the frames, the initial state
 * has more agents than a frame, and their ids are stored with it. `rows` may be NULL. */
static bool read_state(struct h5_run *run, uint64_t step, const struct slot *slot, struct frame *rows)
{
    const char *path = slot ? "checkpoint/state" : "checkpoint/initial";
    struct h5_dataset set;
    hsize_t count;
    uint64_t hash = 0;
    if (!h5_run_read_hashes(run))
        return false;
    int64_t *ids = slot ? NULL : h5_read_integers(&run->file, "checkpoint/initial_id", &count);
    count = ids ? count : run->agents;
    if (h5_file_has_failed(&run->file))
        return false;
    const bool is_read =
        (h5_dataset_open(&set, &run->file, path, HDF5_REAL, slot ? 3 : 2) ||
         h5_file_refuse(&run->file, "/%s is missing, although the dataset of its step is present", path)) &&
        read_agents(run, &set, slot ? slot->number : 0, (size_t)count, ids, rows, &hash);
    h5_dataset_close(&set);
    hash = h5_hash_id(hash, (int64_t)step);
    for (size_t i = 0; ids && i < count; i++)
        hash = h5_hash_id(hash, ids[i]);
    free(ids);
    return is_read && check_hash(run, slot ? "checkpoint/hash" : "checkpoint/initial_hash",
                                 slot ? slot->number : 0, hash);
}

bool h5_checkpoint_check(struct h5_run *run)
{
    const struct h5_series *frames = &run->frames;
    const int64_t last = frames->committed_count > 0 ? frames->steps[frames->committed_count - 1] : -1;
    uint64_t initial_step;
    struct slot slot;
    return (!h5_checkpoint_find_initial(run, &initial_step) || read_state(run, initial_step, NULL, NULL)) &&
           (!find_slot(run, last, &slot) || read_state(run, slot.step, &slot, NULL)) &&
           !h5_file_has_failed(&run->file);
}

/* Requests. */

static bool read_checkpoint(struct h5_run *run, const struct frame_request *request, struct frame *rows)
{
    struct slot slot = {0};
    const bool is_good = find_slot(run, (int64_t)request->step, &slot) && h5_run_open_frames(run) &&
                         read_state(run, slot.step, &slot, rows);
    rows->step = slot.step;
    return is_good;
}

/* Find the frame that a request asks for. `row` is -1 for the initial state that is stored separately. */
static bool find_frame(struct h5_run *run, const struct frame_request *request, int64_t *row, uint64_t *step)
{
    const struct h5_series *frames = &run->frames;
    uint64_t initial_step;
    if (!h5_run_read_steps(run))
        return h5_file_refuse(&run->file, "contains no frames of boids" READS_TRACKS);
    const bool has_initial = h5_checkpoint_find_initial(run, &initial_step);
    if (h5_file_has_failed(&run->file))
        return false;
    int64_t first = INT64_MAX, last = -1; /* first and last step of the frames */
    *row = -1;
    for (hsize_t i = 0; i < frames->count; i++) {
        const int64_t found = frames->steps[i];
        if (found < 0)
            continue;
        if (request->wants_initial ? last < 0 : request->wants_last || (uint64_t)found == request->step)
            *row = (int64_t)i;
        first = found < first ? found : first;
        last = found > last ? found : last;
    }
    *step = request->wants_last || request->wants_initial ? (uint64_t)(*row < 0 ? -1 : frames->steps[*row])
                                                          : request->step;
    /* A separately stored initial state is used instead of the frame of the same step, unless the first row is
     * missing. Rows are written in order, so a missing first row means that the file is damaged. */
    const bool has_lost_row = last >= 0 && frames->steps[0] < 0;
    if (has_initial && !has_lost_row && (request->wants_initial || *step == initial_step)) {
        *row = -1;
        *step = initial_step;
        return true;
    }
    if (last < 0)
        return h5_file_refuse(&run->file, "it contains no complete frame");
    if (*row < 0)
        return h5_file_refuse(&run->file,
                              "step %" PRIu64 " is not in it; its steps go from %" PRId64 " to %" PRId64,
                              request->step, first, last);
    return !request->is_rounded ||
           h5_file_refuse(
               &run->file,
               "its frames are rounded or unwrapped, and it does not contain frame 0 in full precision");
}

/* Read a frame on unwrapped paths, and move its agents into the world. This loses digits, so the state in full precision
 * is read instead if it has the same step. */
static bool read_wrapped(struct h5_run *run, hsize_t row, struct frame *rows)
{
    struct slot slot;
    struct config config;
    if (find_slot(run, (int64_t)rows->step, &slot) && slot.step == rows->step)
        return read_state(run, rows->step, &slot, rows);
    if (!h5_run_read_frame(run, row, rows))
        return false;
    char *text = h5_run_read_config(run);
    const bool is_read = text && config_read_stored(&config, run->file.name, text, run->file.error);
    free(text);
    for (size_t i = 0; is_read && i < rows->boids + rows->predators; i++)
        agent_wrap(&rows->agents[i], &config.model.world);
    return is_read || h5_file_refuse(&run->file, "it has no world for its unwrapped positions");
}

static bool read_frame(struct h5_run *run, const struct frame_request *request, struct frame *rows)
{
    int64_t row = -1;
    if (!find_frame(run, request, &row, &rows->step) || !h5_run_open_frames(run))
        return false;
    if (row < 0)
        return read_state(run, rows->step, NULL, rows);
    return h5_run_check_whole(run, "no run can begin from its frames") &&
           (run->fields & CONFIG_UNWRAPPED && !request->is_as_stored
                ? read_wrapped(run, (hsize_t)row, rows)
                : h5_run_read_frame(run, (hsize_t)row, rows));
}

bool h5_read_frame(struct frame *state, const struct frame_request *request, struct error *error)
{
    struct h5_run own = {0};
    struct h5_run *run = request->run ? request->run : &own;
    bool is_good = request->run || h5_run_open_or_refuse(run, request->path, error);
    run->file.error = error;
    is_good = is_good && (request->is_checkpoint ? read_checkpoint : read_frame)(run, request, state);
    h5_run_close(&own);
    return is_good;
}
