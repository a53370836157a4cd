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
#include "checkpoint.h"

#include "read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, NUMBERS = sizeof(struct agent) / sizeof(double) };

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

void hdf5_checkpoint_create(struct hdf5_checkpoint *c, hid_t file)
{
    const hsize_t size[] = {SLOTS, c->agents, NUMBERS};
    hid_t group = hdf5_make_group(c->failure, file, "checkpoint");
    c->initial = make_dataset(c, group, "initial", H5T_IEEE_F64LE, 2, size + 1);
    c->state = make_dataset(c, group, "state", H5T_IEEE_F64LE, 3, size);
    c->step = make_dataset(c, group, "step", H5T_STD_I64LE, 1, size);
    c->latest_step = -1;
    for (hsize_t slot = 0; slot < SLOTS; slot++)
        put_step(c, slot, -1);
    hdf5_keep(c->failure, H5Gclose(group));
}

static void write_initial(struct hdf5_checkpoint *c, const struct agent *agents)
{
    const hsize_t start[] = {0, 0};
    const hsize_t count[] = {c->agents, NUMBERS};
    hdf5_write_slab(c->failure, c->initial, 2, start, count, H5T_NATIVE_DOUBLE, agents);
}

void hdf5_checkpoint_note(struct hdf5_checkpoint *c, const struct frame *frame)
{
    if (!c->latest)
        return;
    if (!c->has_initial)
        write_initial(c, frame->agents);
    c->has_initial = true;
    if (frame->step % c->every != 0)
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

static void write_state(struct hdf5_checkpoint *c, hsize_t slot)
{
    static_assert(sizeof(struct agent) == NUMBERS * sizeof(double), "an agent is four doubles and no more");
    const hsize_t start[] = {slot, 0, 0};
    const hsize_t count[] = {1, c->agents, NUMBERS};
    hdf5_write_slab(c->failure, c->state, 3, start, count, H5T_NATIVE_DOUBLE, c->latest);
}

void hdf5_checkpoint_write(struct hdf5_checkpoint *c)
{
    if (c->latest && !is_marked(c))
        write_state(c, older_slot(c));
}

void hdf5_checkpoint_mark(struct hdf5_checkpoint *c)
{
    if (!is_marked(c))
        put_step(c, older_slot(c), c->latest_step);
}

void hdf5_checkpoint_settle(struct hdf5_checkpoint *c)
{
    const hsize_t slot = older_slot(c);
    write_state(c, slot);
    put_step(c, slot, c->latest_step);
    hdf5_keep(c->failure, H5Dclose(c->initial));
    hdf5_keep(c->failure, H5Dclose(c->state));
    hdf5_keep(c->failure, H5Dclose(c->step));
}

/* Reading. */

/* Agents in four columns: one row of three dimensions, or all of two. */
static enum hdf5_found read_agents(const struct hdf5_source *source, const char *path, int rank, hsize_t row,
                                   size_t count, struct agent *agents, struct fault *fault)
{
    struct hdf5_set set;
    enum hdf5_found found = hdf5_set_open(&set, source, path, HDF5_REAL, rank, fault);
    if (found != HDF5_FOUND)
        return found;
    const hsize_t *size = set.size + rank - 2;
    bool is_read = size[0] == count && size[1] == NUMBERS;
    if (!is_read)
        fault_refuse(fault, "%s: /%s is not what boids writes", source->name, path);
    else if (rank == 2)
        is_read = hdf5_read_table(&set, &agents->x, fault);
    else
        is_read = hdf5_read_row(&set, row, &agents->x, fault);
    hdf5_set_close(&set);
    return is_read ? HDF5_FOUND : HDF5_FAULT;
}

enum hdf5_found hdf5_initial_read(const struct hdf5_source *source, size_t count, struct agent *agents,
                                  struct fault *fault)
{
    return read_agents(source, "checkpoint/initial", 2, 0, count, agents, fault);
}

bool hdf5_checkpoint_read(const struct hdf5_source *source, int64_t step, size_t count, struct agent *agents,
                          int64_t *found, struct fault *fault)
{
    hsize_t slots = 0;
    hsize_t slot = 0;
    int64_t *steps = NULL;
    static const char state_path[] = "checkpoint/state";
    *found = -1;
    if (hdf5_read_line(source, "checkpoint/step", &steps, &slots, fault) == HDF5_FAULT)
        return false;
    for (hsize_t i = 0; i < slots && i < SLOTS; i++) {
        if (steps[i] > *found && steps[i] <= step) {
            *found = steps[i];
            slot = i;
        }
    }
    free(steps);
    if (*found < 0)
        return true;
    const enum hdf5_found state = read_agents(source, state_path, 3, slot, count, agents, fault);
    return state == HDF5_FOUND ||
           (state == HDF5_ABSENT &&
            fault_refuse(fault, "%s: /%s is not there, though its step is", source->name, state_path));
}
