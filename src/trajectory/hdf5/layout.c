/* What an HDF5 file holds before its first frame, in the H5MD 1.1 layout (de Buyl, Colberg and Höfling, "H5MD: a
 * structured, efficient, and portable file format for molecular data", 2014).
 *
 *     /h5md                               version, author, creator
 *     /particles/boids/position/value     [T, N, 2]     likewise velocity, and predators where there are any
 *                              /step      [T]           one dataset in the file, linked wherever H5MD wants it
 *                              /time      [T]           likewise
 *                     /box, /id, /species
 *     /observables/NAME/value, step, time [T]           where something is measured; NaN where undefined
 *     /checkpoint/initial, state, step                  where frames are rounded: checkpoint.c
 *     /parameters                         seed, arithmetic, initial_hash; version, git, compiler, flags; config, the
 *                                         resolved JSON
 *
 * Equal runs give equal bytes, whenever they were flushed: no times are tracked, and space in the file is taken in an
 * order that frames alone decide. Uncompressed datasets grow by fixed blocks that are allocated at once; a block is a
 * power of two, so that it never ends amid a chunk of steps and closing a file has no chunk to give back. A compressed
 * chunk cannot be allocated before its size is known, so there a chunk is one frame and goes to the file as soon as it
 * is written.
 */
#include "driver.h"
#include "version.h"
#include "writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AGENTS_IN_CHUNK = 1 << 24 };

/* Attributes and small datasets. */

