/* HDF5 in the H5MD 1.1 layout (de Buyl, Colberg and Höfling, "H5MD: a structured, efficient, and portable file format
 * for molecular data", 2014). This file and hdf5_read.c alone know HDF5.
 *
 *     /h5md                               version, author, creator
 *     /particles/boids/position/value     [T, N, 2]     likewise velocity, and predators where there are any
 *                              /step      [T]           one dataset in the file, linked wherever H5MD wants it
 *                              /time      [T]           likewise
 *                     /box, /id, /species
 *     /parameters                         seed, version, git, arithmetic; config, the resolved JSON
 *
 * Nothing flushed is ever lost. A frame is whole when its step is 0 or more; until then that reads -1, the fill value.
 * One flush hands the datasets to the system in no promised order, so it takes two: the frames first, then, once they
 * are there, their steps. Whenever the program is killed, every reader opens the file and no frame in it is torn.
 *
 * Equal runs give equal bytes, whenever they were flushed: no times are tracked, and space in the file is taken in an
 * order that frames alone decide. Uncompressed datasets grow by fixed blocks that are allocated at once. A compressed
 * chunk cannot be allocated before its size is known, so there a chunk is one frame and goes to the file as soon as it
 * is written.
 *
 * After a failed write the library cannot close the file without crashing. So nothing is closed then: the handles are
 * left to the end of the process, and the file stays as it was at the last flush.
 */
#include "format.h"
#include "hdf5_read.h"
#include "part.h"
#include "version.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 128 << 10,
    STEPS_IN_CHUNK = 1024,
    MOST_AGENTS_IN_CHUNK = 1 << 24,
    MOST_DIMS = 3,
    MOST_PENDING = 4096
};

/* One kind of agents: their two datasets. */
struct group {
    hid_t position, velocity;
    size_t first, count; /* among the agents of a frame */
};

struct writer {
    const struct trajectory_about *about;
    struct part part;
    int lock; /* our own, held as long as the file is written: the library's can be switched off from outside */
    hid_t file, step, time, edges; /* edges: only in three dimensions, where readers want one a frame */
    struct group groups[2];
    int group_count;
    hsize_t dims;                  /* 2 or 3 */
    hsize_t block;                 /* frames by which the datasets grow */
    hsize_t frames, extent;        /* written; allocated */
    hsize_t marked;                /* frames whose step is in the file */
    int64_t pending[MOST_PENDING]; /* the steps of those behind them */
    hid_t type;                    /* of a number in the file */
    double *buffer;                /* one dataset's part of a frame */
    double flushed;                /* when, on the monotonic clock */
    bool has_failed;
    int error; /* errno at the first failure */
};

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Every handle and result passes through here: the first failure is remembered, and later calls fail harmlessly. */
static hid_t keep(struct writer *w, hid_t result)
{
    if (result < 0 && !w->has_failed) {
        w->has_failed = true;
        w->error = errno;
    }
    return result;
}

static bool report(const struct writer *w, struct fault *fault)
{
    if (!w->has_failed)
        return true;
    return fault_fail(fault, "%s: %s; what was flushed can be read in %s.part", w->part.given,
                      w->error ? strerror(w->error) : "HDF5 cannot write it", w->part.given);
}

/* Attributes and small datasets. */

