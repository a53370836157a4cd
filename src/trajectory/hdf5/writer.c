/* Frames on their way into an HDF5 file, and when they are safe in it. layout.c says what the file looks like; the
 * rooms named hdf5 alone know HDF5.
 *
 * Nothing flushed is ever lost. A frame is whole when its step is 0 or more; until then that reads -1, the fill value.
 * One flush hands the datasets to the system in no promised order, so it takes two: the frames first, then, once they
 * are there, their steps. Each flush leaves a file that any reader opens, at whichever write it is cut off: driver.c
 * sees to the order. So whenever the program is killed, no frame is torn and none that was flushed is missing.
 *
 * After a failed write the library cannot close the file without crashing. So nothing is closed then: the handles are
 * left to the end of the process, and the file stays as it was at the last flush.
 */
#include "writer.h"
#include "state.h"
#include "trajectory/format.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK_BYTES = 128 << 10 };

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

hid_t hdf5_keep(struct hdf5_writer *w, hid_t result)
{
    if (result < 0 && !w->has_failed) {
        w->has_failed = true;
        w->error = errno;
    }
    return result;
}

bool hdf5_report(const struct hdf5_writer *w, struct fault *fault)
{
    if (!w->has_failed)
        return true;
    return fault_fail(fault, "%s: %s; what was flushed can be read in %s.part", w->part.given,
                      w->error ? strerror(w->error) : "HDF5 cannot write it", w->part.given);
}

/* Opening. */

/* What cannot be read may still be mended by somebody. */
static bool refuse_unreadable(const struct fault *found, struct fault *fault)
{
    static const char way_out[] = "--force begins anew";
    return found->status == FAULT_FAILED ? fault_fail(fault, "%s; %s", found->sentence, way_out)
                                         : fault_refuse(fault, "%s; %s", found->sentence, way_out);
}

static bool count_in_part(const struct part *part, uint64_t *frames, struct fault *fault)
{
    struct fault found = {0};
    char name[4096];
    snprintf(name, sizeof name, "%s.part", part->given);
    return hdf5_state_count(part->path, name, frames, &found) || refuse_unreadable(&found, fault);
}

bool hdf5_check_resumable(const struct part *part, struct fault *fault)
{
    uint64_t frames = 0;
    if (access(part->path, F_OK) == 0 && !count_in_part(part, &frames, fault))
        return false;
    return frames == 0 || fault_refuse(fault,
                                       "%s.part holds %" PRIu64 " frame%s of a run that was stopped; "
                                       "--resume %s continues it, --force begins anew",
                                       part->given, frames, frames == 1 ? "" : "s", part->given);
}

static hsize_t frames_in_block(const struct hdf5_writer *w)
{
    const size_t number = w->about->is_single ? sizeof(float) : sizeof(double);
    const size_t frame = w->about->boids * (size_t)w->dims * number;
    hsize_t block = 1;
    while (w->about->compression == 0 && block < HDF5_LINE_CHUNK && 2 * block * frame <= CHUNK_BYTES)
        block *= 2;
    return block;
}

void hdf5_writer_free(struct hdf5_writer *w)
{
    if (w->lock >= 0)
        close(w->lock);
    part_free(&w->part);
    free(w->observables);
    free(w->checkpoint.latest);
    free(w->buffer);
    free(w);
}

static bool has_memory(const struct hdf5_writer *w)
{
    return w->observables && w->buffer && (w->checkpoint.latest || !w->about->is_rounded);
}

static struct hdf5_writer *make_writer(const struct trajectory_about *about)
{
    struct hdf5_writer *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    const size_t agents = about->boids + about->predators;
    w->about = about;
    w->lock = -1;
    w->edges = -1;
    w->dims = (hsize_t)about->h5_dims;
    w->block = frames_in_block(w);
    w->observables = calloc(about->observable_count + 1, sizeof *w->observables);
    w->buffer = malloc(agents * (size_t)w->dims * sizeof *w->buffer);
    w->checkpoint.latest = about->is_rounded ? malloc(agents * sizeof *w->checkpoint.latest) : NULL;
    if (has_memory(w))
        return w;
    hdf5_writer_free(w);
    return NULL;
}

