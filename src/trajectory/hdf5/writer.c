/* Writing and committing frames. h5md_layout.c documents the layout of the file.
 *
 * No flushed frame is ever lost. A frame is committed when its step is 0 or more; until then, the step is the fill
 * value -1. The library writes datasets in no defined order, so a flush has two parts: it writes first the frames,
 * then their steps. Because ordered_vfd.c orders the writes, every reader can open the file after any write. So if the
 * program is killed at any time, no frame is incomplete and no flushed frame is missing.
 *
 * After a failed write, the library would crash when it closes the file. So the writer closes no more HDF5 objects. The
 * process ends with open handles, and the file stays as it was at the last flush.
 */
#include "writer.h"

#include "base/clock.h"
#include "h5_trajectory.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parallel runs write different files, but the library has global state and may not be thread-safe. So only one
 * thread at a time calls it. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static struct h5_guard begin_turn(const struct atomic_file *part)
{
    pthread_mutex_lock(&turn);
    return h5_guard_begin(part->given, 0);
}

static void end_turn(struct h5_guard outer)
{
    h5_guard_end(outer);
    pthread_mutex_unlock(&turn);
}

static bool report(const struct h5_writer *w, struct error *error)
{
    char first;
    if (!w->has_failed)
        return true;
    /* The library stores its messages per thread and does not free them when the thread ends. */
    H5Eclear2(H5E_DEFAULT);
    const char *why = w->error ? strerror(w->error) : "HDF5 cannot write it";
    /* The superblock is written last, so a file without it contains nothing. */
    if (pread(w->lock, &first, 1, 0) < 1 || first == '\0')
        return error_fail(error, "%s: %s; nothing was written, so repeat the command", w->part->given, why);
    return error_fail(error, "%s: %s; all flushed frames can be read in %s.part", w->part->given, why,
                      w->part->given);
}

static void flush_file(struct h5_writer *w)
{
    h5_check(w, H5Fflush(w->file, H5F_SCOPE_LOCAL));
}

/* Opening. */

void h5_writer_free(struct h5_writer *w)
{
    if (w->lock >= 0)
        close(w->lock);
    free(w->observables);
    free(w->frames.columns);
    free(w->samples.columns);
    free(w->latest);
    for (int f = 0; f < HDF5_FIELDS; f++) {
        free(w->buffers[f]);
        free(w->kept_vectors[f]);
    }
    chunk_deflate_free(w->deflate);
    free(w);
}

/* Choose the size of chunks, and how many frames are kept. A chunk takes its full space in the file, so a short run has small chunks.
 * To use a few new pages of memory takes as long as a call of the library, so few bytes are kept. */
static void choose_chunks(struct h5_writer *w)
{
    enum { CHUNK_BYTES = 128 << 10, KEPT_BYTES = 64 << 10 };
    const struct trajectory_metadata *about = w->about;
    uint64_t most = HDF5_AXIS_CHUNK;
    w->frames.total = about->frames;
    if (about->frames > 0) {
        const uint64_t last = interval_step(about->frame_steps, about->frames - 1);
        w->samples.total = about->observable_count > 0 ? interval_count(about->measured_steps, last) : 0;
        most = w->samples.total > about->frames ? w->samples.total : about->frames;
    }
    w->rows_per_chunk = HDF5_MIN_CHUNK;
    while (w->rows_per_chunk < HDF5_AXIS_CHUNK && w->rows_per_chunk < most)
        w->rows_per_chunk *= 2;
    w->block = w->frames_per_write = 1;
    while (about->config->output.compression == 0 && w->block < w->rows_per_chunk &&
           2 * w->block * about->boids * w->vector_size <= CHUNK_BYTES)
        w->block *= 2;
    while (w->frames_per_write < w->block &&
           w->frames_per_write * (about->boids + about->predators) * w->vector_size <= KEPT_BYTES)
        w->frames_per_write *= 2;
}

