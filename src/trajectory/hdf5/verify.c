/* Whatever reads a trajectory holds it against its hashes on the way (proof.h). So there is nothing to do here but to read
 * everything. */
#include "verify.h"

#include "apart.h"
#include "config.h"
#include "observable.h"
#include "past.h"
#include "read.h"
#include "state.h"

#include <stdlib.h>

/* What an open file is read into. */
struct reading {
    struct hdf5_source source;
    struct hdf5_state state;
    struct hdf5_observables observables;
    struct agent *agents;
    size_t agent_count;
    struct trajectory_wanted wanted;
    bool is_wanted_known;
};

/* Before anything is held against anything: else damage would be taken for something that was never a trajectory. */
static bool open_proven(struct hdf5_source *source, const char *path, struct fault *fault)
{
    struct hdf5_proof proof;
    const enum hdf5_found found = hdf5_source_open(source, path, path, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: it cannot be opened as HDF5, and nothing else carries hashes", path);
    if (found != HDF5_FOUND) {
        fault->status = FAULT_REFUSED;
        return false;
    }
    /* As little is known of a file whose root cannot be read: one that was only begun looks so. */
    if (!hdf5_config_is_ours(source, fault)) {
        fault->status = FAULT_REFUSED;
        return false;
    }
    return hdf5_proof_open(&proof, source, fault) &&
           (proof.is_there ||
            fault_refuse(fault, "%s holds no hashes: boids 0.1.0 wrote it, and it cannot be verified", path));
}

static bool read_frames(struct reading *r, struct fault *fault)
{
    const struct hdf5_kin *kin = r->state.kin;
    r->agent_count = kin[0].count + kin[1].count;
    r->agents = malloc(r->agent_count * sizeof *r->agents);
    if (!r->agents)
        return fault_fail(fault, "%s: there is no memory for a frame of it", r->source.name);
    for (hsize_t row = 0; row < r->state.proof.whole; row++)
        if (!hdf5_state_read(&r->state, row, r->agents, fault))
            return false;
    return true;
}

static bool read_observables(struct reading *r, struct fault *fault)
{
    struct hdf5_observables *observables = &r->observables;
    observables->rows = observables->proof.whole;
    for (hsize_t row = 0; row < observables->rows; row++)
        if (!hdf5_observables_read(observables, row, fault))
            return false;
    return true;
}

/* With boids left out of the frames there are more in it than in those. */
static bool read_initial(struct reading *r, struct fault *fault)
{
    int64_t *ids = NULL, step;
    size_t count;
    enum hdf5_found found = hdf5_initial_step(&r->source, &step, fault);
    if (found != HDF5_FOUND)
        return found == HDF5_ABSENT;
    const struct hdf5_place place = {HDF5_INITIAL, 0, (uint64_t)step};
    found = hdf5_initial_ids(&r->source, &ids, &count, fault);
    if (found != HDF5_FOUND)
        return found == HDF5_ABSENT && hdf5_apart_read_whole(&r->source, &place, r->agent_count, NULL,
                                                             r->agents, fault) != HDF5_FAULT;
    struct agent *agents = malloc((count + 1) * sizeof *agents);
    const bool is_good =
        agents ? hdf5_apart_read_whole(&r->source, &place, count, ids, agents, fault) != HDF5_FAULT
               : fault_fail(fault, "%s: there is no memory for a frame of it", r->source.name);
    free(agents);
    free(ids);
    return is_good;
}

/* What stands apart from the frames, if anything does. */
static bool read_checkpoint(struct reading *r, struct fault *fault)
{
    const struct hdf5_line_proof *line = &r->state.proof;
    const int64_t last = line->whole > 0 ? line->steps[line->whole - 1] : -1;
    struct hdf5_place place;
    if (!read_initial(r, fault))
        return false;
    const enum hdf5_found found = hdf5_slot_find(&r->source, last, &place, fault);
    if (found != HDF5_FOUND)
        return found == HDF5_ABSENT;
    return hdf5_apart_read_whole(&r->source, &place, r->agent_count, NULL, r->agents, fault) == HDF5_FOUND;
}

/* What the configuration asks for must be there: no hash covers what is missing as a whole. */

static bool must_have(const struct hdf5_source *source, const char *path, struct fault *fault)
{
    hid_t object;
    const enum hdf5_found found = hdf5_source_find(source, path, &object, fault);
    if (found == HDF5_FOUND)
        H5Oclose(object);
    return found == HDF5_FOUND ||
           (found == HDF5_ABSENT &&
            fault_fail(fault, "%s: it is damaged: /%s is gone, which its configuration asks for",
                       source->name, path));
}

static bool check_wanted(const struct hdf5_source *source, const struct trajectory_wanted *wanted,
                         struct fault *fault)
{
    const struct {
        bool is_wanted;
        const char *path;
    } items[] = {
        {wanted->has_observables, "hashes/observables"},  {wanted->is_rounded, "checkpoint/state"},
        {wanted->is_rounded, "checkpoint/step"},          {wanted->is_rounded, "checkpoint/hash"},
        {wanted->has_initial, "checkpoint/initial"},      {wanted->has_initial, "checkpoint/initial_step"},
        {wanted->has_initial, "checkpoint/initial_hash"}, {wanted->has_initial_ids, "checkpoint/initial_id"},
    };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (items[i].is_wanted && !must_have(source, items[i].path, fault))
            return false;
    return true;
}

static bool check_seed(const struct hdf5_source *source, uint64_t seed, struct fault *fault)
{
    uint64_t written = 0;
    hid_t attribute = H5Aopen_by_name(source->file, "parameters", "seed", H5P_DEFAULT, H5P_DEFAULT);
    const bool is_read = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_UINT64, &written) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    return (is_read && written == seed) ||
           fault_fail(fault,
                      "%s: it is damaged: the attribute seed of /parameters is not that of its configuration",
                      source->name);
}

