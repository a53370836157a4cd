/* Creates everything that an HDF5 file contains before its first frame, in the H5MD 1.1 layout (de Buyl, Colberg and
 * Höfling, "H5MD: a structured, efficient, and portable file format for molecular data", 2014).
 *
 *     /h5md                               version, author, creator
 *     /particles/boids/position/value     [T, N, 2]     also velocity, and predators if there are any; boids and
 *                                                       fields that are left out are missing
 *                              /step      [T]           one dataset, with links from all places that H5MD requires
 *                              /time      [T]           the same for the time
 *                     /box, /id, /species; /names of animals
 *     /observables/NAME/value, step, time [T]           if anything is measured; NaN if undefined. The size is [S], with
 *                                                       a separate step and time, if they are measured at other steps
 *     /hashes/frames                      [T]           hash of the numbers of each frame (hash.h)
 *            /observables                 [T] or [S]    hash of each row of observables
 *            /counts                      [2]           number of frames and of rows of observables; -1 until the file is closed
 *            @ids
 *     /checkpoint/initial, state, step                  if frames are rounded or begin later (state_reader.c)
 *     /parameters                         seed, arithmetic, initial_hash; boids and fields, if some are left out; version, git,
 *                                         compiler, flags; config, the resolved JSON; hash of config, arithmetic and initial_hash
 *
 * Runs with the same input give byte-identical files, even if they are flushed at different times: no time stamps are
 * stored, and the order of allocations in the file depends only on frames. Uncompressed datasets grow by blocks of
 * constant size, each allocated at once. The number of frames of a block is a power of two, so a chunk of
 * steps has whole blocks. Closing the file shortens the last block, but removes no chunk of steps. A compressed chunk cannot
 * be allocated before its size is known. So it contains one frame, and is written to the file as soon as it is compressed.
 */
#include "base/text.h"
#include "base/version.h"
#include "writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_CHUNKS = 16 };

/* Library calls. */

hid_t h5_check(struct h5_writer *w, hid_t result)
{
    if (result < 0 && !w->has_failed) {
        w->has_failed = true;
        w->error = errno;
    }
    return result;
}

void h5_write_slab(struct h5_writer *w, hid_t set, const struct h5_region *region, hid_t type,
                   const void *values)
{
    hid_t there = h5_check(w, H5Dget_space(set));
    hid_t here = h5_check(w, H5Screate_simple(region->rank, region->count, NULL));
    h5_check(w, H5Sselect_hyperslab(there, H5S_SELECT_SET, region->start, NULL, region->count, NULL));
    h5_check(w, H5Dwrite(set, type, here, there, H5P_DEFAULT, values));
    H5Sclose(here);
    H5Sclose(there);
}