struct h5_writer *h5_writer_make(const struct atomic_file *part, const struct trajectory_metadata *about,
                                 struct error *error)
{
    const size_t agents = about->boids > about->predators ? about->boids : about->predators;
    const bool is_deflated = about->config->output.compression > 0 && agents <= HDF5_CHUNK_AGENTS;
    struct h5_writer *w = calloc(1, sizeof *w);
    if (w) {
        w->part = part;
        w->about = about;
        w->lock = -1;
        w->has_samples =
            about->observable_count > 0 && !interval_equals(about->measured_steps, about->frame_steps);
        w->latest_step = w->committed_steps[0] = w->committed_steps[1] = -1;
        const size_t number = about->is_stored_as_float32 ? sizeof(float) : sizeof(double);
        w->dims = (hsize_t)about->config->output.h5_dims;
        w->vectors.format = h5_hash_stored_format(about->arithmetic, number);
        w->vectors.stride = w->dims;
        w->vector_size = w->dims * number;
        choose_chunks(w);
        /* A compressed chunk is always written as a whole. */
        w->agents_per_write =
            about->config->output.compression == 0 && agents > HDF5_SLAB_ROWS ? HDF5_SLAB_ROWS : agents;
        for (int f = 0; f < HDF5_FIELDS; f++) {
            w->vectors.fields[f] = w->buffers[f] = calloc(w->agents_per_write, w->vector_size);
            w->kept_vectors[f] =
                malloc(w->frames_per_write > 1
                           ? w->frames_per_write * (about->boids + about->predators) * w->vector_size
                           : 1);
        }
        if (is_deflated)
            w->deflate = chunk_deflate_create(agents * w->dims, number, about->config->output.compression);
        w->observables = calloc(about->observable_count + 1, sizeof *w->observables);
        for (size_t i = 0; w->observables && i < about->observable_count; i++)
            w->observables[i].name_hash = h5_hash_text(about->observable_names[i]);
        /* There are three more columns: the hash of a frame, the hash of the observables, and the time. */
        w->frames.columns = malloc((about->observable_count + 3) * sizeof *w->frames.columns);
        w->samples.columns = malloc((about->observable_count + 3) * sizeof *w->samples.columns);
        if (about->is_rounded)
            w->latest = malloc((about->boids + about->predators) * sizeof *w->latest);
        if (w->buffers[0] && w->buffers[1] && w->kept_vectors[0] && w->kept_vectors[1] && w->observables &&
            w->frames.columns && w->samples.columns && (w->latest || !about->is_rounded) &&
            (w->deflate || !is_deflated) && h5_quieten())
            return w;
        h5_writer_free(w);
    }
    error_fail(error, "%s: not enough memory to write it", part->given);
    return NULL;
}

bool h5_writer_begin(struct h5_writer *w, int descriptor, struct error *error)
{
    h5_layout_create(w, descriptor);
    /* The initial state may be the only content of the file for a long time, so it is flushed at once. */
    if (w->about->initial && !w->has_failed)
        flush_file(w);
    return report(w, error);
}

static void *h5_open(const struct atomic_file *part, const struct trajectory_metadata *about,
                     struct error *error)
{
    const struct h5_guard outer = begin_turn(part);
    struct h5_writer *w = h5_writer_make(part, about, error);
    if (w) {
        w->lock = atomic_file_open(w->part, error);
        if (w->lock < 0 || !h5_writer_begin(w, w->lock, error)) {
            h5_writer_free(w);
            w = NULL;
        }
    }
    end_turn(outer);
    return w;
}

/* Rows. */

static void write_value(struct h5_writer *w, hid_t set, hsize_t row, hid_t type, const void *value)
{
    h5_write_slab(w, set, &(struct h5_region){1, {row}, {1}}, type, value);
}

/* For a small flock, one library call takes longer than all other work for a row. So rows are kept in memory until a
 * chunk is complete, and then written with one call per dataset. A kill does not lose more rows because of this: a row
 * is committed only by a flush, which writes all rows first. */

