/* Writing frames, and when they are safe. layout.c documents the layout of the file.
 *
 * No flushed frame is ever lost. A frame is committed when its step is 0 or more; before, it reads -1, the fill value. The
 * library writes datasets in no defined order, so a flush has two parts: first the frames, then their steps. A file that is
 * cut off at any write can be opened by any reader, because vfd.c orders the writes. So whenever the program is killed, no
 * frame is torn and no flushed frame is missing.
 *
 * After a failed write the library cannot close the file without crashing. So nothing is closed then: the process ends with
 * open handles, and the file stays as it was at the last flush.
 */
#include "writer.h"

#include "clock.h"
#include "file.h"
#include "formats.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parallel runs have a file each, but the library, which need not be built for threads, has one state. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static bool report(const struct h5_writer *w, struct fault *fault)
{
    if (!w->failure.has_failed)
        return true;
    /* The library keeps its messages per thread, and leaks them when the thread ends. */
    H5Eclear2(H5E_DEFAULT);
    const int error = w->failure.error;
    return fault_fail(fault, "%s: %s; what was flushed can be read in %s.part", w->part->given,
                      error ? strerror(error) : "HDF5 cannot write it", w->part->given);
}

static void flush_file(struct h5_writer *w)
{
    h5_keep(&w->failure, H5Fflush(w->layout.file, H5F_SCOPE_LOCAL));
}

/* Opening. */

void h5_writer_free(struct h5_writer *w)
{
    if (w->lock >= 0)
        close(w->lock);
    h5_layout_free(&w->layout);
    free(w->buffer);
    free(w);
}

/* A compressed chunk is written whole. */
static bool has_memory(struct h5_writer *w, const struct trajectory_about *about)
{
    const size_t agents = about->boids > about->predators ? about->boids : about->predators;
    w->slab = about->compression == 0 && agents > HDF5_SLAB_ROWS ? HDF5_SLAB_ROWS : agents;
    w->buffer = malloc(w->slab * 2 * (size_t)about->h5_dims * sizeof *w->buffer);
    return h5_layout_init(&w->layout, about, &w->failure) && w->buffer;
}

struct h5_writer *h5_writer_make(const struct atomic_file *part, const struct trajectory_about *about,
                                 struct fault *fault)
{
    struct h5_writer *w = calloc(1, sizeof *w);
    h5_quieten();
    if (w) {
        w->part = part;
        w->lock = -1;
        if (has_memory(w, about))
            return w;
        h5_writer_free(w);
    }
    fault_fail(fault, "%s: there is no memory to write it", part->given);
    return NULL;
}

bool h5_writer_begin(struct h5_writer *w, int descriptor, struct fault *fault)
{
    h5_layout_create(&w->layout, w->part->path, descriptor);
    const struct snapshot *initial = w->layout.about->initial;
    /* The initial state may be the only content for a long time. */
    if (initial && !w->failure.has_failed)
        flush_file(w);
    return report(w, fault);
}

static void *h5_open(const struct atomic_file *part, const struct trajectory_about *about,
                     struct fault *fault)
{
    pthread_mutex_lock(&turn);
    struct h5_writer *w = h5_writer_make(part, about, fault);
    if (w) {
        w->lock = atomic_file_open(w->part, fault);
        if (w->lock < 0 || !h5_writer_begin(w, w->lock, fault)) {
            h5_writer_free(w);
            w = NULL;
        }
    }
    pthread_mutex_unlock(&turn);
    return w;
}

/* Writing. */

/* Write some rows of the current frame to a dataset. */
static void write_part(struct h5_writer *w, hid_t set, hsize_t first, hsize_t rows, const double *values)
{
    const hsize_t start[HDF5_DIMS] = {w->frames.count, first, 0};
    const hsize_t count[HDF5_DIMS] = {1, rows, w->layout.dims};
    h5_write_slab(&w->failure, set, HDF5_DIMS, start, count, H5T_NATIVE_DOUBLE, values);
}

static void write_value(struct h5_writer *w, hid_t set, hsize_t row, hid_t type, const void *value)
{
    const hsize_t one = 1;
    h5_write_slab(&w->failure, set, 1, &row, &one, type, value);
}