struct hdf5_writer *hdf5_writer_make(const char *path, const struct trajectory_about *about,
                                     struct fault *fault)
{
    struct hdf5_writer *w = make_writer(about);
    if (!w) {
        fault_fail(fault, "%s: there is no memory to write it", path);
        return NULL;
    }
    hdf5_quieten();
    w->type = about->is_single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    if (part_choose(&w->part, path, fault))
        return w;
    hdf5_writer_free(w);
    return NULL;
}

static void *hdf5_open(const char *path, const struct trajectory_about *about, struct fault *fault)
{
    struct hdf5_writer *w = hdf5_writer_make(path, about, fault);
    if (!w)
        return NULL;
    w->lock = part_open(&w->part, fault);
    if (w->lock >= 0) {
        hdf5_create(w, w->lock);
        if (hdf5_report(w, fault))
            return w;
    }
    hdf5_writer_free(w);
    return NULL;
}

/* Writing. */

/* A line of steps has one dimension; the library does not look at the others. */
static void set_extent(struct hdf5_writer *w, hid_t set, hsize_t rows, hsize_t frames)
{
    const hsize_t size[HDF5_DIMS] = {frames, rows, w->dims};
    hdf5_keep(w, H5Dset_extent(set, size));
}

static void set_extents(struct hdf5_writer *w, hsize_t frames)
{
    for (int g = 0; g < w->group_count; g++) {
        set_extent(w, w->groups[g].position, w->groups[g].count, frames);
        set_extent(w, w->groups[g].velocity, w->groups[g].count, frames);
    }
    if (w->edges >= 0)
        set_extent(w, w->edges, w->dims, frames);
    for (size_t i = 0; i < w->about->observable_count; i++)
        set_extent(w, w->observables[i], 1, frames);
    set_extent(w, w->time, 1, frames);
    set_extent(w, w->step, 1, frames);
    w->extent = frames;
}

void hdf5_write_slab(struct hdf5_writer *w, hid_t set, int rank, const hsize_t *start, const hsize_t *count,
                     hid_t type, const void *values)
{
    hid_t there = hdf5_keep(w, H5Dget_space(set));
    hid_t here = hdf5_keep(w, H5Screate_simple(rank, count, NULL));
    hdf5_keep(w, H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL));
    hdf5_keep(w, H5Dwrite(set, type, here, there, H5P_DEFAULT, values));
    hdf5_keep(w, H5Sclose(here));
    hdf5_keep(w, H5Sclose(there));
}

/* The frame in hand's part of a dataset. */
static void write_part(struct hdf5_writer *w, hid_t set, int rank, hsize_t rows, hid_t type,
                       const void *values)
{
    const hsize_t start[HDF5_DIMS] = {w->frames, 0, 0};
    const hsize_t count[HDF5_DIMS] = {1, rows, w->dims};
    hdf5_write_slab(w, set, rank, start, count, type, values);
}

static void write_number(struct hdf5_writer *w, hid_t line, double number)
{
    write_part(w, line, 1, 1, H5T_NATIVE_DOUBLE, &number);
}

/* Say that the frames before this one are whole. */
static void mark_frames(struct hdf5_writer *w)
{
    const hsize_t count = w->frames - w->marked;
    if (count > 0)
        hdf5_write_slab(w, w->step, 1, &w->marked, &count, H5T_NATIVE_INT64, w->pending);
    w->marked = w->frames;
}

static void write_pairs(struct hdf5_writer *w, const struct hdf5_group *group, hid_t set,
                        const struct agent *agents, bool is_velocity)
{
    double *to = w->buffer;
    for (size_t i = 0; i < group->count; i++) {
        *to++ = is_velocity ? agents[i].vx : agents[i].x;
        *to++ = is_velocity ? agents[i].vy : agents[i].y;
        if (w->dims == HDF5_DIMS)
            *to++ = 0;
    }
    write_part(w, set, HDF5_DIMS, group->count, H5T_NATIVE_DOUBLE, w->buffer);
}

