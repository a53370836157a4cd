/* Creates everything that an HDF5 file contains before its first frame, in the H5MD 1.1 layout (de Buyl, Colberg and
 * Höfling, "H5MD: a structured, efficient, and portable file format for molecular data", 2014).
 *
 *     /h5md                               version, author, creator
 *     /particles/boids/position/value     [T, N, 2]     also velocity, and predators if there are any; boids and
 *                                                       fields that are left out are missing
 *                              /step      [T]           one dataset, with links from all places that H5MD requires
 *                              /time      [T]           the same for the time
 *                     /box, /id, /species
 *     /observables/NAME/value, step, time [T]           if anything is measured; NaN if undefined. The size is [S], with
 *                                                       a separate step and time, if they are measured at other steps
 *     /hashes/frames                      [T]           hash of the numbers of each frame (hash.h)
 *            /observables                 [T] or [S]    hash of each row of observables
 *            /counts                      [2]           number of frames and of rows of observables; -1 until the file is closed
 *            @ids
 *     /checkpoint/initial, state, step                  if frames are rounded or begin later (checkpoint_reader.c)
 *     /parameters                         seed, arithmetic, initial_hash; boids and fields, if some are left out; version, git,
 *                                         compiler, flags; config, the resolved JSON; hash of config, arithmetic and initial_hash
 *
 * Runs with the same input give byte-identical files, even if they are flushed at different times: no time stamps are
 * stored, and the order of allocations in the file depends only on frames. Uncompressed datasets grow by blocks of
 * constant size, each allocated at once. The number of frames of a block is a power of two. So a block never ends inside
 * a chunk of steps, and closing the file frees no chunk. A compressed chunk cannot be allocated before its size is
 * known. So a compressed chunk contains one frame, and it is written to the file as soon as it is compressed.
 */
#include "version.h"
#include "writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 128 << 10, MAX_CHUNK_AGENTS = 1 << 24 };

/* Library calls. */

hid_t h5_check(struct h5_writer *w, hid_t result)
{
    if (result < 0 && !w->has_failed) {
        w->has_failed = true;
        w->error = errno;
    }
    return result;
}

void h5_write_slab(struct h5_writer *w, hid_t set, int rank, const hsize_t *start, const hsize_t *count,
                   hid_t type, const void *values)
{
    hid_t there = h5_check(w, H5Dget_space(set));
    hid_t here = h5_check(w, H5Screate_simple(rank, count, NULL));
    h5_check(w, H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL));
    h5_check(w, H5Dwrite(set, type, here, there, H5P_DEFAULT, values));
    h5_check(w, H5Sclose(here));
    h5_check(w, H5Sclose(there));
}

/* Octave reads only ASCII strings, so UTF-8 is used only if it is needed, for example for a file name in the
 * compiler flags. */
