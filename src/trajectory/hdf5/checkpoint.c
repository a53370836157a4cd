/* Where no frame holds the state that a run began with, because frames are rounded to float32 and the run's own numbers
 * are not, because the first frame comes later, or because they lack some boids or fields, it stands apart:
 *
 *     /checkpoint/initial      [N, 4]   x, y, vx, vy; boids, then predators
 *     /checkpoint/initial_step [1]      files of 0.1.0 have none: it was 0
 *     /checkpoint/initial_id   [N]      only where some of the boids are not in the frames
 *     /checkpoint/initial_hash [1]      of all of these
 *
 * From rounded frames a run cannot go on either. Then a file also holds the newest frame on the grid in full, in one of two
 * slots:
 *
 *     /checkpoint/state        [2, N, 4]   likewise
 *     /checkpoint/step         [2]         of each slot, -1: empty
 *     /checkpoint/hash         [2]         of the step and numbers of each
 *
 * A flush fills the older slot, marks it once it is there, and only then says that its frame is whole. So whenever the
 * program is killed, the newest slot that is no later than the last whole frame is that frame's. When flushes came shows
 * in which slot was last, so in the end both are made the same.
 */
#include "checkpoint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, NO_STEP = -1, NUMBERS = sizeof(struct agent) / sizeof(double) };