static void put_number(struct h5_rows *rows, hid_t set, bool is_hash, const void *number)
{
    struct h5_column *column = &rows->columns[rows->column_count++];
    column->dataset = set;
    column->is_hash = is_hash;
    memcpy(&column->numbers[rows->count - rows->written], number, sizeof *column->numbers);
}

static void write_kept_rows(struct h5_writer *w, struct h5_rows *rows)
{
    const struct h5_region region = {1, {rows->written}, {rows->count - rows->written}};
    for (size_t k = 0; k < rows->column_count && rows->written < rows->count; k++)
        h5_write_slab(w, rows->columns[k].dataset, &region,
                      rows->columns[k].is_hash ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE,
                      rows->columns[k].numbers);
    rows->written = rows->count;
}

static void put_observables(struct h5_writer *w, struct h5_rows *rows, const double *values)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < w->about->observable_count; i++) {
        const double value = values ? values[i] : NAN;
        hash += h5_hash_value(w->observables[i].name_hash, value);
        put_number(rows, w->observables[i].dataset, false, &value);
    }
    if (w->about->observable_count > 0)
        put_number(rows, w->observable_hashes, true, &hash);
}

static void end_row(struct h5_writer *w, struct h5_rows *rows, uint64_t step)
{
    const double time = (double)step;
    put_number(rows, rows->time, false, &time);
    rows->pending[rows->count - rows->committed] = (int64_t)step;
    rows->count++;
    if (rows->count % w->rows_per_chunk == 0)
        write_kept_rows(w, rows);
}

/* Write the steps of all rows so far. */
static void commit_rows(struct h5_writer *w, struct h5_rows *rows)
{
    const hsize_t count = rows->count - rows->committed;
    if (count > 0)
        h5_write_slab(w, rows->step, &(struct h5_region){1, {rows->committed}, {count}}, H5T_NATIVE_INT64,
                      rows->pending);
    rows->committed = rows->count;
}

/* Frames. */

void h5_begin_frame(struct h5_writer *w)
{
    w->hash = 0;
    if (w->frames.count == w->frames.extent)
        h5_layout_extend(w, &w->frames, w->frames.extent + w->block);
}

static void write_frames(struct h5_writer *w, const struct h5_particles *group, int field,
                         const struct h5_region *region, const void *vectors)
{
    if (group->fields[field] >= 0)
        h5_write_slab(w, group->fields[field], region,
                      w->about->is_stored_as_float32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, vectors);
}

static void write_kept_frames(struct h5_writer *w)
{
    const hsize_t count = w->frames.count - w->first_kept_frame;
    for (int i = 0; i < 2 * HDF5_FIELDS && count > 0 && w->frames_per_write > 1; i++) {
        const struct h5_particles *group = &w->groups[i / HDF5_FIELDS];
        const struct h5_region region = {HDF5_DIMS, {w->first_kept_frame}, {count, group->count, w->dims}};
        write_frames(w, group, i % HDF5_FIELDS, &region,
                     w->kept_vectors[i % HDF5_FIELDS] + w->frames_per_write * group->first * w->vector_size);
    }
    w->first_kept_frame = w->frames.count;
}

/* A compressed frame is one chunk, which is written as a whole. */
void h5_write_vectors(struct h5_writer *w, const struct h5_particles *group, int field, size_t first,
                      size_t count, const void *vectors)
{
    const struct h5_region region = {HDF5_DIMS, {w->frames.count, first, 0}, {1, count, w->dims}};
    size_t size = 0;
    if (w->frames_per_write > 1) {
        const size_t at =
            w->frames_per_write * group->first + (w->frames.count - w->first_kept_frame) * group->count;
        memcpy(w->kept_vectors[field] + at * w->vector_size, vectors, count * w->vector_size);
        return;
    }
    if (!w->deflate || group->fields[field] < 0) {
        write_frames(w, group, field, &region, vectors);
        return;
    }
    const void *chunk = chunk_deflate(w->deflate, vectors, count * w->dims, &size);
    h5_check(w, chunk ? 0 : -1);
    if (chunk)
        h5_check(w, H5Dwrite_chunk(group->fields[field], H5P_DEFAULT, 0, region.start, size, chunk));
}

