/* A state of N agents is a table of [N, 4] numbers, or one of the slots of [2, N, 4]. */
#include "apart.h"

#include "proof.h"
#include "read.h"

#include <stdlib.h>

enum { SLOTS = 2, NUMBERS = sizeof(struct agent) / sizeof(double) };

static const char initial_path[] = "checkpoint/initial", initial_step_path[] = "checkpoint/initial_step",
                  slots_path[] = "checkpoint/state";

/* Which there are. */

static bool refuse(const struct hdf5_source *source, const char *path, struct fault *fault)
{
    return fault_refuse(fault, "%s: /%s is not what boids writes", source->name, path);
}

static enum hdf5_found read_initial_step(const struct hdf5_source *source, int64_t *step, struct fault *fault)
{
    int64_t *steps = NULL;
    hsize_t count = 0;
    enum hdf5_found found = hdf5_read_line(source, initial_step_path, &steps, &count, fault);
    const bool is_ours = found != HDF5_FOUND || (count == 1 && steps[0] >= 0);
    *step = found == HDF5_FOUND && is_ours ? steps[0] : 0;
    free(steps);
    if (!is_ours)
        refuse(source, initial_step_path, fault);
    return found == HDF5_FAULT || !is_ours ? HDF5_FAULT : HDF5_FOUND;
}

enum hdf5_found hdf5_initial_step(const struct hdf5_source *source, int64_t *step, struct fault *fault)
{
    hid_t object;
    const enum hdf5_found found = hdf5_source_find(source, initial_path, &object, fault);
    if (found != HDF5_FOUND)
        return found;
    H5Oclose(object);
    return read_initial_step(source, step, fault);
}

enum hdf5_found hdf5_initial_ids(const struct hdf5_source *source, int64_t **ids, size_t *count,
                                 struct fault *fault)
{
    hsize_t found_count = 0;
    const enum hdf5_found found = hdf5_read_line(source, "checkpoint/initial_id", ids, &found_count, fault);
    *count = (size_t)found_count;
    return found;
}

enum hdf5_found hdf5_slot_find(const struct hdf5_source *source, int64_t step, struct hdf5_place *place,
                               struct fault *fault)
{
    hsize_t slots = 0;
    int64_t newest = -1;
    int64_t *steps = NULL;
    if (hdf5_read_line(source, "checkpoint/step", &steps, &slots, fault) == HDF5_FAULT)
        return HDF5_FAULT;
    for (hsize_t i = 0; i < slots && i < SLOTS; i++) {
        if (steps[i] > newest && steps[i] <= step) {
            newest = steps[i];
            *place = (struct hdf5_place){HDF5_SLOT, (int64_t)i, (uint64_t)newest};
        }
    }
    free(steps);
    return newest >= 0 ? HDF5_FOUND : HDF5_ABSENT;
}

bool hdf5_apart_refuse(const struct hdf5_source *source, struct fault *fault)
{
    return fault_refuse(fault, "%s: its frames are rounded to float32 and there is no checkpoint in it",
                        source->name);
}

/* One of them. */

static enum hdf5_found open_set(struct hdf5_apart *apart, const struct hdf5_source *source, size_t count,
                                struct fault *fault)
{
    const bool is_slot = apart->place.where == HDF5_SLOT;
    const char *path = is_slot ? slots_path : initial_path;
    const enum hdf5_found found = hdf5_set_open(&apart->set, source, path, HDF5_REAL, is_slot ? 3 : 2, fault);
    const hsize_t *size = apart->set.size + is_slot;
    const bool is_lost = found == HDF5_ABSENT && is_slot;
    const bool is_ours = found != HDF5_FOUND || (size[0] == count && size[1] == NUMBERS);
    if (is_lost)
        fault_refuse(fault, "%s: /%s is not there, though its step is", source->name, path);
    else if (!is_ours)
        refuse(source, path, fault);
    return is_lost || !is_ours ? HDF5_FAULT : found;
}

enum hdf5_found hdf5_apart_open(struct hdf5_apart *apart, const struct hdf5_source *source,
                                const struct hdf5_place *place, size_t count, struct fault *fault)
{
    struct hdf5_proof proof;
    *apart = (struct hdf5_apart){.place = *place};
    const enum hdf5_found found = open_set(apart, source, count, fault);
    if (found != HDF5_FOUND)
        return found;
    if (!hdf5_proof_open(&proof, source, fault))
        return HDF5_FAULT;
    apart->has_hash = proof.is_there;
    apart->words = hdf5_hash_own_words(proof.arithmetic);
    return HDF5_FOUND;
}

bool hdf5_apart_read(const struct hdf5_apart *apart, size_t first, size_t count, struct agent *agents,
                     struct fault *fault)
{
    return apart->place.where == HDF5_SLOT
               ? hdf5_read_rows(&apart->set, (hsize_t)apart->place.row, first, count, &agents->x, fault)
               : hdf5_read_table_rows(&apart->set, first, count, &agents->x, fault);
}

static const char *hash_path(const struct hdf5_apart *apart)
{
    return apart->place.where == HDF5_SLOT ? "checkpoint/hash" : "checkpoint/initial_hash";
}

enum hdf5_found hdf5_apart_hash(const struct hdf5_apart *apart, uint64_t *hash, struct fault *fault)
{
    struct hdf5_set set;
    const hsize_t row = apart->place.where == HDF5_SLOT ? (hsize_t)apart->place.row : 0;
    enum hdf5_found found = hdf5_set_open(&set, apart->set.source, hash_path(apart), HDF5_BITS, 1, fault);
    if (found == HDF5_FOUND && !hdf5_read_bits(&set, row, hash, fault))
        found = HDF5_FAULT;
    hdf5_set_close(&set);
    return found;
}

/* Against what the file says of itself (proof.h). */
bool hdf5_apart_check(const struct hdf5_apart *apart, uint64_t hash, const int64_t *ids, struct fault *fault)
{
    uint64_t written;
    if (!apart->has_hash)
        return true;
    const enum hdf5_found found = hdf5_apart_hash(apart, &written, fault);
    hash = hdf5_hash_id(hash, (int64_t)apart->place.step);
    for (size_t i = 0; ids && i < apart->set.size[0]; i++)
        hash = hdf5_hash_id(hash, ids[i]);
    if (found == HDF5_FAULT || (found == HDF5_FOUND && hash == written))
        return found == HDF5_FOUND;
    return fault_fail(fault, "%s: it is damaged: what /%s is of is not what was written",
                      apart->set.source->name, hash_path(apart));
}

void hdf5_apart_close(struct hdf5_apart *apart)
{
    hdf5_set_close(&apart->set);
}

enum hdf5_found hdf5_apart_read_whole(const struct hdf5_source *source, const struct hdf5_place *place,
                                      size_t count, const int64_t *ids, struct agent *agents,
                                      struct fault *fault)
{
    struct hdf5_apart apart;
    enum hdf5_found found = hdf5_apart_open(&apart, source, place, count, fault);
    if (found == HDF5_FOUND &&
        !(hdf5_apart_read(&apart, 0, count, agents, fault) &&
          hdf5_apart_check(&apart, hdf5_hash_agents(apart.words, 0, count, agents), ids, fault)))
        found = HDF5_FAULT;
    hdf5_apart_close(&apart);
    return found;
}