static void write_observables(struct h5_writer *w, hsize_t row, const double *values)
{
    const struct h5_layout *l = &w->layout;
    uint64_t hash = 0;
    for (size_t i = 0; i < l->about->observable_count; i++) {
        const double value = values ? values[i] : NAN;
        hash += h5_hash_value(l->about->observable_names[i], value);
        write_value(w, l->observables[i], row, H5T_NATIVE_DOUBLE, &value);
    }
    if (l->about->observable_count > 0)
        write_value(w, l->hashes.observables, row, H5T_NATIVE_UINT64, &hash);
}

static void end_row(struct h5_writer *w, struct h5_rows *rows, const struct h5_time_axis *line, uint64_t step)
{
    const double time = (double)step;
    write_value(w, line->time, rows->count, H5T_NATIVE_DOUBLE, &time);
    rows->pending[rows->count - rows->committed] = (int64_t)step;
    rows->count++;
}

/* Write the steps of all rows so far. */
static void commit_rows(struct h5_writer *w, struct h5_rows *rows, const struct h5_time_axis *line)
{
    const hsize_t count = rows->count - rows->committed;
    if (count > 0)
        h5_write_slab(&w->failure, line->step, 1, &rows->committed, &count, H5T_NATIVE_INT64, rows->pending);
    rows->committed = rows->count;
}

static void put_pair(double *to, double x, double y, hsize_t dims)
{
    to[0] = x;
    to[1] = y;
    if (dims == HDF5_DIMS)
        to[2] = 0;
}

/* Each agent is loaded once for both datasets. `first` counts within the group. */
static void write_slab(struct h5_writer *w, const struct h5_particles *group, size_t first, size_t count,
                       const struct agent *agents)
{
    const hsize_t dims = w->layout.dims;
    double *positions = w->buffer, *velocities = w->buffer + count * dims;
    for (size_t i = 0; i < count; i++) {
        put_pair(positions + i * dims, agents[i].x, agents[i].y, dims);
        put_pair(velocities + i * dims, agents[i].vx, agents[i].vy, dims);
    }
    if (w->layout.about->has_positions)
        write_part(w, group->position, first, count, positions);
    if (w->layout.about->has_velocities)
        write_part(w, group->velocity, first, count, velocities);
    w->hash += h5_hash_agents(w->layout.hashes.format, group->first + first, count, agents);
}

static void write_agents(struct h5_writer *w, size_t first, size_t count, const struct agent *agents)
{
    const struct h5_particles *group = w->layout.groups;
    while (count > 0) {
        if (first >= group->first + group->count)
            group++;
        const size_t within = first - group->first, left = group->count - within;
        const size_t most = left < w->slab ? left : w->slab, n = count < most ? count : most;
        write_slab(w, group, within, n, agents);
        agents += n;
        first += n;
        count -= n;
    }
}

static void end_frame(struct h5_writer *w, const struct frame *frame)
{
    struct h5_layout *l = &w->layout;
    const double edges[HDF5_DIMS][HDF5_DIMS] = {{l->about->width, 0, 0}, {0, l->about->height, 0}, {0, 0, 1}};
    write_value(w, l->hashes.frames, w->frames.count, H5T_NATIVE_UINT64, &w->hash);
    if (l->edges >= 0)
        write_part(w, l->edges, 0, l->dims, &edges[0][0]);
    if (!l->has_samples)
        write_observables(w, w->frames.count, frame->observables);
    end_row(w, &w->frames, &l->frames, frame->step);
}

static bool has_more_slabs(const struct h5_writer *w, const struct frame *frame)
{
    return frame->count > 0 &&
           frame->first + frame->count < w->layout.about->boids + w->layout.about->predators;
}

/* A frame that comes in slabs needs no checkpoint: the run's frames are not rounded (places_take_slabs()), or it is one of an
 * earlier run (resume.c). */
static void write_frame(struct h5_writer *w, const struct frame *frame)
{
    struct h5_layout *l = &w->layout;
    if (frame->first == 0) {
        w->hash = 0;
        if (w->frames.count == l->frames.extent)
            h5_layout_extend(l, &l->frames, l->frames.extent + l->block);
    }
    write_agents(w, frame->first, frame->count > 0 ? frame->count : l->about->boids + l->about->predators,
                 frame->agents);
    if (has_more_slabs(w, frame))
        return;
    if (frame->count == 0)
        h5_checkpoint_update(&l->checkpoint, frame);
    end_frame(w, frame);
}