/* Positions and velocities are copied in one loop, so that each agent is loaded only once. Third coordinates stay 0. */
static void copy_agents(struct h5_writer *w, const struct agent *from, size_t count)
{
    const size_t dims = w->dims;
    float *p = w->buffers[HDF5_POSITION], *v = w->buffers[HDF5_VELOCITY];
    double *position = w->buffers[HDF5_POSITION], *velocity = w->buffers[HDF5_VELOCITY];
    for (size_t i = 0; i < count && w->about->is_stored_as_float32; i++, p += dims, v += dims) {
        p[0] = (float)from[i].x, p[1] = (float)from[i].y;
        v[0] = (float)from[i].vx, v[1] = (float)from[i].vy;
    }
    for (size_t i = 0; i < count && !w->about->is_stored_as_float32;
         i++, position += dims, velocity += dims) {
        position[0] = from[i].x, position[1] = from[i].y;
        velocity[0] = from[i].vx, velocity[1] = from[i].vy;
    }
}

static void write_agents(struct h5_writer *w, const struct frame *frame)
{
    const struct trajectory_metadata *about = w->about;
    const size_t agents = about->boids + about->predators;
    const bool is_hashed = frame->hash_format && frame->hash_format == (int)w->vectors.format;
    h5_begin_frame(w);
    w->hash = is_hashed ? frame->hash : 0;
    const struct h5_particles *group = w->groups;
    for (size_t first = 0, n; first < agents; first += n) {
        if (first >= group->first + group->count)
            group++;
        const struct agent *from = frame->agents + first;
        const size_t group_end = group->first + group->count;
        n = group_end - first;
        n = n < w->agents_per_write ? n : w->agents_per_write;
        copy_agents(w, from, n);
        for (int f = 0; f < HDF5_FIELDS; f++)
            h5_write_vectors(w, group, f, first - group->first, n, w->buffers[f]);
        if (!is_hashed)
            w->hash += h5_hash_vectors(&w->vectors, first, n);
    }
    if (about->is_rounded && interval_contains(about->frame_steps, frame->step)) {
        memcpy(w->latest, frame->wrapped ? frame->wrapped : frame->agents, agents * sizeof *w->latest);
        w->latest_step = (int64_t)frame->step;
    }
}

static void end_frame(struct h5_writer *w, const struct frame *frame)
{
    w->frames.column_count = 0;
    put_number(&w->frames, w->frame_hashes, true, &w->hash);
    if (!w->has_samples)
        put_observables(w, &w->frames, frame->observables);
    end_row(w, &w->frames, frame->step);
    if (w->frames.count % w->frames_per_write == 0)
        write_kept_frames(w);
}

/* The checkpoint. */

static hsize_t older_slot(const struct h5_writer *w)
{
    return w->committed_steps[0] <= w->committed_steps[1] ? 0 : 1;
}

static void write_slot(struct h5_writer *w)
{
    const hsize_t agents = w->about->boids + w->about->predators;
    const hsize_t slot = older_slot(w);
    const struct h5_region region = {HDF5_DIMS, {slot, 0, 0}, {1, agents, HDF5_NUMBERS}};
    const uint64_t hash = h5_hash_state(w->about->arithmetic, w->latest_step, agents, w->latest);
    h5_write_slab(w, w->slot_states, &region, H5T_NATIVE_DOUBLE, w->latest);
    write_value(w, w->slot_hashes, slot, H5T_NATIVE_UINT64, &hash);
}

static void commit_slot(struct h5_writer *w)
{
    const hsize_t slot = older_slot(w);
    w->committed_steps[slot] = w->latest_step;
    write_value(w, w->slot_steps, slot, H5T_NATIVE_INT64, &w->latest_step);
}

/* Flushing. */