static hid_t string_type(struct writer *w, size_t length)
{
    hid_t type = keep(w, H5Tcopy(H5T_C_S1));
    keep(w, H5Tset_size(type, length ? length : 1));
    keep(w, H5Tset_cset(type, H5T_CSET_UTF8));
    keep(w, H5Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

static hid_t make_space(struct writer *w, int rank, const hsize_t *size)
{
    return keep(w, rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, size, NULL));
}

static void put_attribute(struct writer *w, hid_t where, const char *name, hid_t file_type, hid_t type,
                          int rank, hsize_t size, const void *value)
{
    hid_t space = make_space(w, rank, &size);
    hid_t attribute = keep(w, H5Acreate2(where, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT));
    keep(w, H5Awrite(attribute, type, value));
    keep(w, H5Aclose(attribute));
    keep(w, H5Sclose(space));
}

static void put_text(struct writer *w, hid_t where, const char *name, const char *text)
{
    hid_t type = string_type(w, strlen(text));
    put_attribute(w, where, name, type, type, 0, 0, text);
    keep(w, H5Tclose(type));
}

/* No object remembers when it was made. */
static hid_t timeless(struct writer *w, hid_t class)
{
    hid_t properties = keep(w, H5Pcreate(class));
    keep(w, H5Pset_obj_track_times(properties, 0));
    return properties;
}

static hid_t make_group(struct writer *w, hid_t where, const char *name)
{
    hid_t properties = timeless(w, H5P_GROUP_CREATE);
    hid_t group = keep(w, H5Gcreate2(where, name, H5P_DEFAULT, properties, H5P_DEFAULT));
    keep(w, H5Pclose(properties));
    return group;
}

static void put_dataset(struct writer *w, hid_t where, const char *name, hid_t file_type, hid_t type,
                        int rank, hsize_t size, const void *value)
{
    hid_t properties = timeless(w, H5P_DATASET_CREATE);
    hid_t space = make_space(w, rank, &size);
    hid_t set = keep(w, H5Dcreate2(where, name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    keep(w, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value));
    keep(w, H5Dclose(set));
    keep(w, H5Sclose(space));
    keep(w, H5Pclose(properties));
}

/* Datasets that grow with the frames. */

static hid_t growing_properties(struct writer *w, int rank, const hsize_t *chunk, bool is_compressed)
{
    hid_t properties = timeless(w, H5P_DATASET_CREATE);
    keep(w, H5Pset_chunk(properties, rank, chunk));
    if (is_compressed) {
        keep(w, H5Pset_shuffle(properties));
        keep(w, H5Pset_deflate(properties, (unsigned)w->about->compression));
    } else {
        keep(w, H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
    }
    return properties;
}

/* Without a cache, a compressed chunk is written once, when it is given. */
static hid_t access_properties(struct writer *w, bool is_compressed)
{
    hid_t access = keep(w, H5Pcreate(H5P_DATASET_ACCESS));
    if (is_compressed)
        keep(w, H5Pset_chunk_cache(access, 0, 0, 1));
    return access;
}

static hid_t make_growing(struct writer *w, hid_t where, const char *name, hid_t type, int rank,
                          const hsize_t *size, const hsize_t *chunk, const int64_t *fill)
{
    const bool is_compressed = w->about->compression > 0 && rank == MOST_DIMS;
    hsize_t most[MOST_DIMS] = {H5S_UNLIMITED, rank > 1 ? size[1] : 0, rank > 2 ? size[2] : 0};
    hid_t properties = growing_properties(w, rank, chunk, is_compressed);
    if (fill)
        keep(w, H5Pset_fill_value(properties, H5T_NATIVE_INT64, fill));
    hid_t access = access_properties(w, is_compressed);
    hid_t space = keep(w, H5Screate_simple(rank, size, most));
    hid_t set = keep(w, H5Dcreate2(where, name, type, space, H5P_DEFAULT, properties, access));
    keep(w, H5Sclose(space));
    keep(w, H5Pclose(access));
    keep(w, H5Pclose(properties));
    return set;
}

static hid_t make_line(struct writer *w, const char *name, hid_t type, const int64_t *fill)
{
    const hsize_t size = 0;
    const hsize_t chunk = STEPS_IN_CHUNK;
    return make_growing(w, w->file, name, type, 1, &size, &chunk, fill);
}

/* A time-dependent element of H5MD: value, and the file's one step and time. */
static hid_t make_element(struct writer *w, hid_t where, const char *name, hid_t type, hsize_t rows,
                          hsize_t block)
{
    const hsize_t columns = w->dims;
    const hsize_t size[MOST_DIMS] = {0, rows, columns};
    const hsize_t chunk[MOST_DIMS] = {block, rows < MOST_AGENTS_IN_CHUNK ? rows : MOST_AGENTS_IN_CHUNK,
                                      columns};
    hid_t group = make_group(w, where, name);
    hid_t set = make_growing(w, group, "value", type, MOST_DIMS, size, chunk, NULL);
    keep(w, H5Lcreate_hard(w->step, ".", group, "step", H5P_DEFAULT, H5P_DEFAULT));
    keep(w, H5Lcreate_hard(w->time, ".", group, "time", H5P_DEFAULT, H5P_DEFAULT));
    keep(w, H5Gclose(group));
    return set;
}

/* The parts of the file. */

static void put_h5md(struct writer *w)
{
    const int version[2] = {1, 1};
    hid_t h5md = make_group(w, w->file, "h5md");
    put_attribute(w, h5md, "version", H5T_STD_I32LE, H5T_NATIVE_INT, 1, 2, version);
    hid_t author = make_group(w, h5md, "author");
    put_text(w, author, "name", "boids");
    hid_t creator = make_group(w, h5md, "creator");
    put_text(w, creator, "name", "boids");
    put_text(w, creator, "version", boids_version);
    keep(w, H5Gclose(creator));
    keep(w, H5Gclose(author));
    keep(w, H5Gclose(h5md));
}

static void put_parameters(struct writer *w)
{
    const struct trajectory_about *about = w->about;
    hid_t parameters = make_group(w, w->file, "parameters");
    put_attribute(w, parameters, "seed", H5T_STD_U64LE, H5T_NATIVE_UINT64, 0, 0, &about->seed);
    put_text(w, parameters, "version", boids_version);
    put_text(w, parameters, "git", boids_revision);
    put_text(w, parameters, "arithmetic", about->arithmetic);
    hid_t type = string_type(w, strlen(about->config));
    put_dataset(w, parameters, "config", type, type, 0, 0, about->config);
    keep(w, H5Tclose(type));
    keep(w, H5Gclose(parameters));
}

static void put_box(struct writer *w, hid_t group, bool is_first)
{
    const int32_t dimension = (int32_t)w->dims;
    const double edges[2] = {w->about->width, w->about->height};
    enum { WORD = 8 };
    char boundary[MOST_DIMS][WORD] = {"none", "none", "none"};
    if (w->about->is_periodic)
        memcpy(boundary, (char[2][WORD]){"periodic", "periodic"}, sizeof(char[2][WORD]));
    hid_t box = make_group(w, group, "box");
    hid_t type = string_type(w, WORD);
    put_attribute(w, box, "dimension", H5T_STD_I32LE, H5T_NATIVE_INT32, 0, 0, &dimension);
    put_attribute(w, box, "boundary", type, type, 1, w->dims, boundary);
    if (w->dims == 2)
        put_dataset(w, box, "edges", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, 2, edges);
    else if (is_first)
        w->edges = make_element(w, box, "edges", H5T_IEEE_F64LE, w->dims, w->block);
    else
        keep(w, H5Lcreate_hard(w->file, "particles/boids/box/edges", box, "edges", H5P_DEFAULT, H5P_DEFAULT));
    keep(w, H5Tclose(type));
    keep(w, H5Gclose(box));
}

static void put_species(struct writer *w, hid_t where, const struct group *group, bool is_predator)
{
    const int8_t boid = 0;
    const int8_t predator = 1;
    hid_t type = keep(w, H5Tenum_create(H5T_STD_I8LE));
    keep(w, H5Tenum_insert(type, "boid", &boid));
    keep(w, H5Tenum_insert(type, "predator", &predator));
    int8_t *species = malloc(group->count);
    keep(w, species ? 0 : -1);
    if (species) {
        memset(species, is_predator ? predator : boid, group->count);
        put_dataset(w, where, "species", type, type, 1, group->count, species);
    }
    free(species);
    keep(w, H5Tclose(type));
}

static void put_particles(struct writer *w, hid_t particles, const char *name, size_t first, size_t count)
{
    const bool is_predator = first > 0;
    struct group *group = &w->groups[w->group_count++];
    *group = (struct group){.first = first, .count = count};
    hid_t where = make_group(w, particles, name);
    put_box(w, where, !is_predator);
    group->position = make_element(w, where, "position", w->type, count, w->block);
    group->velocity = make_element(w, where, "velocity", w->type, count, w->block);
    put_dataset(w, where, "id", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, count, w->about->ids + first);
    put_species(w, where, group, is_predator);
    keep(w, H5Gclose(where));
}

static void unlink_lines(struct writer *w)
{
    keep(w, H5Ldelete(w->file, "step", H5P_DEFAULT));
    keep(w, H5Ldelete(w->file, "time", H5P_DEFAULT));
}

static void put_layout(struct writer *w)
{
    const int64_t no_step = -1;
    const struct trajectory_about *about = w->about;
    w->step = make_line(w, "step", H5T_STD_I64LE, &no_step);
    w->time = make_line(w, "time", H5T_IEEE_F64LE, NULL);
    put_h5md(w);
    put_parameters(w);
    hid_t particles = make_group(w, w->file, "particles");
    put_particles(w, particles, "boids", 0, about->boids);
    if (about->predators > 0)
        put_particles(w, particles, "predators", about->boids, about->predators);
    keep(w, H5Gclose(particles));
    /* Made at the root, before their places were there; from now on they live where they were linked. */
    unlink_lines(w);
}

/* Opening. */

static bool hdf5_check(const struct part *part, bool is_forced, struct fault *fault)
{
    if (!part->is_regular)
        return fault_refuse(fault, "%s is a pipe or device; HDF5 needs a regular file", part->given);
    const uint64_t frames = is_forced ? 0 : hdf5_count_frames(part->path);
    return frames == 0 ||
           fault_refuse(fault,
                        "%s.part holds %" PRIu64 " frame%s of a run that was stopped; --force begins anew",
                        part->given, frames, frames == 1 ? "" : "s");
}

static void create_file(struct writer *w)
{
    hid_t properties = timeless(w, H5P_FILE_CREATE);
    hid_t access = keep(w, H5Pcreate(H5P_FILE_ACCESS));
    /* The library gathers small pieces into blocks and gives up what is left of one at a flush; without blocks, where a
     * piece lies does not depend on when that was. */
    keep(w, H5Pset_meta_block_size(access, 0));
    keep(w, H5Pset_small_data_block_size(access, 0));
    errno = 0;
    w->file = keep(w, H5Fcreate(w->part.path, H5F_ACC_TRUNC, properties, access));
    keep(w, H5Pclose(access));
    keep(w, H5Pclose(properties));
    if (!w->has_failed)
        put_layout(w);
}

static hsize_t frames_in_block(const struct writer *w)
{
    const size_t number = w->about->is_single ? sizeof(float) : sizeof(double);
    const size_t frame = w->about->boids * (size_t)w->dims * number;
    return w->about->compression > 0 || frame >= CHUNK_BYTES ? 1 : CHUNK_BYTES / frame;
}

static void free_writer(struct writer *w)
{
    if (w->lock >= 0)
        close(w->lock);
    part_free(&w->part);
    free(w->buffer);
    free(w);
}

static void *hdf5_open(const char *path, const struct trajectory_about *about, struct fault *fault)
{
    struct writer *w = calloc(1, sizeof *w);
    if (w) {
        w->about = about;
        w->dims = (hsize_t)about->h5_dims;
        w->block = frames_in_block(w);
        w->buffer = malloc((about->boids + about->predators) * (size_t)w->dims * sizeof *w->buffer);
    }
    if (!w || !w->buffer) {
        fault_fail(fault, "%s: there is no memory to write it", path);
        free(w);
        return NULL;
    }
    hdf5_quieten();
    w->type = about->is_single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    w->edges = -1;
    w->lock = -1;
    if (part_choose(&w->part, path, fault) && (w->lock = part_open(&w->part, fault)) >= 0) {
        create_file(w);
        if (report(w, fault))
            return w;
    }
    free_writer(w);
    return NULL;
}

/* Writing. */

/* A line of steps has one dimension; the library does not look at the others. */
static void set_extent(struct writer *w, hid_t set, hsize_t rows, hsize_t frames)
{
    const hsize_t size[MOST_DIMS] = {frames, rows, w->dims};
    keep(w, H5Dset_extent(set, size));
}

static void set_extents(struct writer *w, hsize_t frames)
{
    for (int g = 0; g < w->group_count; g++) {
        set_extent(w, w->groups[g].position, w->groups[g].count, frames);
        set_extent(w, w->groups[g].velocity, w->groups[g].count, frames);
    }
    if (w->edges >= 0)
        set_extent(w, w->edges, w->dims, frames);
    set_extent(w, w->time, 1, frames);
    set_extent(w, w->step, 1, frames);
    w->extent = frames;
}

static void write_slab(struct writer *w, hid_t set, int rank, const hsize_t *start, const hsize_t *count,
                       hid_t type, const void *values)
{
    hid_t there = keep(w, H5Dget_space(set));
    hid_t here = keep(w, H5Screate_simple(rank, count, NULL));
    keep(w, H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL));
    keep(w, H5Dwrite(set, type, here, there, H5P_DEFAULT, values));
    keep(w, H5Sclose(here));
    keep(w, H5Sclose(there));
}

/* The frame in hand's part of a dataset. */
static void write_part(struct writer *w, hid_t set, int rank, hsize_t rows, hid_t type, const void *values)
{
    const hsize_t start[MOST_DIMS] = {w->frames, 0, 0};
    const hsize_t count[MOST_DIMS] = {1, rows, w->dims};
    write_slab(w, set, rank, start, count, type, values);
}

/* Say that the frames before this one are whole. */
static void mark_frames(struct writer *w)
{
    const hsize_t count = w->frames - w->marked;
    if (count > 0)
        write_slab(w, w->step, 1, &w->marked, &count, H5T_NATIVE_INT64, w->pending);
    w->marked = w->frames;
}

static void write_pairs(struct writer *w, const struct group *group, hid_t set, const struct agent *agents,
                        bool is_velocity)
{
    double *to = w->buffer;
    for (size_t i = 0; i < group->count; i++) {
        *to++ = is_velocity ? agents[i].vx : agents[i].x;
        *to++ = is_velocity ? agents[i].vy : agents[i].y;
        if (w->dims == MOST_DIMS)
            *to++ = 0;
    }
    write_part(w, set, MOST_DIMS, group->count, H5T_NATIVE_DOUBLE, w->buffer);
}

static void write_frame(struct writer *w, const struct frame *frame)
{
    const double time = (double)frame->step;
    const double edges[MOST_DIMS][MOST_DIMS] = {{w->about->width, 0, 0}, {0, w->about->height, 0}, {0, 0, 1}};
    if (w->frames == w->extent)
        set_extents(w, w->extent + w->block);
    for (int g = 0; g < w->group_count; g++) {
        const struct group *group = &w->groups[g];
        write_pairs(w, group, group->position, frame->agents + group->first, false);
        write_pairs(w, group, group->velocity, frame->agents + group->first, true);
    }
    if (w->edges >= 0)
        write_part(w, w->edges, MOST_DIMS, w->dims, H5T_NATIVE_DOUBLE, edges);
    write_part(w, w->time, 1, 1, H5T_NATIVE_DOUBLE, &time);
    w->pending[w->frames - w->marked] = (int64_t)frame->step;
    w->frames++;
}

static void flush_frames(struct writer *w)
{
    keep(w, H5Fflush(w->file, H5F_SCOPE_LOCAL));
    if (w->has_failed || w->marked == w->frames)
        return;
    mark_frames(w);
    keep(w, H5Fflush(w->file, H5F_SCOPE_LOCAL));
}

static bool flush_now(struct writer *w, struct fault *fault)
{
    errno = 0;
    flush_frames(w);
    w->flushed = clock_seconds();
    return report(w, fault);
}

static bool hdf5_write(void *writer, const struct frame *frame, struct fault *fault)
{
    struct writer *w = writer;
    errno = 0;
    if (!w->has_failed)
        write_frame(w, frame);
    if (!report(w, fault))
        return false;
    const bool is_due = w->frames == 1 || w->frames - w->marked == MOST_PENDING ||
                        clock_seconds() - w->flushed >= w->about->flush_seconds;
    return !is_due || flush_now(w, fault);
}

static bool hdf5_is_closed(const void *writer)
{
    (void)writer;
    return false;
}

static void close_file(struct writer *w)
{
    if (w->extent != w->frames)
        set_extents(w, w->frames);
    flush_frames(w);
    if (w->has_failed)
        return;
    for (int g = 0; g < w->group_count; g++) {
        keep(w, H5Dclose(w->groups[g].position));
        keep(w, H5Dclose(w->groups[g].velocity));
    }
    if (w->edges >= 0)
        keep(w, H5Dclose(w->edges));
    keep(w, H5Dclose(w->time));
    keep(w, H5Dclose(w->step));
    /* All was flushed, so closing has nothing left to write, and nothing to fail at. */
    if (!w->has_failed)
        keep(w, H5Fclose(w->file));
}

static bool hdf5_close(void *writer, bool is_complete, struct fault *fault)
{
    struct writer *w = writer;
    bool is_good = !w->has_failed;
    errno = 0;
    if (is_good) {
        close_file(w);
        is_good = report(w, fault);
    }
    if (is_good && is_complete)
        is_good = part_rename(&w->part, fault);
    free_writer(w);
    return is_good;
}

const struct format format_hdf5 = {hdf5_check, hdf5_open, hdf5_write, hdf5_is_closed, hdf5_close};