static hid_t make_string_type(struct h5_writer *w, const char *text, size_t length)
{
    const char *c = text;
    while (*c != '\0' && (unsigned char)*c < 0x80)
        c++;
    hid_t type = h5_check(w, H5Tcopy(H5T_C_S1));
    h5_check(w, H5Tset_size(type, length ? length : 1));
    h5_check(w, H5Tset_cset(type, *c == '\0' ? H5T_CSET_ASCII : H5T_CSET_UTF8));
    h5_check(w, H5Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

/* Write an attribute: a scalar (rank 0), or `size` values (rank 1). */
static void put_attribute(struct h5_writer *w, hid_t where, const char *name, hid_t file_type, hid_t type,
                          int rank, hsize_t size, const void *value)
{
    hid_t space = h5_check(w, H5Screate_simple(rank, &size, NULL));
    hid_t attribute = h5_check(w, H5Acreate2(where, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT));
    h5_check(w, H5Awrite(attribute, type, value));
    h5_check(w, H5Aclose(attribute));
    h5_check(w, H5Sclose(space));
}

static void put_string(struct h5_writer *w, hid_t where, const char *name, const char *text)
{
    hid_t type = make_string_type(w, text, strlen(text));
    put_attribute(w, where, name, type, type, 0, 0, text);
    h5_check(w, H5Tclose(type));
}

static void put_hash_string(struct h5_writer *w, hid_t where, const char *name, uint64_t hash)
{
    char word[HDF5_HASH_SIZE];
    snprintf(word, sizeof word, "%016" PRIx64, hash);
    put_string(w, where, name, word);
}

/* Creation properties of an object without time stamps, so that runs with the same input give byte-identical files. */
static hid_t make_properties(struct h5_writer *w, hid_t class)
{
    hid_t properties = h5_check(w, H5Pcreate(class));
    h5_check(w, H5Pset_obj_track_times(properties, 0));
    return properties;
}

static hid_t make_group(struct h5_writer *w, hid_t where, const char *name)
{
    hid_t properties = make_properties(w, H5P_GROUP_CREATE);
    hid_t group = h5_check(w, H5Gcreate2(where, name, H5P_DEFAULT, properties, H5P_DEFAULT));
    h5_check(w, H5Pclose(properties));
    return group;
}

/* Create a dataset that can grow up to `max_size`; if `max_size` is NULL, it cannot grow. This closes the property
 * lists. */
static hid_t make_dataset(struct h5_writer *w, hid_t where, const char *name, hid_t type, int rank,
                          const hsize_t *size, const hsize_t *max_size, hid_t properties, hid_t access)
{
    hid_t space = h5_check(w, H5Screate_simple(rank, size, max_size));
    hid_t set = h5_check(w, H5Dcreate2(where, name, type, space, H5P_DEFAULT, properties, access));
    h5_check(w, H5Sclose(space));
    h5_check(w, H5Pclose(properties));
    return set;
}

/* Write a whole dataset of rank 0 or 1. */
static void put_dataset(struct h5_writer *w, hid_t where, const char *name, hid_t file_type, hid_t type,
                        int rank, hsize_t size, const void *values)
{
    hid_t properties = make_properties(w, H5P_DATASET_CREATE);
    hid_t set = make_dataset(w, where, name, file_type, rank, &size, NULL, properties, H5P_DEFAULT);
    h5_check(w, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    h5_check(w, H5Dclose(set));
}

/* Create a dataset that grows with the frames. It has one number per row or, if `agents` is not 0, `agents` vectors
 * per row. */
static hid_t make_growing(struct h5_writer *w, hid_t where, const char *name, hid_t type, hsize_t agents,
                          const int64_t *fill)
{
    const bool is_compressed = w->about->compression > 0 && agents > 0;
    const int rank = agents > 0 ? HDF5_DIMS : 1;
    const hsize_t size[] = {0, agents, w->dims};
    const hsize_t max_size[] = {H5S_UNLIMITED, agents, w->dims};
    const hsize_t chunk[] = {agents > 0 ? w->block : HDF5_AXIS_CHUNK,
                             agents < MAX_CHUNK_AGENTS ? agents : MAX_CHUNK_AGENTS, w->dims};
    hid_t properties = make_properties(w, H5P_DATASET_CREATE);
    hid_t access = h5_check(w, H5Pcreate(H5P_DATASET_ACCESS));
    h5_check(w, H5Pset_chunk(properties, rank, chunk));
    if (is_compressed) {
        h5_check(w, H5Pset_shuffle(properties));
        h5_check(w, H5Pset_deflate(properties, (unsigned)w->about->compression));
        /* Without a chunk cache, the library writes a compressed chunk to the file exactly once, as soon as it
         * receives it. */
        h5_check(w, H5Pset_chunk_cache(access, 0, 0, 1));
    } else {
        h5_check(w, H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
    }
    /* New space in a file reads as zeros. Writing zeros to it would take as long as writing the frames. */
    if (fill)
        h5_check(w, H5Pset_fill_value(properties, H5T_NATIVE_INT64, fill));
    else
        h5_check(w, H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
    hid_t set = make_dataset(w, where, name, type, rank, size, max_size, properties, access);
    h5_check(w, H5Pclose(access));
    return set;
}

/* Create a time-dependent element of H5MD: a dataset `value`, and links to the step and time of its rows. */
static hid_t make_element(struct h5_writer *w, hid_t where, const char *name, hid_t type, hsize_t agents,
                          const struct h5_rows *rows)
{
    hid_t group = make_group(w, where, name);
    hid_t set = make_growing(w, group, "value", type, agents, NULL);
    h5_check(w, H5Lcreate_hard(rows->step, ".", group, "step", H5P_DEFAULT, H5P_DEFAULT));
    h5_check(w, H5Lcreate_hard(rows->time, ".", group, "time", H5P_DEFAULT, H5P_DEFAULT));
    h5_check(w, H5Gclose(group));
    return set;
}

/* The groups of the file. */

static void put_parameters(struct h5_writer *w)
{
    const struct trajectory_metadata *about = w->about;
    hid_t parameters = make_group(w, w->file, "parameters");
    put_attribute(w, parameters, "seed", H5T_STD_U64LE, H5T_NATIVE_UINT64, 0, 0, &about->seed);
    put_string(w, parameters, "version", boids_version);
    put_string(w, parameters, "git", boids_revision);
    put_string(w, parameters, "compiler", boids_compiler);
    put_string(w, parameters, "flags", boids_flags);
    put_string(w, parameters, "arithmetic", about->arithmetic);
    put_hash_string(w, parameters, "initial_hash", about->initial_hash);
    put_hash_string(w, parameters, "hash",
                    h5_hash_parameters(about->config, about->arithmetic, about->initial_hash));
    if (about->some_boids)
        put_string(w, parameters, "boids", about->some_boids);
    if (!about->has_positions || !about->has_velocities)
        put_string(w, parameters, "fields", about->has_positions ? "position" : "velocity");
    hid_t type = make_string_type(w, about->config, strlen(about->config));
    put_dataset(w, parameters, "config", type, type, 0, 0, about->config);
    h5_check(w, H5Tclose(type));
    h5_check(w, H5Gclose(parameters));
}

static void put_box(struct h5_writer *w, hid_t group, bool is_first)
{
    const int32_t dimension = (int32_t)w->dims;
    const double edges[2] = {w->about->width, w->about->height};
    enum { WORD = 8 };
    char boundary[HDF5_DIMS][WORD] = {"none", "none", "none"};
    if (w->about->is_periodic)
        memcpy(boundary, (char[2][WORD]){"periodic", "periodic"}, sizeof(char[2][WORD]));
    hid_t box = make_group(w, group, "box");
    hid_t type = make_string_type(w, boundary[0], WORD);
    put_attribute(w, box, "dimension", H5T_STD_I32LE, H5T_NATIVE_INT32, 0, 0, &dimension);
    put_attribute(w, box, "boundary", type, type, 1, w->dims, boundary);
    if (w->dims == 2)
        put_dataset(w, box, "edges", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, 2, edges);
    else if (is_first)
        w->edges = make_element(w, box, "edges", H5T_IEEE_F64LE, w->dims, &w->frames);
    else
        h5_check(
            w, H5Lcreate_hard(w->file, "particles/boids/box/edges", box, "edges", H5P_DEFAULT, H5P_DEFAULT));
    h5_check(w, H5Tclose(type));
    h5_check(w, H5Gclose(box));
}

static void put_particles(struct h5_writer *w, hid_t particles, const char *name, size_t first, size_t count)
{
    const hid_t type = w->about->is_single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    const int8_t boid = 0;
    const int8_t predator = 1;
    struct h5_particles *group = &w->groups[first > 0 ? 1 : 0];
    group->first = first;
    group->count = count;
    hid_t where = make_group(w, particles, name);
    put_box(w, where, first == 0);
    if (w->about->has_positions)
        group->position = make_element(w, where, "position", type, count, &w->frames);
    if (w->about->has_velocities)
        group->velocity = make_element(w, where, "velocity", type, count, &w->frames);
    put_dataset(w, where, "id", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, count, w->about->ids + first);
    hid_t names = h5_check(w, H5Tenum_create(H5T_STD_I8LE));
    h5_check(w, H5Tenum_insert(names, "boid", &boid));
    h5_check(w, H5Tenum_insert(names, "predator", &predator));
    int8_t *species = malloc(count);
    h5_check(w, species ? 0 : -1);
    if (species) {
        memset(species, first == 0 ? boid : predator, count);
        put_dataset(w, where, "species", names, names, 1, count, species);
    }
    free(species);
    h5_check(w, H5Tclose(names));
    h5_check(w, H5Gclose(where));
}

void h5_layout_write_counts(struct h5_writer *w, int64_t frames, int64_t observables)
{
    const int64_t counts[] = {frames, observables};
    h5_check(w, H5Dwrite(w->counts, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts));
}

static void put_hashes(struct h5_writer *w)
{
    const struct trajectory_metadata *about = w->about;
    const hsize_t two = 2;
    uint64_t ids = 0;
    for (size_t i = 0; i < about->boids + about->predators; i++)
        ids = h5_hash_id(ids, about->ids[i]);
    hid_t hashes = make_group(w, w->file, "hashes");
    w->frame_hashes = make_growing(w, hashes, "frames", H5T_STD_U64LE, 0, NULL);
    if (about->observable_count > 0)
        w->observable_hashes = make_growing(w, hashes, "observables", H5T_STD_U64LE, 0, NULL);
    w->counts = make_dataset(w, hashes, "counts", H5T_STD_I64LE, 1, &two, NULL,
                             make_properties(w, H5P_DATASET_CREATE), H5P_DEFAULT);
    h5_layout_write_counts(w, -1, -1);
    put_hash_string(w, hashes, "ids", ids);
    h5_check(w, H5Gclose(hashes));
}

/* Create a dataset of the checkpoint. */
static hid_t make_state(struct h5_writer *w, hid_t where, const char *name, hid_t type, int rank,
                        const hsize_t *size)
{
    hid_t properties = make_properties(w, H5P_DATASET_CREATE);
    h5_check(w, H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
    return make_dataset(w, where, name, type, rank, size, NULL, properties, H5P_DEFAULT);
}

static void put_checkpoint(struct h5_writer *w)
{
    const struct snapshot *initial = w->about->initial;
    const hsize_t agents = w->about->boids + w->about->predators;
    hid_t group = make_group(w, w->file, "checkpoint");
    if (initial) {
        const hsize_t size[] = {initial->boids + initial->predators, HDF5_NUMBERS};
        const int64_t step = (int64_t)initial->step;
        hid_t state = make_state(w, group, "initial", H5T_IEEE_F64LE, 2, size);
        h5_check(w, H5Dwrite(state, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, initial->agents));
        h5_check(w, H5Dclose(state));
        put_dataset(w, group, "initial_step", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, 1, &step);
        uint64_t hash = h5_hash_state(w->about->arithmetic, step, size[0], initial->agents);
        if (size[0] != agents) {
            put_dataset(w, group, "initial_id", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, size[0], initial->ids);
            for (size_t i = 0; i < size[0]; i++)
                hash = h5_hash_id(hash, initial->ids[i]);
        }
        put_dataset(w, group, "initial_hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, 1, &hash);
    }
    if (w->about->is_rounded) {
        const hsize_t size[] = {HDF5_SLOTS, agents, HDF5_NUMBERS};
        w->slot_states = make_state(w, group, "state", H5T_IEEE_F64LE, 3, size);
        w->slot_steps = make_state(w, group, "step", H5T_STD_I64LE, 1, size);
        w->slot_hashes = make_state(w, group, "hash", H5T_STD_U64LE, 1, size);
        h5_check(
            w, H5Dwrite(w->slot_steps, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->committed_steps));
    }
    h5_check(w, H5Gclose(group));
}

static void put_layout(struct h5_writer *w)
{
    static const int64_t no_step = -1;
    static const int version[2] = {1, 1};
    w->frames.step = make_growing(w, w->file, "step", H5T_STD_I64LE, 0, &no_step);
    w->frames.time = make_growing(w, w->file, "time", H5T_IEEE_F64LE, 0, NULL);
    if (w->has_samples) {
        w->samples.step = make_growing(w, w->file, "measured_step", H5T_STD_I64LE, 0, &no_step);
        w->samples.time = make_growing(w, w->file, "measured_time", H5T_IEEE_F64LE, 0, NULL);
    }
    hid_t h5md = make_group(w, w->file, "h5md");
    put_attribute(w, h5md, "version", H5T_STD_I32LE, H5T_NATIVE_INT, 1, 2, version);
    hid_t author = make_group(w, h5md, "author");
    put_string(w, author, "name", "boids");
    hid_t creator = make_group(w, h5md, "creator");
    put_string(w, creator, "name", "boids");
    put_string(w, creator, "version", boids_version);
    h5_check(w, H5Gclose(creator));
    h5_check(w, H5Gclose(author));
    h5_check(w, H5Gclose(h5md));
    put_parameters(w);
    hid_t particles = make_group(w, w->file, "particles");
    put_particles(w, particles, "boids", 0, w->about->boids);
    if (w->about->predators > 0)
        put_particles(w, particles, "predators", w->about->boids, w->about->predators);
    h5_check(w, H5Gclose(particles));
    if (w->about->observable_count > 0) {
        hid_t group = make_group(w, w->file, "observables");
        for (size_t i = 0; i < w->about->observable_count; i++)
            w->observables[i] = make_element(w, group, w->about->observable_names[i], H5T_IEEE_F64LE, 0,
                                             w->has_samples ? &w->samples : &w->frames);
        h5_check(w, H5Gclose(group));
    }
    put_hashes(w);
    if (w->about->initial || w->about->is_rounded)
        put_checkpoint(w);
    /* These datasets were created in the root group, before the groups that contain the links to them. */
    h5_check(w, H5Ldelete(w->file, "step", H5P_DEFAULT));
    h5_check(w, H5Ldelete(w->file, "time", H5P_DEFAULT));
    if (w->has_samples) {
        h5_check(w, H5Ldelete(w->file, "measured_step", H5P_DEFAULT));
        h5_check(w, H5Ldelete(w->file, "measured_time", H5P_DEFAULT));
    }
}

void h5_layout_create(struct h5_writer *w, int descriptor)
{
    const struct trajectory_metadata *about = w->about;
    const size_t frame =
        about->boids * (size_t)about->h5_dims * (about->is_single ? sizeof(float) : sizeof(double));
    hid_t properties = make_properties(w, H5P_FILE_CREATE);
    hid_t access = h5_check(w, H5Pcreate(H5P_FILE_ACCESS));
    w->disk = (struct h5_vfd_file){
        .descriptor = descriptor, .is_written = true, .is_synced = about->sync == SYNC_FLUSH};
    h5_check(w, h5_vfd_select(access, &w->disk));
    /* Select the oldest format of each metadata structure. Every version of the library can read it, and all
     * versions write the same bytes. By default, HDF5 2.0 uses the formats of 1.8 or later. */
    h5_check(w, H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    errno = 0;
    w->file = h5_check(w, H5Fcreate("trajectory", H5F_ACC_TRUNC, properties, access));
    h5_check(w, H5Pclose(access));
    h5_check(w, H5Pclose(properties));
    w->dims = (hsize_t)about->h5_dims;
    w->block = 1;
    while (about->compression == 0 && w->block < HDF5_AXIS_CHUNK && 2 * w->block * frame <= CHUNK_BYTES)
        w->block *= 2;
    w->groups[0] = w->groups[1] = (struct h5_particles){.position = -1, .velocity = -1};
    w->edges = w->observable_hashes = -1;
    if (!w->has_failed)
        put_layout(w);
}

/* Set the size of a dataset. If its rank is 1, only `rows` is used. */
static void set_extent(struct h5_writer *w, hid_t set, hsize_t rows, hsize_t agents)
{
    const hsize_t size[HDF5_DIMS] = {rows, agents, w->dims};
    if (set >= 0)
        h5_check(w, H5Dset_extent(set, size));
}

/* The order of these calls determines the positions of the datasets in the file. */
void h5_layout_extend(struct h5_writer *w, struct h5_rows *rows, hsize_t extent)
{
    if (rows == &w->frames) {
        for (int s = 0; s < (w->about->predators > 0 ? 2 : 1); s++) {
            set_extent(w, w->groups[s].position, extent, w->groups[s].count);
            set_extent(w, w->groups[s].velocity, extent, w->groups[s].count);
        }
        set_extent(w, w->edges, extent, w->dims);
    }
    if (rows == (w->has_samples ? &w->samples : &w->frames)) {
        for (size_t i = 0; i < w->about->observable_count; i++)
            set_extent(w, w->observables[i], extent, 1);
        set_extent(w, w->observable_hashes, extent, 1);
    }
    if (rows == &w->frames)
        set_extent(w, w->frame_hashes, extent, 1);
    set_extent(w, rows->time, extent, 1);
    set_extent(w, rows->step, extent, 1);
    rows->extent = extent;
}
