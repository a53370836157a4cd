/* Where frames are rounded to float32 and the run's own numbers are not, a frame suffices neither to begin anew from nor
 * to go on from. Then a file also holds frame 0 in full, and the newest frame on the grid, in one of two slots:
 *
 *     /checkpoint/initial [N, 4]      x, y, vx, vy; boids, then predators
 *     /checkpoint/state   [2, N, 4]   likewise
 *     /checkpoint/step    [2]         of each slot, -1: empty
 *
 * A flush fills the older slot, marks it once it is there, and only then says that its frame is whole. So whenever the
 * program is killed, the newest slot that is no later than the last whole frame is that frame's. When flushes came shows
 * in which slot was last, so in the end both are made the same.
 */
#include "hdf5_read.h"
#include "hdf5_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, NUMBERS = sizeof(struct agent) / sizeof(double) };

static hid_t make_dataset(struct hdf5_writer *w, hid_t where, const char *name, hid_t type, int rank,
                          const hsize_t *size)
{
    hid_t properties = hdf5_timeless(w, H5P_DATASET_CREATE);
    hdf5_keep(w, H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
    hid_t space = hdf5_keep(w, H5Screate_simple(rank, size, NULL));
    hid_t set = hdf5_keep(w, H5Dcreate2(where, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    hdf5_keep(w, H5Sclose(space));
    hdf5_keep(w, H5Pclose(properties));
    return set;
}

static hsize_t count_agents(const struct hdf5_writer *w)
{
    return w->about->boids + w->about->predators;
}

static void put_step(struct hdf5_writer *w, hsize_t slot, int64_t step)
{
    const hsize_t one = 1;
    w->checkpoint.marked[slot] = step;
    hdf5_write_slab(w, w->checkpoint.step, 1, &slot, &one, H5T_NATIVE_INT64, &step);
}

void hdf5_checkpoint_create(struct hdf5_writer *w)
{
    const hsize_t size[] = {SLOTS, count_agents(w), NUMBERS};
    hid_t group = hdf5_make_group(w, w->file, "checkpoint");
    w->checkpoint.initial = make_dataset(w, group, "initial", H5T_IEEE_F64LE, 2, size + 1);
    w->checkpoint.state = make_dataset(w, group, "state", H5T_IEEE_F64LE, 3, size);
    w->checkpoint.step = make_dataset(w, group, "step", H5T_STD_I64LE, 1, size);
    w->checkpoint.latest_step = -1;
    for (hsize_t slot = 0; slot < SLOTS; slot++)
        put_step(w, slot, -1);
    hdf5_keep(w, H5Gclose(group));
}

static void write_initial(struct hdf5_writer *w, const struct agent *agents)
{
    const hsize_t start[] = {0, 0};
    const hsize_t count[] = {count_agents(w), NUMBERS};
    hdf5_write_slab(w, w->checkpoint.initial, 2, start, count, H5T_NATIVE_DOUBLE, agents);
}

void hdf5_checkpoint_note(struct hdf5_writer *w, const struct frame *frame)
{
    if (!w->about->is_rounded || frame->step % w->about->every != 0)
        return;
    if (frame->step == 0)
        write_initial(w, frame->agents);
    memcpy(w->checkpoint.latest, frame->agents, count_agents(w) * sizeof *frame->agents);
    w->checkpoint.latest_step = (int64_t)frame->step;
}

static hsize_t older_slot(const struct hdf5_writer *w)
{
    return w->checkpoint.marked[0] <= w->checkpoint.marked[1] ? 0 : 1;
}

static bool is_marked(const struct hdf5_writer *w)
{
    const struct hdf5_checkpoint *c = &w->checkpoint;
    return c->marked[0] == c->latest_step || c->marked[1] == c->latest_step;
}

static void write_state(struct hdf5_writer *w, hsize_t slot)
{
    static_assert(sizeof(struct agent) == NUMBERS * sizeof(double), "an agent is four doubles and no more");
    const hsize_t start[] = {slot, 0, 0};
    const hsize_t count[] = {1, count_agents(w), NUMBERS};
    hdf5_write_slab(w, w->checkpoint.state, 3, start, count, H5T_NATIVE_DOUBLE, w->checkpoint.latest);
}

void hdf5_checkpoint_write(struct hdf5_writer *w)
{
    if (w->about->is_rounded && !is_marked(w))
        write_state(w, older_slot(w));
}

void hdf5_checkpoint_mark(struct hdf5_writer *w)
{
    if (!is_marked(w))
        put_step(w, older_slot(w), w->checkpoint.latest_step);
}

void hdf5_checkpoint_settle(struct hdf5_writer *w)
{
    const hsize_t slot = older_slot(w);
    write_state(w, slot);
    put_step(w, slot, w->checkpoint.latest_step);
    hdf5_keep(w, H5Dclose(w->checkpoint.initial));
    hdf5_keep(w, H5Dclose(w->checkpoint.state));
    hdf5_keep(w, H5Dclose(w->checkpoint.step));
}

/* Reading. */

static bool has_size(hid_t space, int rank, const hsize_t *wanted)
{
    hsize_t size[HDF5_DIMS] = {0};
    return H5Sget_simple_extent_ndims(space) == rank &&
           H5Sget_simple_extent_dims(space, size, NULL) == rank &&
           memcmp(size, wanted, (size_t)rank * sizeof *size) == 0;
}

bool hdf5_initial_is_there(hid_t file)
{
    return H5Lexists(file, "checkpoint", H5P_DEFAULT) > 0 &&
           H5Lexists(file, "checkpoint/initial", H5P_DEFAULT) > 0;
}

bool hdf5_initial_read(hid_t file, size_t count, struct agent *agents)
{
    const hsize_t size[] = {count, NUMBERS};
    hid_t set = H5Dopen2(file, "checkpoint/initial", H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    const bool is_read = has_size(space, 2, size) &&
                         H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, agents) >= 0;
    H5Sclose(space);
    H5Dclose(set);
    return is_read;
}

static bool read_state(hid_t file, hsize_t slot, size_t count, struct agent *agents)
{
    const hsize_t start[] = {slot, 0, 0};
    const hsize_t part[] = {1, count, NUMBERS};
    const hsize_t size[] = {SLOTS, count, NUMBERS};
    bool is_read = false;
    hid_t set = H5Dopen2(file, "checkpoint/state", H5P_DEFAULT);
    hid_t there = H5Dget_space(set);
    hid_t here = H5Screate_simple(3, part, NULL);
    if (has_size(there, 3, size)) {
        H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, part, NULL);
        is_read = H5Dread(set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, agents) >= 0;
    }
    H5Sclose(here);
    H5Sclose(there);
    H5Dclose(set);
    return is_read;
}

int64_t hdf5_checkpoint_read(hid_t file, int64_t step, size_t count, struct agent *agents)
{
    hsize_t slots = 0;
    int64_t found = -1;
    int64_t *steps = hdf5_read_line(file, "checkpoint/step", &slots);
    hsize_t slot = 0;
    for (hsize_t i = 0; steps && i < slots && i < SLOTS; i++) {
        if (steps[i] > found && steps[i] <= step) {
            found = steps[i];
            slot = i;
        }
    }
    free(steps);
    return found >= 0 && read_state(file, slot, count, agents) ? found : -1;
}