static hid_t make_dataset(struct hdf5_checkpoint *c, hid_t where, const char *name, hid_t type, int rank,
                          const hsize_t *size)
{
    hid_t properties = hdf5_timeless(c->failure, H5P_DATASET_CREATE);
    hdf5_keep(c->failure, H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
    return hdf5_make_dataset(c->failure, where, name, type, rank, size, NULL, properties, H5P_DEFAULT);
}

static void put_step(struct hdf5_checkpoint *c, hsize_t slot, int64_t step)
{
    const hsize_t one = 1;
    c->marked[slot] = step;
    hdf5_write_slab(c->failure, c->step, 1, &slot, &one, H5T_NATIVE_INT64, &step);
}

static uint64_t hash_state(enum hdf5_words words, int64_t step, size_t count, const struct agent *agents)
{
    return hdf5_hash_id(hdf5_hash_agents(words, 0, count, agents), step);
}

static void put_initial(struct hdf5_checkpoint *c, hid_t group, const struct snapshot *initial)
{
    const hsize_t start[] = {0, 0};
    const hsize_t count[] = {initial->boids + initial->predators, NUMBERS};
    const int64_t step = (int64_t)initial->step;
    hid_t state = make_dataset(c, group, "initial", H5T_IEEE_F64LE, 2, count);
    hdf5_write_slab(c->failure, state, 2, start, count, H5T_NATIVE_DOUBLE, initial->agents);
    hdf5_keep(c->failure, H5Dclose(state));
    hdf5_put_dataset(c->failure, group, "initial_step", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, 1, &step);
    uint64_t hash = hash_state(c->words, step, count[0], initial->agents);
    if (count[0] != c->agents) {
        hdf5_put_dataset(c->failure, group, "initial_id", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, count[0],
                         initial->ids);
        for (size_t i = 0; i < count[0]; i++)
            hash = hdf5_hash_id(hash, initial->ids[i]);
    }
    hdf5_put_dataset(c->failure, group, "initial_hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, 1, &hash);
}

static void make_slots(struct hdf5_checkpoint *c, hid_t group)
{
    const hsize_t size[] = {SLOTS, c->agents, NUMBERS};
    c->state = make_dataset(c, group, "state", H5T_IEEE_F64LE, 3, size);
    c->step = make_dataset(c, group, "step", H5T_STD_I64LE, 1, size);
    c->hash = make_dataset(c, group, "hash", H5T_STD_U64LE, 1, size);
    for (hsize_t slot = 0; slot < SLOTS; slot++)
        put_step(c, slot, NO_STEP);
}

void hdf5_checkpoint_create(struct hdf5_checkpoint *c, hid_t file, const struct snapshot *initial)
{
    c->latest_step = NO_STEP;
    if (!initial && !c->has_slots)
        return;
    hid_t group = hdf5_make_group(c->failure, file, "checkpoint");
    if (initial)
        put_initial(c, group, initial);
    if (c->has_slots)
        make_slots(c, group);
    hdf5_keep(c->failure, H5Gclose(group));
}

bool hdf5_checkpoint_keeps(const struct hdf5_checkpoint *c, const struct frame *frame)
{
    return c->has_slots && cadence_has(c->frame_steps, frame->step);
}

void hdf5_checkpoint_note(struct hdf5_checkpoint *c, const struct frame *frame)
{
    if (!hdf5_checkpoint_keeps(c, frame))
        return;
    memcpy(c->latest, frame->agents, c->agents * sizeof *frame->agents);
    c->latest_step = (int64_t)frame->step;
}

static hsize_t older_slot(const struct hdf5_checkpoint *c)
{
    return c->marked[0] <= c->marked[1] ? 0 : 1;
}

static bool is_marked(const struct hdf5_checkpoint *c)
{
    return c->marked[0] == c->latest_step || c->marked[1] == c->latest_step;
}

/* The agents of a state from `first` on. */
static void write_some(struct hdf5_checkpoint *c, hsize_t slot, size_t first, size_t count,
                       const struct agent *agents)
{
    const hsize_t start[] = {slot, first, 0};
    const hsize_t size[] = {1, count, NUMBERS};
    hdf5_write_slab(c->failure, c->state, 3, start, size, H5T_NATIVE_DOUBLE, agents);
}

/* Returns the hash of the agents. */
static uint64_t write_agents(struct hdf5_checkpoint *c, hsize_t slot)
{
    write_some(c, slot, 0, c->agents, c->latest);
    return hdf5_hash_agents(c->words, 0, c->agents, c->latest);
}

static void put_hash(struct hdf5_checkpoint *c, hsize_t slot, uint64_t hash_of_agents)
{
    const hsize_t one = 1;
    const uint64_t hash = hdf5_hash_id(hash_of_agents, c->latest_step);
    hdf5_write_slab(c->failure, c->hash, 1, &slot, &one, H5T_NATIVE_UINT64, &hash);
}

static void write_state(struct hdf5_checkpoint *c, hsize_t slot)
{
    put_hash(c, slot, write_agents(c, slot));
}

/* States of an earlier run. */

void hdf5_checkpoint_copy_latest(struct hdf5_checkpoint *c, size_t first, size_t count,
                                 const struct agent *agents)
{
    write_some(c, 0, first, count, agents);
    memcpy(c->latest + first, agents, count * sizeof *agents);
}

void hdf5_checkpoint_mark_copy(struct hdf5_checkpoint *c, uint64_t step, uint64_t hash)
{
    c->latest_step = (int64_t)step;
    put_hash(c, 0, hash);
    put_step(c, 0, c->latest_step);
}

void hdf5_checkpoint_write(struct hdf5_checkpoint *c)
{
    if (c->has_slots && !is_marked(c))
        write_state(c, older_slot(c));
}

void hdf5_checkpoint_mark(struct hdf5_checkpoint *c)
{
    if (!is_marked(c))
        put_step(c, older_slot(c), c->latest_step);
}

void hdf5_checkpoint_settle(struct hdf5_checkpoint *c)
{
    if (c->latest_step == NO_STEP)
        return;
    write_state(c, older_slot(c));
}

void hdf5_checkpoint_close(struct hdf5_checkpoint *c)
{
    if (c->latest_step != NO_STEP)
        put_step(c, older_slot(c), c->latest_step);
    hdf5_keep(c->failure, H5Dclose(c->state));
    hdf5_keep(c->failure, H5Dclose(c->step));
    hdf5_keep(c->failure, H5Dclose(c->hash));
}