static void write_sample(struct h5_writer *w, const struct frame *frame)
{
    struct h5_layout *l = &w->layout;
    if (w->samples.count == l->samples.extent)
        h5_layout_extend(l, &l->samples, l->samples.extent + HDF5_AXIS_CHUNK);
    write_observables(w, w->samples.count, frame->observables);
    end_row(w, &w->samples, &l->samples, frame->step);
}

static void flush_frames(struct h5_writer *w)
{
    h5_checkpoint_write(&w->layout.checkpoint);
    flush_file(w);
    if (w->failure.has_failed ||
        (w->frames.committed == w->frames.count && w->samples.committed == w->samples.count))
        return;
    if (w->layout.about->is_rounded) {
        h5_checkpoint_commit(&w->layout.checkpoint);
        flush_file(w);
    }
    commit_rows(w, &w->frames, &w->layout.frames);
    commit_rows(w, &w->samples, &w->layout.samples);
    flush_file(w);
}

bool h5_flush(struct h5_writer *w, struct fault *fault)
{
    errno = 0;
    flush_frames(w);
    w->flushed = clock_seconds();
    return report(w, fault);
}

/* After the agents of a frame: samples, errors, flush. */
static bool finish(struct h5_writer *w, const struct frame *frame, struct fault *fault)
{
    if (!w->failure.has_failed && frame->observables && w->layout.has_samples)
        write_sample(w, frame);
    if (!report(w, fault))
        return false;
    const hsize_t frames = w->frames.count - w->frames.committed,
                  samples = w->samples.count - w->samples.committed;
    const bool is_begun = w->frames.committed > 0 || w->samples.committed > 0;
    const bool is_due = !is_begun || frames == HDF5_MOST_PENDING || samples == HDF5_MOST_PENDING ||
                        clock_seconds() - w->flushed >= w->layout.about->flush_seconds;
    return !is_due || h5_flush(w, fault);
}

bool h5_write(void *writer, const struct frame *frame, struct fault *fault)
{
    struct h5_writer *w = writer;
    pthread_mutex_lock(&turn);
    h5_quieten_thread();
    errno = 0;
    if (!w->failure.has_failed && frame->agents)
        write_frame(w, frame);
    const bool is_good = has_more_slabs(w, frame) ? report(w, fault) : finish(w, frame, fault);
    pthread_mutex_unlock(&turn);
    return is_good;
}

static void close_file(struct h5_writer *w)
{
    if (w->layout.frames.extent != w->frames.count)
        h5_layout_extend(&w->layout, &w->layout.frames, w->frames.count);
    if (w->layout.samples.extent != w->samples.count)
        h5_layout_extend(&w->layout, &w->layout.samples, w->samples.count);
    flush_frames(w);
    if (w->failure.has_failed)
        return;
    /* The slot is committed after the flush; until then the other slot is the newest. */
    if (w->layout.about->is_rounded) {
        h5_checkpoint_finalize(&w->layout.checkpoint);
        flush_file(w);
        if (!w->failure.has_failed)
            h5_checkpoint_close(&w->layout.checkpoint);
    }
    if (w->failure.has_failed)
        return;
    h5_layout_count(&w->layout, w->frames.count, w->layout.has_samples ? w->samples.count : w->frames.count);
    flush_file(w);
    /* Everything was flushed, so closing the file and all datasets writes nothing and cannot fail. */
    if (!w->failure.has_failed)
        h5_keep(&w->failure, H5Fclose(w->layout.file));
}

static bool h5_close(void *writer, bool is_complete, struct fault *fault)
{
    struct h5_writer *w = writer;
    const enum sync_when sync = w->layout.about->sync;
    pthread_mutex_lock(&turn);
    errno = 0;
    if (!w->failure.has_failed)
        close_file(w);
    const bool is_good = report(w, fault) && (is_complete ? atomic_file_commit(w->part, w->lock, sync, fault)
                                                          : atomic_file_sync(w->part, w->lock, sync, fault));
    h5_writer_free(w);
    pthread_mutex_unlock(&turn);
    return is_good;
}

const struct format format_hdf5 = {h5_open, h5_write, NULL, h5_close, true};