static bool is_ascii(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

/* Octave reads no texts but ASCII. Few are anything else: a file's name in the compiler's flags may be. */
static hid_t string_type(struct hdf5_writer *w, const char *text, size_t length)
{
    hid_t type = hdf5_keep(w, H5Tcopy(H5T_C_S1));
    hdf5_keep(w, H5Tset_size(type, length ? length : 1));
    hdf5_keep(w, H5Tset_cset(type, is_ascii(text) ? H5T_CSET_ASCII : H5T_CSET_UTF8));
    hdf5_keep(w, H5Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

static hid_t make_space(struct hdf5_writer *w, int rank, const hsize_t *size)
{
    return hdf5_keep(w, rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, size, NULL));
}

static void put_attribute(struct hdf5_writer *w, hid_t where, const char *name, hid_t file_type, hid_t type,
                          int rank, hsize_t size, const void *value)
{
    hid_t space = make_space(w, rank, &size);
    hid_t attribute = hdf5_keep(w, H5Acreate2(where, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT));
    hdf5_keep(w, H5Awrite(attribute, type, value));
    hdf5_keep(w, H5Aclose(attribute));
    hdf5_keep(w, H5Sclose(space));
}

static void put_text(struct hdf5_writer *w, hid_t where, const char *name, const char *text)
{
    hid_t type = string_type(w, text, strlen(text));
    put_attribute(w, where, name, type, type, 0, 0, text);
    hdf5_keep(w, H5Tclose(type));
}

hid_t hdf5_timeless(struct hdf5_writer *w, hid_t class)
{
    hid_t properties = hdf5_keep(w, H5Pcreate(class));
    hdf5_keep(w, H5Pset_obj_track_times(properties, 0));
    return properties;
}

hid_t hdf5_make_group(struct hdf5_writer *w, hid_t where, const char *name)
{
    hid_t properties = hdf5_timeless(w, H5P_GROUP_CREATE);
    hid_t group = hdf5_keep(w, H5Gcreate2(where, name, H5P_DEFAULT, properties, H5P_DEFAULT));
    hdf5_keep(w, H5Pclose(properties));
    return group;
}

static void put_dataset(struct hdf5_writer *w, hid_t where, const char *name, hid_t file_type, hid_t type,
                        int rank, hsize_t size, const void *value)
{
    hid_t properties = hdf5_timeless(w, H5P_DATASET_CREATE);
    hid_t space = make_space(w, rank, &size);
    hid_t set = hdf5_keep(w, H5Dcreate2(where, name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    hdf5_keep(w, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value));
    hdf5_keep(w, H5Dclose(set));
    hdf5_keep(w, H5Sclose(space));
    hdf5_keep(w, H5Pclose(properties));
}

/* Datasets that grow with the frames. */

static hid_t growing_properties(struct hdf5_writer *w, int rank, const hsize_t *chunk, bool is_compressed)
{
    hid_t properties = hdf5_timeless(w, H5P_DATASET_CREATE);
    hdf5_keep(w, H5Pset_chunk(properties, rank, chunk));
    if (is_compressed) {
        hdf5_keep(w, H5Pset_shuffle(properties));
        hdf5_keep(w, H5Pset_deflate(properties, (unsigned)w->about->compression));
    } else {
        hdf5_keep(w, H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
    }
    return properties;
}

/* Without a cache, a compressed chunk is written once, when it is given. */
static hid_t access_properties(struct hdf5_writer *w, bool is_compressed)
{
    hid_t access = hdf5_keep(w, H5Pcreate(H5P_DATASET_ACCESS));
    if (is_compressed)
        hdf5_keep(w, H5Pset_chunk_cache(access, 0, 0, 1));
    return access;
}

static hid_t make_growing(struct hdf5_writer *w, hid_t where, const char *name, hid_t type, int rank,
                          const hsize_t *size, const hsize_t *chunk, const int64_t *fill)
{
    const bool is_compressed = w->about->compression > 0 && rank == HDF5_DIMS;
    hsize_t most[HDF5_DIMS] = {H5S_UNLIMITED, rank > 1 ? size[1] : 0, rank > 2 ? size[2] : 0};
    hid_t properties = growing_properties(w, rank, chunk, is_compressed);
    /* What is allocated is the file's own zeros; to write them as well would take as long as the frames. */
    if (fill)
        hdf5_keep(w, H5Pset_fill_value(properties, H5T_NATIVE_INT64, fill));
    else
        hdf5_keep(w, H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
    hid_t access = access_properties(w, is_compressed);
    hid_t space = hdf5_keep(w, H5Screate_simple(rank, size, most));
    hid_t set = hdf5_keep(w, H5Dcreate2(where, name, type, space, H5P_DEFAULT, properties, access));
    hdf5_keep(w, H5Sclose(space));
    hdf5_keep(w, H5Pclose(access));
    hdf5_keep(w, H5Pclose(properties));
    return set;
}

static hid_t make_line(struct hdf5_writer *w, hid_t where, const char *name, hid_t type, const int64_t *fill)
{
    const hsize_t size = 0;
    const hsize_t chunk = HDF5_LINE_CHUNK;
    return make_growing(w, where, name, type, 1, &size, &chunk, fill);
}

static void link_lines(struct hdf5_writer *w, hid_t group)
{
    hdf5_keep(w, H5Lcreate_hard(w->step, ".", group, "step", H5P_DEFAULT, H5P_DEFAULT));
    hdf5_keep(w, H5Lcreate_hard(w->time, ".", group, "time", H5P_DEFAULT, H5P_DEFAULT));
}

/* A time-dependent element of H5MD: value, and the file's one step and time. */
static hid_t make_element(struct hdf5_writer *w, hid_t where, const char *name, hid_t type, hsize_t rows,
                          hsize_t block)
{
    const hsize_t columns = w->dims;
    const hsize_t size[HDF5_DIMS] = {0, rows, columns};
    const hsize_t chunk[HDF5_DIMS] = {block, rows < MOST_AGENTS_IN_CHUNK ? rows : MOST_AGENTS_IN_CHUNK,
                                      columns};
    hid_t group = hdf5_make_group(w, where, name);
    hid_t set = make_growing(w, group, "value", type, HDF5_DIMS, size, chunk, NULL);
    link_lines(w, group);
    hdf5_keep(w, H5Gclose(group));
    return set;
}

/* The parts of the file. */

static void put_h5md(struct hdf5_writer *w)
{
    const int version[2] = {1, 1};
    hid_t h5md = hdf5_make_group(w, w->file, "h5md");
    put_attribute(w, h5md, "version", H5T_STD_I32LE, H5T_NATIVE_INT, 1, 2, version);
    hid_t author = hdf5_make_group(w, h5md, "author");
    put_text(w, author, "name", "boids");
    hid_t creator = hdf5_make_group(w, h5md, "creator");
    put_text(w, creator, "name", "boids");
    put_text(w, creator, "version", boids_version);
    hdf5_keep(w, H5Gclose(creator));
    hdf5_keep(w, H5Gclose(author));
    hdf5_keep(w, H5Gclose(h5md));
}

static void put_parameters(struct hdf5_writer *w)
{
    const struct trajectory_about *about = w->about;
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, about->initial_hash);
    hid_t parameters = hdf5_make_group(w, w->file, "parameters");
    put_attribute(w, parameters, "seed", H5T_STD_U64LE, H5T_NATIVE_UINT64, 0, 0, &about->seed);
    put_text(w, parameters, "version", boids_version);
    put_text(w, parameters, "git", boids_revision);
    put_text(w, parameters, "compiler", boids_compiler);
    put_text(w, parameters, "flags", boids_flags);
    put_text(w, parameters, "arithmetic", about->arithmetic);
    put_text(w, parameters, "initial_hash", hash);
    hid_t type = string_type(w, about->config, strlen(about->config));
    put_dataset(w, parameters, "config", type, type, 0, 0, about->config);
    hdf5_keep(w, H5Tclose(type));
    hdf5_keep(w, H5Gclose(parameters));
}

static void put_box(struct hdf5_writer *w, hid_t group, bool is_first)
{
    const int32_t dimension = (int32_t)w->dims;
    const double edges[2] = {w->about->width, w->about->height};
    enum { WORD = 8 };
    char boundary[HDF5_DIMS][WORD] = {"none", "none", "none"};
    if (w->about->is_periodic)
        memcpy(boundary, (char[2][WORD]){"periodic", "periodic"}, sizeof(char[2][WORD]));
    hid_t box = hdf5_make_group(w, group, "box");
    hid_t type = string_type(w, boundary[0], WORD);
    put_attribute(w, box, "dimension", H5T_STD_I32LE, H5T_NATIVE_INT32, 0, 0, &dimension);
    put_attribute(w, box, "boundary", type, type, 1, w->dims, boundary);
    if (w->dims == 2)
        put_dataset(w, box, "edges", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, 2, edges);
    else if (is_first)
        w->edges = make_element(w, box, "edges", H5T_IEEE_F64LE, w->dims, w->block);
    else
        hdf5_keep(
            w, H5Lcreate_hard(w->file, "particles/boids/box/edges", box, "edges", H5P_DEFAULT, H5P_DEFAULT));
    hdf5_keep(w, H5Tclose(type));
    hdf5_keep(w, H5Gclose(box));
}

static void put_species(struct hdf5_writer *w, hid_t where, const struct hdf5_group *group, bool is_predator)
{
    const int8_t boid = 0;
    const int8_t predator = 1;
    hid_t type = hdf5_keep(w, H5Tenum_create(H5T_STD_I8LE));
    hdf5_keep(w, H5Tenum_insert(type, "boid", &boid));
    hdf5_keep(w, H5Tenum_insert(type, "predator", &predator));
    int8_t *species = malloc(group->count);
    hdf5_keep(w, species ? 0 : -1);
    if (species) {
        memset(species, is_predator ? predator : boid, group->count);
        put_dataset(w, where, "species", type, type, 1, group->count, species);
    }
    free(species);
    hdf5_keep(w, H5Tclose(type));
}

static void put_particles(struct hdf5_writer *w, hid_t particles, const char *name, size_t first,
                          size_t count)
{
    const bool is_predator = first > 0;
    struct hdf5_group *group = &w->groups[w->group_count++];
    *group = (struct hdf5_group){.first = first, .count = count};
    hid_t where = hdf5_make_group(w, particles, name);
    put_box(w, where, !is_predator);
    group->position = make_element(w, where, "position", w->type, count, w->block);
    group->velocity = make_element(w, where, "velocity", w->type, count, w->block);
    put_dataset(w, where, "id", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, count, w->about->ids + first);
    put_species(w, where, group, is_predator);
    hdf5_keep(w, H5Gclose(where));
}

static void put_observables(struct hdf5_writer *w)
{
    const struct trajectory_about *about = w->about;
    if (about->observable_count == 0)
        return;
    hid_t observables = hdf5_make_group(w, w->file, "observables");
    for (size_t i = 0; i < about->observable_count; i++) {
        hid_t group = hdf5_make_group(w, observables, about->observable_names[i]);
        w->observables[i] = make_line(w, group, "value", H5T_IEEE_F64LE, NULL);
        link_lines(w, group);
        hdf5_keep(w, H5Gclose(group));
    }
    hdf5_keep(w, H5Gclose(observables));
}

static void unlink_lines(struct hdf5_writer *w)
{
    hdf5_keep(w, H5Ldelete(w->file, "step", H5P_DEFAULT));
    hdf5_keep(w, H5Ldelete(w->file, "time", H5P_DEFAULT));
}

static void put_layout(struct hdf5_writer *w)
{
    const int64_t no_step = -1;
    const struct trajectory_about *about = w->about;
    w->step = make_line(w, w->file, "step", H5T_STD_I64LE, &no_step);
    w->time = make_line(w, w->file, "time", H5T_IEEE_F64LE, NULL);
    put_h5md(w);
    put_parameters(w);
    hid_t particles = hdf5_make_group(w, w->file, "particles");
    put_particles(w, particles, "boids", 0, about->boids);
    if (about->predators > 0)
        put_particles(w, particles, "predators", about->boids, about->predators);
    hdf5_keep(w, H5Gclose(particles));
    put_observables(w);
    if (about->is_rounded)
        hdf5_checkpoint_create(w);
    /* Made at the root, before their places were there; from now on they live where they were linked. */
    unlink_lines(w);
}

void hdf5_create(struct hdf5_writer *w, int descriptor)
{
    hid_t properties = hdf5_timeless(w, H5P_FILE_CREATE);
    hid_t access = hdf5_keep(w, H5Pcreate(H5P_FILE_ACCESS));
    hdf5_keep(w, hdf5_driver_use(access, descriptor));
    /* The oldest form of each table, as ever: what reads a trajectory today, reads the next one, and two versions of the
     * library write the same bytes. Left to itself, HDF5 2.0 begins with the forms of 1.8. */
    hdf5_keep(w, H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    errno = 0;
    w->file = hdf5_keep(w, H5Fcreate(w->part.path, H5F_ACC_TRUNC, properties, access));
    hdf5_keep(w, H5Pclose(access));
    hdf5_keep(w, H5Pclose(properties));
    if (!w->has_failed)
        put_layout(w);
}
