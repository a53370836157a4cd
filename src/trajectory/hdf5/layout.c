/* What an HDF5 file holds before its first frame, in the H5MD 1.1 layout (de Buyl, Colberg and Höfling, "H5MD: a
 * structured, efficient, and portable file format for molecular data", 2014).
 *
 *     /h5md                               version, author, creator
 *     /particles/boids/position/value     [T, N, 2]     likewise velocity, and predators where there are any; without
 *                                                       those that output.boids and output.fields leave out
 *                              /step      [T]           one dataset in the file, linked wherever H5MD wants it
 *                              /time      [T]           likewise
 *                     /box, /id, /species
 *     /observables/NAME/value, step, time [T]           where something is measured; NaN where undefined. S instead of T,
 *                                                       with a step and time of their own, where it is measured at other
 *                                                       steps
 *     /hashes/frames                      [T]           of the numbers of each frame: hash.h
 *            /observables                 [T] or [S]    of each row of them
 *            /counts                      [2]           frames and rows of observables, -1 until the file was closed
 *            @ids
 *     /checkpoint/initial, state, step                  where frames are rounded or begin later: checkpoint.c
 *     /parameters                         seed, arithmetic, initial_hash; boids and fields (contents.c); version, git,
 *                                         compiler, flags; config, the resolved JSON; hash, of it, arithmetic and initial_hash
 *
 * Equal runs give equal bytes, whenever they were flushed: no times are tracked, and the order of allocations in the file
 * depends only on frames. Uncompressed datasets grow by fixed blocks that are allocated at once. A block is a power of two, so
 * that it never ends inside a chunk of steps and closing a file returns no chunk. A compressed chunk cannot be allocated before
 * its size is known, so there a chunk is one frame and goes to the file when it is written.
 */
#include "layout.h"

#include "version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 128 << 10 };

static hsize_t frames_in_block(const struct trajectory_about *about)
{
    const size_t number = about->is_single ? sizeof(float) : sizeof(double);
    const size_t frame = about->boids * (size_t)about->h5_dims * number;
    hsize_t block = 1;
    while (about->compression == 0 && block < HDF5_AXIS_CHUNK && 2 * block * frame <= CHUNK_BYTES)
        block *= 2;
    return block;
}

bool h5_layout_init(struct h5_layout *l, const struct trajectory_about *about, struct h5_failure *failure)
{
    const size_t agents = about->boids + about->predators;
    *l = (struct h5_layout){
        .failure = failure,
        .about = about,
        .type = about->is_single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE,
        .dims = (hsize_t)about->h5_dims,
        .block = frames_in_block(about),
        .edges = -1,
        .hashes = {.format = h5_hash_stored_format(about->arithmetic,
                                                   about->is_single ? sizeof(float) : sizeof(double)),
                   .observables = -1},
        .has_samples =
            about->observable_count > 0 && !interval_equals(about->measured_steps, about->frame_steps),
        .observables = calloc(about->observable_count + 1, sizeof *l->observables),
        .checkpoint = {.failure = failure,
                       .agents = agents,
                       .format = h5_hash_native_format(about->arithmetic),
                       .has_slots = about->is_rounded,
                       .frame_steps = about->frame_steps},
    };
    if (about->is_rounded)
        l->checkpoint.latest = malloc(agents * sizeof *l->checkpoint.latest);
    return l->observables && (l->checkpoint.latest || !about->is_rounded);
}

void h5_layout_free(struct h5_layout *l)
{
    free(l->observables);
    free(l->checkpoint.latest);
}

/* Datasets that grow with the frames. */