static void write_frame(struct hdf5_writer *w, const struct frame *frame)
{
    const double edges[HDF5_DIMS][HDF5_DIMS] = {{w->about->width, 0, 0}, {0, w->about->height, 0}, {0, 0, 1}};
    if (w->frames == w->extent)
        set_extents(w, w->extent + w->block);
    for (int g = 0; g < w->group_count; g++) {
        const struct hdf5_group *group = &w->groups[g];
        write_pairs(w, group, group->position, frame->agents + group->first, false);
        write_pairs(w, group, group->velocity, frame->agents + group->first, true);
    }
    if (w->edges >= 0)
        write_part(w, w->edges, HDF5_DIMS, w->dims, H5T_NATIVE_DOUBLE, edges);
    for (size_t i = 0; i < w->about->observable_count; i++)
        write_number(w, w->observables[i], frame->observables ? frame->observables[i] : NAN);
    write_number(w, w->time, (double)frame->step);
    hdf5_checkpoint_note(w, frame);
    w->pending[w->frames - w->marked] = (int64_t)frame->step;
    w->frames++;
}

static void flush_file(struct hdf5_writer *w)
{
    hdf5_keep(w, H5Fflush(w->file, H5F_SCOPE_LOCAL));
}

static void flush_frames(struct hdf5_writer *w)
{
    hdf5_checkpoint_write(w);
    flush_file(w);
    if (w->has_failed || w->marked == w->frames)
        return;
    if (w->about->is_rounded) {
        hdf5_checkpoint_mark(w);
        flush_file(w);
    }
    mark_frames(w);
    flush_file(w);
}

bool hdf5_flush(struct hdf5_writer *w, struct fault *fault)
{
    errno = 0;
    flush_frames(w);
    w->flushed = clock_seconds();
    return hdf5_report(w, fault);
}

bool hdf5_write(void *writer, const struct frame *frame, struct fault *fault)
{
    struct hdf5_writer *w = writer;
    errno = 0;
    if (!w->has_failed)
        write_frame(w, frame);
    if (!hdf5_report(w, fault))
        return false;
    const bool is_due = w->frames == 1 || w->frames - w->marked == HDF5_MOST_PENDING ||
                        clock_seconds() - w->flushed >= w->about->flush_seconds;
    return !is_due || hdf5_flush(w, fault);
}

static bool hdf5_is_closed(const void *writer)
{
    (void)writer;
    return false;
}

static void close_file(struct hdf5_writer *w)
{
    if (w->extent != w->frames)
        set_extents(w, w->frames);
    flush_frames(w);
    if (w->about->is_rounded) {
        hdf5_checkpoint_settle(w);
        flush_file(w);
    }
    if (w->has_failed)
        return;
    for (int g = 0; g < w->group_count; g++) {
        hdf5_keep(w, H5Dclose(w->groups[g].position));
        hdf5_keep(w, H5Dclose(w->groups[g].velocity));
    }
    if (w->edges >= 0)
        hdf5_keep(w, H5Dclose(w->edges));
    for (size_t i = 0; i < w->about->observable_count; i++)
        hdf5_keep(w, H5Dclose(w->observables[i]));
    hdf5_keep(w, H5Dclose(w->time));
    hdf5_keep(w, H5Dclose(w->step));
    /* All was flushed, so closing has nothing left to write, and nothing to fail at. */
    if (!w->has_failed)
        hdf5_keep(w, H5Fclose(w->file));
}

static bool hdf5_close(void *writer, bool is_complete, struct fault *fault)
{
    struct hdf5_writer *w = writer;
    bool is_good = !w->has_failed;
    errno = 0;
    if (is_good) {
        close_file(w);
        is_good = hdf5_report(w, fault);
    }
    if (is_good && is_complete)
        is_good = part_rename(&w->part, w->lock, fault);
    hdf5_writer_free(w);
    return is_good;
}

const struct format format_hdf5 = {hdf5_open, hdf5_write, hdf5_is_closed, hdf5_close};