static void flush_frames(struct h5_writer *w)
{
    const bool has_new_state =
        w->latest_step != w->committed_steps[0] && w->latest_step != w->committed_steps[1];
    if (has_new_state)
        write_slot(w);
    write_kept_frames(w);
    write_kept_rows(w, &w->frames);
    write_kept_rows(w, &w->samples);
    flush_file(w);
    const bool has_new_rows =
        w->frames.committed < w->frames.count || w->samples.committed < w->samples.count;
    if (w->has_failed || !(has_new_rows || has_new_state))
        return;
    if (w->about->is_rounded) {
        if (has_new_state)
            commit_slot(w);
        flush_file(w);
    }
    commit_rows(w, &w->frames);
    commit_rows(w, &w->samples);
    flush_file(w);
}

bool h5_flush(struct h5_writer *w, struct error *error)
{
    errno = 0;
    flush_frames(w);
    w->last_flush = clock_seconds();
    return report(w, error);
}

bool h5_end_row(struct h5_writer *w, const struct frame *frame, bool is_frame, struct error *error)
{
    if (!w->has_failed && is_frame)
        end_frame(w, frame);
    if (!w->has_failed && frame->observables && w->has_samples) {
        if (w->samples.count == w->samples.extent)
            h5_layout_extend(w, &w->samples, w->samples.extent + w->rows_per_chunk);
        w->samples.column_count = 0;
        put_observables(w, &w->samples, frame->observables);
        end_row(w, &w->samples, frame->step);
    }
    if (!report(w, error))
        return false;
    const hsize_t frames = w->frames.count - w->frames.committed,
                  samples = w->samples.count - w->samples.committed;
    const bool is_begun = w->frames.committed > 0 || w->samples.committed > 0;
    const bool is_due = !is_begun || frames == HDF5_MAX_PENDING || samples == HDF5_MAX_PENDING ||
                        clock_seconds() - w->last_flush >= w->about->config->output.flush_seconds;
    return !is_due || h5_flush(w, error);
}

static bool h5_write(void *writer, const struct frame *frame, struct error *error)
{
    struct h5_writer *w = writer;
    const struct h5_guard outer = begin_turn(w->part);
    h5_check(w, h5_quieten() ? 0 : -1);
    if (!w->has_failed && frame->agents)
        write_agents(w, frame);
    const bool is_good = h5_end_row(w, frame, frame->agents, error);
    end_turn(outer);
    return is_good;
}

static bool h5_close(void *writer, bool is_complete, struct error *error)
{
    struct h5_writer *w = writer;
    const enum config_sync sync = w->about->config->output.sync;
    const struct h5_guard outer = begin_turn(w->part);
    h5_check(w, h5_quieten() ? 0 : -1);
    if (!w->has_failed) {
        if (w->frames.extent != w->frames.count)
            h5_layout_extend(w, &w->frames, w->frames.count);
        if (w->samples.extent != w->samples.count)
            h5_layout_extend(w, &w->samples, w->samples.count);
        flush_frames(w);
    }
    /* Which slot is newer depends on the times of the flushes. To make equal runs give equal files, both slots get the
     * same contents. A slot is committed after the flush; until then the other slot is the newest. */
    if (!w->has_failed && w->latest_step >= 0) {
        write_slot(w);
        flush_file(w);
        if (!w->has_failed)
            commit_slot(w);
    }
    if (!w->has_failed) {
        h5_layout_write_counts(w, (int64_t)w->frames.count,
                               (int64_t)(w->has_samples ? w->samples.count : w->frames.count));
        flush_file(w);
    }
    /* All data has been flushed, so closing the file and the datasets writes nothing and cannot fail. */
    if (!w->has_failed)
        h5_check(w, H5Fclose(w->file));
    const bool is_good = report(w, error) && (is_complete ? atomic_file_commit(w->part, w->lock, sync, error)
                                                          : atomic_file_sync(w->part, w->lock, sync, error));
    h5_writer_free(w);
    end_turn(outer);
    return is_good;
}

const struct format format_hdf5 = {h5_open, h5_write, NULL, h5_close};