static bool check_config(struct reading *r, trajectory_wants *wants, struct fault *fault)
{
    char *config;
    if (hdf5_config_read(&r->source, &config, fault) != HDF5_FOUND)
        return fault_fail(fault, "%s: it is damaged: its configuration is gone", r->source.name);
    r->is_wanted_known = wants(&r->wanted, config);
    free(config);
    return !r->is_wanted_known || check_seed(&r->source, r->wanted.seed, fault);
}

static bool read_all(struct reading *r, const char *const *names, size_t count, trajectory_wants *wants,
                     struct fault *fault)
{
    return check_config(r, wants, fault) && hdf5_state_open(&r->state, &r->source, fault) &&
           read_frames(r, fault) && hdf5_observables_open(&r->observables, &r->source, names, count, fault) &&
           read_observables(r, fault) && read_checkpoint(r, fault) &&
           (!r->is_wanted_known || check_wanted(&r->source, &r->wanted, fault));
}

static bool verify(struct reading *r, struct trajectory_health *health, const char *const *names,
                   size_t count, trajectory_wants *wants, struct fault *fault)
{
    const bool is_whole = read_all(r, names, count, wants, fault);
    *health = (struct trajectory_health){r->state.proof.whole, r->observables.proof.whole,
                                         r->state.proof.is_closed};
    /* It is ours: whatever it should not be by now, it was not when it was written. */
    if (!is_whole)
        fault->status = FAULT_FAILED;
    return is_whole;
}

bool trajectory_verify(struct trajectory_health *health, const char *path, const char *const *names,
                       size_t count, trajectory_wants *wants, struct fault *fault)
{
    struct reading r = {0};
    char *there = trajectory_find_either(path, fault);
    const bool is_good = there && trajectory_check_unused(there, there, fault) &&
                         open_proven(&r.source, there, fault) &&
                         verify(&r, health, names, count, wants, fault);
    hdf5_observables_close(&r.observables);
    hdf5_state_close(&r.state);
    hdf5_source_close(&r.source);
    free(r.agents);
    free(there);
    return is_good;
}