/* Write all of a dataset. The values have the type of the dataset, in the byte order of this machine. */
static void write_all(struct h5_writer *w, hid_t set, hid_t type, const void *values)
{
    hid_t native = h5_check(w, H5Tget_native_type(type, H5T_DIR_ASCEND));
    h5_check(w, H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Tclose(native);
}

/* Octave reads only ASCII strings, so UTF-8 is used only if it is needed, for example for a file name in the
 * compiler flags. */
static hid_t make_string_type(struct h5_writer *w, const char *text, size_t length)
{
    const char *c = text;
    while (*c && (unsigned char)*c < 0x80)
        c++;
    hid_t type = h5_check(w, H5Tcopy(H5T_C_S1));
    h5_check(w, H5Tset_size(type, length ? length : 1));
    h5_check(w, H5Tset_cset(type, *c == '\0' ? H5T_CSET_ASCII : H5T_CSET_UTF8));
    h5_check(w, H5Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

/* Creation properties of an object without time stamps, so that runs with the same input give byte-identical files. */
static hid_t make_properties(struct h5_writer *w, hid_t class)
{
    hid_t properties = h5_check(w, H5Pcreate(class));
    h5_check(w, H5Pset_obj_track_times(properties, 0));
    return properties;
}

/* An open group of the file. put_ writes an attribute or a dataset and closes it; make_ returns an open object. */
struct h5_group {
    struct h5_writer *w;
    hid_t id;
};

static struct h5_group make_group(struct h5_group parent, const char *name)
{
    struct h5_writer *w = parent.w;
    hid_t properties = make_properties(w, H5P_GROUP_CREATE);
    hid_t group = h5_check(w, H5Gcreate2(parent.id, name, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
    return (struct h5_group){w, group};
}

static void close_group(struct h5_group group)
{
    h5_check(group.w, H5Gclose(group.id));
}

/* An attribute of `count` values; `count` is 0 for a scalar. */
static void put_attribute(struct h5_group group, const char *name, hid_t type, hsize_t count,
                          const void *values)
{
    struct h5_writer *w = group.w;
    hid_t native = h5_check(w, H5Tget_native_type(type, H5T_DIR_ASCEND));
    hid_t space = h5_check(w, H5Screate_simple(count > 0, &count, NULL));
    hid_t attribute = h5_check(w, H5Acreate2(group.id, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    h5_check(w, H5Awrite(attribute, native, values));
    h5_check(w, H5Aclose(attribute));
    H5Sclose(space);
    H5Tclose(native);
}

static void put_string(struct h5_group group, const char *name, const char *text)
{
    hid_t type = make_string_type(group.w, text, strlen(text));
    put_attribute(group, name, type, 0, text);
    H5Tclose(type);
}

static void put_hash_string(struct h5_group group, const char *name, uint64_t hash)
{
    char word[HDF5_HASH_SIZE];
    snprintf(word, sizeof word, "%016" PRIx64, hash);
    put_string(group, name, word);
}

static void put_link(struct h5_group group, const char *name, hid_t object, const char *path)
{
    h5_check(group.w, H5Lcreate_hard(object, path, group.id, name, H5P_DEFAULT, H5P_DEFAULT));
}

/* The size and the properties of datasets. */
struct plan {
    hid_t space, properties;
};

/* If `max_size` is NULL, the dataset cannot grow. */
static struct plan begin_plan(struct h5_writer *w, int rank, const hsize_t *size, const hsize_t *max_size)
{
    return (struct plan){h5_check(w, H5Screate_simple(rank, size, max_size)),
                         make_properties(w, H5P_DATASET_CREATE)};
}

static void end_plan(struct plan plan)
{
    H5Sclose(plan.space);
    H5Pclose(plan.properties);
}

static hid_t make_dataset(struct h5_group group, const char *name, hid_t type, struct plan plan)
{
    return h5_check(group.w,
                    H5Dcreate2(group.id, name, type, plan.space, H5P_DEFAULT, plan.properties, H5P_DEFAULT));
}

/* A dataset of `count` values; a scalar if `count` is 0. */
static void put_dataset(struct h5_group group, const char *name, hid_t type, hsize_t count,
                        const void *values)
{
    const struct plan plan = begin_plan(group.w, count > 0, &count, NULL);
    hid_t set = make_dataset(group, name, type, plan);
    write_all(group.w, set, type, values);
    h5_check(group.w, H5Dclose(set));
    end_plan(plan);
}

/* Plan datasets that grow with the frames. They have one number per row or, if `agents` is not 0, `agents` vectors
 * per row. */
static struct plan begin_growing(struct h5_writer *w, hsize_t agents, const int64_t *fill)
{
    const int rank = agents > 0 ? HDF5_DIMS : 1;
    const hsize_t size[] = {0, agents, w->dims};
    const hsize_t max_size[] = {H5S_UNLIMITED, agents, w->dims};
    const hsize_t chunk[] = {agents > 0 ? w->block : w->rows_per_chunk,
                             agents < HDF5_CHUNK_AGENTS ? agents : HDF5_CHUNK_AGENTS, w->dims};
    const struct plan plan = begin_plan(w, rank, size, max_size);
    h5_check(w, H5Pset_chunk(plan.properties, rank, chunk));
    if (w->about->config->output.compression > 0 && agents > 0) {
        h5_check(w, H5Pset_shuffle(plan.properties));
        h5_check(w, H5Pset_deflate(plan.properties, (unsigned)w->about->config->output.compression));
    } else {
        h5_check(w, H5Pset_alloc_time(plan.properties, H5D_ALLOC_TIME_EARLY));
    }
    /* New space in a file reads as zeros. Writing zeros to it would take as long as writing the frames. */
    if (fill)
        h5_check(w, H5Pset_fill_value(plan.properties, H5T_NATIVE_INT64, fill));
    else
        h5_check(w, H5Pset_fill_time(plan.properties, H5D_FILL_TIME_NEVER));
    return plan;
}

/* Create a time-dependent element of H5MD: a dataset `value`, and links to the step and time of its rows. */
static hid_t make_element(struct h5_group parent, const char *name, hid_t type, struct plan plan,
                          const struct h5_rows *rows)
{
    struct h5_group group = make_group(parent, name);
    hid_t set = make_dataset(group, "value", type, plan);
    put_link(group, "step", rows->step, ".");
    put_link(group, "time", rows->time, ".");
    close_group(group);
    return set;
}

/* The groups of the file. */

/* What a file of animals says about them (docs/files.md) is also in a file to which it is converted. Each is a number or a text.
 * If unwrapped positions are wrapped now, the attribute `rounded` says that they have lost digits. */
static herr_t copy_attribute(hid_t from, const char *name, const H5A_info_t *info, void *to)
{
    const struct h5_group *group = to;
    if (H5Aexists(group->id, name) != 0)
        return 0;
    hid_t attribute = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t native = H5Tget_native_type(type, H5T_DIR_ASCEND);
    if (H5Tget_class(type) <= H5T_STRING && H5Tget_size(native) == info->data_size) {
        void *value = malloc(info->data_size);
        h5_check(group->w, value ? H5Aread(attribute, native, value) : -1);
        put_attribute(*group, text_is_same(name, "positions") ? "rounded" : name, type, 0, value);
        free(value);
    }
    H5Tclose(native);
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
}

static void put_parameters(struct h5_group root)
{
    const struct trajectory_metadata *about = root.w->about;
    const unsigned fields = about->config->output.fields;
    struct h5_group parameters = make_group(root, "parameters");
    put_attribute(parameters, "seed", H5T_STD_U64LE, 0, &about->config->model.seed);
    put_string(parameters, "version", version_number);
    put_string(parameters, "git", version_revision);
    put_string(parameters, "compiler", version_compiler);
    put_string(parameters, "flags", version_flags);
    put_string(parameters, "arithmetic", about->arithmetic);
    put_hash_string(parameters, "initial_hash", about->initial_hash);
    put_hash_string(parameters, "hash",
                    h5_hash_parameters(about->config_text, about->arithmetic, about->initial_hash));
    if (about->some_boids)
        put_string(parameters, "boids", about->some_boids);
    if (~fields & CONFIG_ALL_FIELDS)
        put_string(parameters, "fields", fields & CONFIG_POSITION ? "position" : "velocity");
    if (config_unwraps(about->config))
        put_string(parameters, "positions", "unwrapped");
    hid_t type = make_string_type(root.w, about->config_text, strlen(about->config_text));
    put_dataset(parameters, "config", type, 0, about->config_text);
    H5Tclose(type);
    if (about->origin)
        h5_check(root.w, H5Aiterate_by_name(about->origin, "parameters", H5_INDEX_NAME, H5_ITER_INC, NULL,
                                            copy_attribute, &parameters, H5P_DEFAULT));
    close_group(parameters);
}

static void put_box(struct h5_group parent, bool is_first)
{
    struct h5_writer *w = parent.w;
    const int32_t dimension = (int32_t)w->dims;
    const struct flock_world_model *world = &w->about->config->model.world;
    const double edges[2] = {world->width, world->height};
    enum { WORD = 8 };
    char boundary[HDF5_DIMS][WORD] = {"none", "none", "none"};
    if (world->border == FLOCK_WRAP)
        memcpy(boundary, (char[2][WORD]){"periodic", "periodic"}, sizeof(char[2][WORD]));
    struct h5_group box = make_group(parent, "box");
    hid_t type = make_string_type(w, boundary[0], WORD);
    put_attribute(box, "dimension", H5T_STD_I32LE, 0, &dimension);
    put_attribute(box, "boundary", type, w->dims, boundary);
    if (w->dims == 2) {
        put_dataset(box, "edges", H5T_IEEE_F64LE, 2, edges);
    } else if (is_first) {
        const struct plan plan = begin_growing(w, w->dims, NULL);
        w->edges = make_element(box, "edges", H5T_IEEE_F64LE, plan, &w->frames);
        end_plan(plan);
    } else {
        put_link(box, "edges", w->file, "particles/boids/box/edges");
    }
    H5Tclose(type);
    close_group(box);
}

static void put_particles(struct h5_group parent, const char *name, size_t first, size_t count)
{
    struct h5_writer *w = parent.w;
    const hid_t type = w->about->is_stored_as_float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    const int8_t boid = 0, predator = 1;
    struct h5_particles *particles = &w->groups[first > 0 ? 1 : 0];
    particles->first = first;
    particles->count = count;
    struct h5_group group = make_group(parent, name);
    put_box(group, first == 0);
    const struct plan plan = begin_growing(w, count, NULL);
    if (w->about->config->output.fields & CONFIG_POSITION)
        particles->fields[HDF5_POSITION] = make_element(group, "position", type, plan, &w->frames);
    if (w->about->config->output.fields & CONFIG_VELOCITY)
        particles->fields[HDF5_VELOCITY] = make_element(group, "velocity", type, plan, &w->frames);
    end_plan(plan);
    put_dataset(group, "id", H5T_STD_I32LE, count, w->about->ids + first);
    hid_t names = h5_check(w, H5Tenum_create(H5T_STD_I8LE));
    h5_check(w, H5Tenum_insert(names, "boid", &boid));
    h5_check(w, H5Tenum_insert(names, "predator", &predator));
    int8_t *species = malloc(count);
    h5_check(w, species ? 0 : -1);
    if (species) {
        memset(species, first == 0 ? boid : predator, count);
        put_dataset(group, "species", names, count, species);
    }
    free(species);
    H5Tclose(names);
    close_group(group);
}

void h5_layout_write_counts(struct h5_writer *w, int64_t frames, int64_t observables)
{
    write_all(w, w->counts, H5T_STD_I64LE, (int64_t[]){frames, observables});
}

static void put_hashes(struct h5_group root, struct plan rows)
{
    struct h5_writer *w = root.w;
    const struct trajectory_metadata *about = w->about;
    uint64_t ids = 0;
    for (size_t i = 0; i < about->boids + about->predators; i++)
        ids = h5_hash_id(ids, about->ids[i]);
    struct h5_group hashes = make_group(root, "hashes");
    w->frame_hashes = make_dataset(hashes, "frames", H5T_STD_U64LE, rows);
    if (about->observable_count > 0)
        w->observable_hashes = make_dataset(hashes, "observables", H5T_STD_U64LE, rows);
    const struct plan plan = begin_plan(w, 1, (hsize_t[]){2}, NULL);
    w->counts = make_dataset(hashes, "counts", H5T_STD_I64LE, plan);
    end_plan(plan);
    h5_layout_write_counts(w, -1, -1);
    put_hash_string(hashes, "ids", ids);
    char contents[HDF5_CONTENTS_SIZE];
    snprintf(contents, sizeof contents, "frames%s%s%s", about->observable_count > 0 ? " observables" : "",
             about->is_rounded ? " state" : "", about->initial ? " initial" : "");
    put_string(hashes, "contents", contents);
    close_group(hashes);
}

/* Create a dataset of the checkpoint. */
static hid_t make_state(struct h5_group group, const char *name, hid_t type, int rank, const hsize_t *size)
{
    const struct plan plan = begin_plan(group.w, rank, size, NULL);
    h5_check(group.w, H5Pset_alloc_time(plan.properties, H5D_ALLOC_TIME_EARLY));
    hid_t set = make_dataset(group, name, type, plan);
    end_plan(plan);
    return set;
}

static void put_initial(struct h5_group group, const struct frame *initial)
{
    const struct trajectory_metadata *about = group.w->about;
    const hsize_t size[] = {initial->boids + initial->predators, HDF5_NUMBERS};
    const int64_t step = (int64_t)initial->step;
    hid_t state = make_state(group, "initial", H5T_IEEE_F64LE, 2, size);
    write_all(group.w, state, H5T_IEEE_F64LE, initial->agents);
    h5_check(group.w, H5Dclose(state));
    put_dataset(group, "initial_step", H5T_STD_I64LE, 1, &step);
    uint64_t hash = h5_hash_state(about->arithmetic, step, size[0], initial->agents);
    if (size[0] != about->boids + about->predators) {
        put_dataset(group, "initial_id", H5T_STD_I32LE, size[0], initial->ids);
        for (size_t i = 0; i < size[0]; i++)
            hash = h5_hash_id(hash, initial->ids[i]);
    }
    put_dataset(group, "initial_hash", H5T_STD_U64LE, 1, &hash);
}

static void make_slots(struct h5_group group)
{
    struct h5_writer *w = group.w;
    const hsize_t size[] = {HDF5_SLOTS, w->about->boids + w->about->predators, HDF5_NUMBERS};
    w->slot_states = make_state(group, "state", H5T_IEEE_F64LE, 3, size);
    w->slot_steps = make_state(group, "step", H5T_STD_I64LE, 1, size);
    w->slot_hashes = make_state(group, "hash", H5T_STD_U64LE, 1, size);
    write_all(w, w->slot_steps, H5T_STD_I64LE, w->committed_steps);
}

static void put_h5md(struct h5_group root)
{
    static const int32_t version[2] = {1, 1};
    struct h5_group h5md = make_group(root, "h5md");
    put_attribute(h5md, "version", H5T_STD_I32LE, 2, version);
    struct h5_group author = make_group(h5md, "author");
    put_string(author, "name", "boids");
    struct h5_group creator = make_group(h5md, "creator");
    put_string(creator, "name", "boids");
    put_string(creator, "version", version_number);
    close_group(creator);
    close_group(author);
    close_group(h5md);
}

static void put_layout(struct h5_writer *w)
{
    static const int64_t no_step = -1;
    static const char names[] = "particles/boids/names"; /* of animals */
    const struct trajectory_metadata *about = w->about;
    const struct h5_group root = {w, w->file};
    const struct plan steps = begin_growing(w, 0, &no_step), rows = begin_growing(w, 0, NULL);
    w->frames.step = make_dataset(root, "step", H5T_STD_I64LE, steps);
    w->frames.time = make_dataset(root, "time", H5T_IEEE_F64LE, rows);
    if (w->has_samples) {
        w->samples.step = make_dataset(root, "measured_step", H5T_STD_I64LE, steps);
        w->samples.time = make_dataset(root, "measured_time", H5T_IEEE_F64LE, rows);
    }
    put_h5md(root);
    put_parameters(root);
    struct h5_group particles = make_group(root, "particles");
    put_particles(particles, "boids", 0, about->boids);
    if (about->predators > 0)
        put_particles(particles, "predators", about->boids, about->predators);
    close_group(particles);
    if (about->origin && !about->some_boids && H5Lexists(about->origin, names, H5P_DEFAULT) > 0)
        h5_check(w, H5Ocopy(about->origin, names, w->file, names, H5P_DEFAULT, H5P_DEFAULT));
    if (about->observable_count > 0) {
        struct h5_group group = make_group(root, "observables");
        for (size_t i = 0; i < about->observable_count; i++)
            w->observables[i].dataset = make_element(group, about->observable_names[i], H5T_IEEE_F64LE, rows,
                                                     w->has_samples ? &w->samples : &w->frames);
        close_group(group);
    }
    put_hashes(root, rows);
    end_plan(rows);
    end_plan(steps);
    if (about->initial || about->is_rounded) {
        struct h5_group group = make_group(root, "checkpoint");
        if (about->initial)
            put_initial(group, about->initial);
        if (about->is_rounded)
            make_slots(group);
        close_group(group);
    }
    /* These datasets were created in the root group, before the groups that contain the links to them. */
    static const char *const links[] = {"step", "time", "measured_step", "measured_time"};
    for (int i = 0; i < (w->has_samples ? 4 : 2); i++)
        h5_check(w, H5Ldelete(w->file, links[i], H5P_DEFAULT));
}

void h5_layout_create(struct h5_writer *w, int descriptor)
{
    hid_t properties = make_properties(w, H5P_FILE_CREATE);
    /* Each dataset has a B-tree of its chunks. By default, a node has room for 64 chunks, so a short run would consist mostly
     * of empty nodes. */
    h5_check(w, H5Pset_istore_k(properties, NODE_CHUNKS / 2));
    hid_t access = h5_check(w, H5Pcreate(H5P_FILE_ACCESS));
    w->disk = (struct h5_vfd_file){.descriptor = descriptor,
                                   .is_written = true,
                                   .is_synced = w->about->config->output.sync == CONFIG_SYNC_FLUSH};
    h5_check(w, h5_vfd_select(access, &w->disk));
    /* Select the oldest format of each metadata structure. Every version of the library can read it, and all
     * versions write the same bytes. By default, HDF5 2.0 uses the formats of 1.8 or later. */
    h5_check(w, H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    /* writer.c passes whole chunks. Without a cache, the library neither copies them nor reads them before it writes. */
    h5_check(w, H5Pset_cache(access, 0, 0, 0, 1));
    errno = 0;
    w->file = h5_check(w, H5Fcreate("trajectory", H5F_ACC_TRUNC, properties, access));
    H5Pclose(access);
    H5Pclose(properties);
    w->groups[0] = w->groups[1] = (struct h5_particles){.fields = {-1, -1}};
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
    const double edges[HDF5_DIMS][HDF5_DIMS] = {
        {w->about->config->model.world.width, 0, 0}, {0, w->about->config->model.world.height, 0}, {0, 0, 1}};
    if (rows->count < rows->total && extent > rows->total)
        extent = rows->total;
    if (rows == &w->frames) {
        for (int i = 0; i < 2 * HDF5_FIELDS; i++) {
            const struct h5_particles *group = &w->groups[i / HDF5_FIELDS];
            set_extent(w, group->fields[i % HDF5_FIELDS], extent, group->count);
        }
        set_extent(w, w->edges, extent, w->dims);
        for (hsize_t row = rows->extent; w->edges >= 0 && row < extent; row++)
            h5_write_slab(w, w->edges, &(struct h5_region){HDF5_DIMS, {row}, {1, HDF5_DIMS, HDF5_DIMS}},
                          H5T_NATIVE_DOUBLE, edges);
    }
    if (rows == (w->has_samples ? &w->samples : &w->frames)) {
        for (size_t i = 0; i < w->about->observable_count; i++)
            set_extent(w, w->observables[i].dataset, extent, 1);
        set_extent(w, w->observable_hashes, extent, 1);
    }
    if (rows == &w->frames)
        set_extent(w, w->frame_hashes, extent, 1);
    set_extent(w, rows->time, extent, 1);
    set_extent(w, rows->step, extent, 1);
    rows->extent = extent;
}