static hid_t make_growing(struct h5_layout *l, hid_t where, const char *name, hid_t type, int rank,
                          const hsize_t *size, const hsize_t *chunk, const int64_t *fill)
{
    const bool is_compressed = l->about->compression > 0 && rank == HDF5_DIMS;
    hsize_t most[HDF5_DIMS] = {H5S_UNLIMITED, rank > 1 ? size[1] : 0, rank > 2 ? size[2] : 0};
    hid_t properties = h5_timeless(l->failure, H5P_DATASET_CREATE);
    hid_t access = h5_keep(l->failure, H5Pcreate(H5P_DATASET_ACCESS));
    h5_keep(l->failure, H5Pset_chunk(properties, rank, chunk));
    if (is_compressed) {
        h5_keep(l->failure, H5Pset_shuffle(properties));
        h5_keep(l->failure, H5Pset_deflate(properties, (unsigned)l->about->compression));
        /* Without a cache, a compressed chunk is written once, when it is given. */
        h5_keep(l->failure, H5Pset_chunk_cache(access, 0, 0, 1));
    } else {
        h5_keep(l->failure, H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
    }
    /* Allocated space reads as zeros; to write them would take as long as the frames. */
    if (fill)
        h5_keep(l->failure, H5Pset_fill_value(properties, H5T_NATIVE_INT64, fill));
    else
        h5_keep(l->failure, H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
    hid_t set = h5_make_dataset(l->failure, where, name, type, rank, size, most, properties, access);
    h5_keep(l->failure, H5Pclose(access));
    return set;
}

static hid_t make_column(struct h5_layout *l, hid_t where, const char *name, hid_t type, const int64_t *fill)
{
    const hsize_t size = 0;
    const hsize_t chunk = HDF5_AXIS_CHUNK;
    return make_growing(l, where, name, type, 1, &size, &chunk, fill);
}

static struct h5_time_axis make_time_axis(struct h5_layout *l, const char *step, const char *time)
{
    const int64_t no_step = -1;
    return (struct h5_time_axis){
        .step = make_column(l, l->file, step, H5T_STD_I64LE, &no_step),
        .time = make_column(l, l->file, time, H5T_IEEE_F64LE, NULL),
    };
}

static void link_time_axis(struct h5_layout *l, hid_t group, const struct h5_time_axis *line)
{
    h5_keep(l->failure, H5Lcreate_hard(line->step, ".", group, "step", H5P_DEFAULT, H5P_DEFAULT));
    h5_keep(l->failure, H5Lcreate_hard(line->time, ".", group, "time", H5P_DEFAULT, H5P_DEFAULT));
}

/* A time-dependent element of H5MD: value, and the file's one step and time. */
static hid_t make_element(struct h5_layout *l, hid_t where, const char *name, hid_t type, hsize_t rows,
                          hsize_t block)
{
    const hsize_t columns = l->dims;
    const hsize_t size[HDF5_DIMS] = {0, rows, columns};
    const hsize_t chunk[HDF5_DIMS] = {block, rows < HDF5_CHUNK_ROWS ? rows : HDF5_CHUNK_ROWS, columns};
    hid_t group = h5_make_group(l->failure, where, name);
    hid_t set = make_growing(l, group, "value", type, HDF5_DIMS, size, chunk, NULL);
    link_time_axis(l, group, &l->frames);
    h5_keep(l->failure, H5Gclose(group));
    return set;
}

/* The parts of the file. */

static void put_h5md(struct h5_layout *l)
{
    const int version[2] = {1, 1};
    hid_t h5md = h5_make_group(l->failure, l->file, "h5md");
    h5_put_attribute(l->failure, h5md, "version", H5T_STD_I32LE, H5T_NATIVE_INT, 1, 2, version);
    hid_t author = h5_make_group(l->failure, h5md, "author");
    h5_put_text(l->failure, author, "name", "boids");
    hid_t creator = h5_make_group(l->failure, h5md, "creator");
    h5_put_text(l->failure, creator, "name", "boids");
    h5_put_text(l->failure, creator, "version", boids_version);
    h5_keep(l->failure, H5Gclose(creator));
    h5_keep(l->failure, H5Gclose(author));
    h5_keep(l->failure, H5Gclose(h5md));
}

static void put_hash(struct h5_layout *l, hid_t where, const char *name, uint64_t hash)
{
    char word[HDF5_HASH_SIZE];
    h5_hash_spell(hash, word);
    h5_put_text(l->failure, where, name, word);
}

static void put_parameters(struct h5_layout *l)
{
    const struct trajectory_about *about = l->about;
    hid_t parameters = h5_make_group(l->failure, l->file, "parameters");
    h5_put_attribute(l->failure, parameters, "seed", H5T_STD_U64LE, H5T_NATIVE_UINT64, 0, 0, &about->seed);
    h5_put_text(l->failure, parameters, "version", boids_version);
    h5_put_text(l->failure, parameters, "git", boids_revision);
    h5_put_text(l->failure, parameters, "compiler", boids_compiler);
    h5_put_text(l->failure, parameters, "flags", boids_flags);
    h5_put_text(l->failure, parameters, "arithmetic", about->arithmetic);
    put_hash(l, parameters, "initial_hash", about->initial_hash);
    put_hash(l, parameters, "hash",
             h5_hash_parameters(about->config, about->arithmetic, about->initial_hash));
    if (about->some_boids)
        h5_put_text(l->failure, parameters, "boids", about->some_boids);
    if (!about->has_positions || !about->has_velocities)
        h5_put_text(l->failure, parameters, "fields", about->has_positions ? "position" : "velocity");
    hid_t type = h5_string_type(l->failure, about->config, strlen(about->config));
    h5_put_dataset(l->failure, parameters, "config", type, type, 0, 0, about->config);
    h5_keep(l->failure, H5Tclose(type));
    h5_keep(l->failure, H5Gclose(parameters));
}

static void put_box(struct h5_layout *l, hid_t group, bool is_first)
{
    const int32_t dimension = (int32_t)l->dims;
    const double edges[2] = {l->about->width, l->about->height};
    enum { WORD = 8 };
    char boundary[HDF5_DIMS][WORD] = {"none", "none", "none"};
    if (l->about->is_periodic)
        memcpy(boundary, (char[2][WORD]){"periodic", "periodic"}, sizeof(char[2][WORD]));
    hid_t box = h5_make_group(l->failure, group, "box");
    hid_t type = h5_string_type(l->failure, boundary[0], WORD);
    h5_put_attribute(l->failure, box, "dimension", H5T_STD_I32LE, H5T_NATIVE_INT32, 0, 0, &dimension);
    h5_put_attribute(l->failure, box, "boundary", type, type, 1, l->dims, boundary);
    if (l->dims == 2)
        h5_put_dataset(l->failure, box, "edges", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, 2, edges);
    else if (is_first)
        l->edges = make_element(l, box, "edges", H5T_IEEE_F64LE, l->dims, l->block);
    else
        h5_keep(l->failure,
                H5Lcreate_hard(l->file, "particles/boids/box/edges", box, "edges", H5P_DEFAULT, H5P_DEFAULT));
    h5_keep(l->failure, H5Tclose(type));
    h5_keep(l->failure, H5Gclose(box));
}

static void put_species(struct h5_layout *l, hid_t where, const struct h5_particles *group, bool is_predator)
{
    const int8_t boid = 0;
    const int8_t predator = 1;
    hid_t type = h5_keep(l->failure, H5Tenum_create(H5T_STD_I8LE));
    h5_keep(l->failure, H5Tenum_insert(type, "boid", &boid));
    h5_keep(l->failure, H5Tenum_insert(type, "predator", &predator));
    int8_t *species = malloc(group->count);
    h5_keep(l->failure, species ? 0 : -1);
    if (species) {
        memset(species, is_predator ? predator : boid, group->count);
        h5_put_dataset(l->failure, where, "species", type, type, 1, group->count, species);
    }
    free(species);
    h5_keep(l->failure, H5Tclose(type));
}

static void put_particles(struct h5_layout *l, hid_t particles, const char *name, size_t first, size_t count)
{
    const bool is_predator = first > 0;
    struct h5_particles *group = &l->groups[l->group_count++];
    *group = (struct h5_particles){.position = -1, .velocity = -1, .first = first, .count = count};
    hid_t where = h5_make_group(l->failure, particles, name);
    put_box(l, where, !is_predator);
    if (l->about->has_positions)
        group->position = make_element(l, where, "position", l->type, count, l->block);
    if (l->about->has_velocities)
        group->velocity = make_element(l, where, "velocity", l->type, count, l->block);
    h5_put_dataset(l->failure, where, "id", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, count, l->about->ids + first);
    put_species(l, where, group, is_predator);
    h5_keep(l->failure, H5Gclose(where));
}

static void put_observables(struct h5_layout *l)
{
    const struct trajectory_about *about = l->about;
    if (about->observable_count == 0)
        return;
    hid_t observables = h5_make_group(l->failure, l->file, "observables");
    for (size_t i = 0; i < about->observable_count; i++) {
        hid_t group = h5_make_group(l->failure, observables, about->observable_names[i]);
        l->observables[i] = make_column(l, group, "value", H5T_IEEE_F64LE, NULL);
        link_time_axis(l, group, l->has_samples ? &l->samples : &l->frames);
        h5_keep(l->failure, H5Gclose(group));
    }
    h5_keep(l->failure, H5Gclose(observables));
}

static void put_hashes(struct h5_layout *l)
{
    const struct trajectory_about *about = l->about;
    const int64_t open[] = {-1, -1};
    uint64_t ids = 0;
    for (size_t i = 0; i < about->boids + about->predators; i++)
        ids = h5_hash_id(ids, about->ids[i]);
    hid_t hashes = h5_make_group(l->failure, l->file, "hashes");
    l->hashes.frames = make_column(l, hashes, "frames", H5T_STD_U64LE, NULL);
    if (about->observable_count > 0)
        l->hashes.observables = make_column(l, hashes, "observables", H5T_STD_U64LE, NULL);
    h5_put_dataset(l->failure, hashes, "counts", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, 2, open);
    l->hashes.counts = h5_keep(l->failure, H5Dopen2(hashes, "counts", H5P_DEFAULT));
    put_hash(l, hashes, "ids", ids);
    h5_keep(l->failure, H5Gclose(hashes));
}

void h5_layout_count(struct h5_layout *l, hsize_t frames, hsize_t observables)
{
    const int64_t counts[] = {(int64_t)frames, (int64_t)observables};
    h5_keep(l->failure, H5Dwrite(l->hashes.counts, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts));
}

static void remove_link(struct h5_layout *l, const char *name)
{
    h5_keep(l->failure, H5Ldelete(l->file, name, H5P_DEFAULT));
}

static void put_layout(struct h5_layout *l)
{
    const struct trajectory_about *about = l->about;
    l->frames = make_time_axis(l, "step", "time");
    if (l->has_samples)
        l->samples = make_time_axis(l, "measured_step", "measured_time");
    put_h5md(l);
    put_parameters(l);
    hid_t particles = h5_make_group(l->failure, l->file, "particles");
    put_particles(l, particles, "boids", 0, about->boids);
    if (about->predators > 0)
        put_particles(l, particles, "predators", about->boids, about->predators);
    h5_keep(l->failure, H5Gclose(particles));
    put_observables(l);
    put_hashes(l);
    h5_checkpoint_create(&l->checkpoint, l->file, about->initial);
    /* They were created in the root group, before the groups that they are linked into. */
    remove_link(l, "step");
    remove_link(l, "time");
    if (l->has_samples) {
        remove_link(l, "measured_step");
        remove_link(l, "measured_time");
    }
}

void h5_layout_create(struct h5_layout *l, const char *path, int descriptor)
{
    hid_t properties = h5_timeless(l->failure, H5P_FILE_CREATE);
    hid_t access = h5_keep(l->failure, H5Pcreate(H5P_FILE_ACCESS));
    l->disk = (struct h5_vfd_file){
        .descriptor = descriptor, .is_written = true, .is_synced = l->about->sync == SYNC_FLUSH};
    h5_keep(l->failure, h5_vfd_select(access, &l->disk));
    /* The oldest form of each table, as ever: what reads a trajectory today, reads the next one, and two versions of the
     * library write the same bytes. Left to itself, HDF5 2.0 begins with the forms of 1.8. */
    h5_keep(l->failure, H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    errno = 0;
    l->file = h5_keep(l->failure, H5Fcreate(path, H5F_ACC_TRUNC, properties, access));
    h5_keep(l->failure, H5Pclose(access));
    h5_keep(l->failure, H5Pclose(properties));
    if (!l->failure->has_failed)
        put_layout(l);
}

/* A dataset of rank 1 uses the first size only. */
static void set_extent(struct h5_layout *l, hid_t set, hsize_t rows, hsize_t frames)
{
    const hsize_t size[HDF5_DIMS] = {frames, rows, l->dims};
    h5_keep(l->failure, H5Dset_extent(set, size));
}

void h5_layout_extend(struct h5_layout *l, struct h5_time_axis *line, hsize_t rows)
{
    const bool is_measured = line == (l->has_samples ? &l->samples : &l->frames);
    const bool has_frames = line == &l->frames;
    for (int g = 0; has_frames && g < l->group_count; g++) {
        if (l->about->has_positions)
            set_extent(l, l->groups[g].position, l->groups[g].count, rows);
        if (l->about->has_velocities)
            set_extent(l, l->groups[g].velocity, l->groups[g].count, rows);
    }
    if (has_frames && l->edges >= 0)
        set_extent(l, l->edges, l->dims, rows);
    for (size_t i = 0; is_measured && i < l->about->observable_count; i++)
        set_extent(l, l->observables[i], 1, rows);
    if (is_measured && l->hashes.observables >= 0)
        set_extent(l, l->hashes.observables, 1, rows);
    if (has_frames)
        set_extent(l, l->hashes.frames, 1, rows);
    set_extent(l, line->time, 1, rows);
    set_extent(l, line->step, 1, rows);
    line->extent = rows;
}
