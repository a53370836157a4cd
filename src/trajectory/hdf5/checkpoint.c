/* The initial state and the last state in full: where writer.c writes them, and reading.
 *
 * The initial state is stored apart from the frames if no frame holds it in full: because frames are rounded to float32 and the
 * run is not float32, because the first frame comes later, or because frames lack some boids or fields.
 *
 *     /checkpoint/initial      [N, 4]   x, y, vx, vy; boids, then predators
 *     /checkpoint/initial_step [1]      files of 0.1.0 have none: it was 0
 *     /checkpoint/initial_id   [N]      only if some of the boids are not in the frames
 *     /checkpoint/initial_hash [1]      of all of these
 *
 * A run cannot be resumed from rounded frames. Such a file also holds the newest frame of the interval in full, in one of two
 * slots:
 *
 *     /checkpoint/state        [2, N, 4]   as above
 *     /checkpoint/step         [2]         of each slot, -1: empty
 *     /checkpoint/hash         [2]         of the step and numbers of each
 *
 * A flush fills the older slot, then commits it by its step, and then commits the frame. So whenever the program is killed, the
 * newest slot that is not later than the last whole frame belongs to that frame. Which slot is newer depends on when flushes
 * came, so at the end both are made equal.
 */
#include "checkpoint.h"

#include "formats.h"

#include <stdlib.h>
#include <string.h>

static bool refuse(const struct h5_run *run, const char *path, struct fault *fault)
{
    return fault_refuse(fault, "%s: /%s is not what boids writes", run->file.name, path);
}

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
    const bool is_ours = found != HDF5_FOUND || (count == 1 && steps[0] >= 0);
    *location =
        (struct h5_location){HDF5_INITIAL, 0, found == HDF5_FOUND && is_ours ? (uint64_t)steps[0] : 0};
    free(steps);
    if (!is_ours)
        refuse(run, path, fault);
    return found == HDF5_FAULT || !is_ours ? HDF5_FAULT : HDF5_FOUND;
}

enum h5_found h5_checkpoint_read_ids(const struct h5_run *run, int64_t **ids, size_t *count,
                                     struct fault *fault)
{
    hsize_t found_count = 0;
    const enum h5_found found =
        h5_read_integers(&run->file, "checkpoint/initial_id", ids, &found_count, fault);
    *count = (size_t)found_count;
    return found;
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
    return fault_refuse(fault, "%s: its frames are rounded to float32 and there is no checkpoint in it",
                        run->file.name);
}

/* A state of N agents is a table of [N, 4] numbers, or one of the slots of [2, N, 4]. */
static enum h5_found open_state(struct h5_dataset *state, const struct h5_run *run, bool is_slot,
                                size_t count, struct fault *fault)
{
    const char *path = is_slot ? "checkpoint/state" : "checkpoint/initial";
    const enum h5_found found = h5_dataset_open(state, &run->file, path, HDF5_REAL, is_slot ? 3 : 2, fault);
    const hsize_t *size = state->size + is_slot;
    if (found == HDF5_ABSENT && is_slot)
        fault_refuse(fault, "%s: /%s is not there, though its step is", run->file.name, path);
    else if (found == HDF5_FOUND && (size[0] != count || size[1] != HDF5_NUMBERS))
        refuse(run, path, fault);
    else
        return found;
    return HDF5_FAULT;
}

/* Compare with the hash that was written with the state, of its numbers, its step and its ids. */
static bool check_hash(const struct h5_run *run, const struct h5_location *location, uint64_t hash,
                       const int64_t *ids, size_t count, struct fault *fault)
{
    const bool is_slot = location->where == HDF5_SLOT;
    const char *path = is_slot ? "checkpoint/hash" : "checkpoint/initial_hash";
    uint64_t written;
    struct h5_dataset dataset;
    enum h5_found found = h5_dataset_open(&dataset, &run->file, path, HDF5_BITS, 1, fault);
    if (found == HDF5_FOUND &&
        !h5_dataset_read(&dataset, 0, is_slot ? (hsize_t)location->row : 0, 1, &written, fault))
        found = HDF5_FAULT;
    h5_dataset_close(&dataset);
    hash = h5_hash_id(hash, (int64_t)location->step);
    for (size_t i = 0; ids && i < count; i++)
        hash = h5_hash_id(hash, ids[i]);
    if (found == HDF5_FAULT || (found == HDF5_FOUND && hash == written))
        return found == HDF5_FOUND;
    return h5_file_damaged(&run->file, fault, "what /%s is of is not what was written", path);
}

static bool read_state(struct h5_run *run, const struct h5_dataset *state, const struct h5_location *location,
                       size_t count, const int64_t *ids, struct agent *agents, size_t most,
                       struct fault *fault)
{
    const enum h5_hash_format format = h5_hash_native_format(run->hashes.arithmetic);
    uint64_t hash = 0;
    for (size_t first = 0, n; first < count; first += n) {
        n = count - first < most ? count - first : most;
        struct agent *to = most < count ? agents : agents + first;
        if (!h5_dataset_read(state, (hsize_t)location->row, first, n, &to->x, fault))
            return false;
        hash += h5_hash_agents(format, first, n, to);
    }
    return !run->hashes.is_there || check_hash(run, location, hash, ids, count, fault);
}

enum h5_found h5_checkpoint_read(struct h5_run *run, const struct h5_location *location, size_t count,
                                 const int64_t *ids, struct agent *agents, struct fault *fault)
{
    struct h5_dataset state;
    const size_t most = agents || count < HDF5_SLAB_ROWS ? count : HDF5_SLAB_ROWS;
    enum h5_found found = open_state(&state, run, location->where == HDF5_SLOT, count, fault);
    if (found == HDF5_FOUND) {
        struct agent *room = agents ? agents : malloc((most + 1) * sizeof *room);
        if (!room)
            fault_fail(fault, "%s: there is no memory for a frame of it", run->file.name);
        if (!room || !h5_run_read_hashes(run, fault) ||
            !read_state(run, &state, location, count, ids, room, most, fault))
            found = HDF5_FAULT;
        if (!agents)
            free(room);
    }
    h5_dataset_close(&state);
    return found;
}
