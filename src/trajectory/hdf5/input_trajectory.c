/* Everything that is read here is checked: sizes must be consistent, and numbers must match the hashes in the file. */
#include "input_trajectory.h"

#include "base/double_bits.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "h5_trajectory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool h5_run_open(struct h5_run *run, const char *path, const char *name, struct error *error)
{
    *run = (struct h5_run){0};
    /* Without O_NONBLOCK, open() would wait for the writer of a pipe. */
    return h5_file_open(&run->file, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), name, error);
}

bool h5_run_open_or_refuse(struct h5_run *run, const char *path, struct error *error)
{
    static const char nothing[8];
    char head[sizeof nothing] = "";
    if (h5_run_open(run, path, path, error))
        return true;
    if (error->status != ERROR_NONE) /* it is no file; fopen() would wait if it is a pipe */
        return false;
    FILE *file = fopen(path, "rb");
    const bool is_read = file && (fread(head, 1, sizeof head, file) > 0 || feof(file));
    if (file)
        fclose(file);
    /* The superblock is written last (ordered_vfd.c). */
    if (is_read && memcmp(head, nothing, sizeof head) == 0)
        return error_refuse(
            error, "%s is empty: its run was stopped before it wrote anything; start the run again", path);
    return error_refuse(error,
                        text_is_hdf5(head)
                            ? "%s is damaged or was cut short: HDF5 cannot open it"
                            : "%s: cannot be opened as HDF5, the only format with the configuration of a run",
                        path);
}

static void close_frames(struct h5_run *run)
{
    for (struct h5_species *species = run->species; species < run->species + HDF5_SPECIES; species++) {
        for (int f = 0; f < HDF5_FIELDS; f++)
            h5_dataset_close(&species->fields[f]);
        free(species->ids);
        *species = (struct h5_species){0};
    }
    for (int f = 0; f < HDF5_FIELDS; f++) {
        free(run->numbers[f]);
        run->numbers[f] = NULL;
    }
    h5_series_close(&run->frames);
    run->agents = 0;
    run->vectors = (struct h5_vectors){0};
}

void h5_run_close(struct h5_run *run)
{
    close_frames(run);
    h5_file_close(&run->file);
    *run = (struct h5_run){0};
}

bool h5_run_read_hashes(struct h5_run *run)
{
    run->has_hashes = run->has_hashes || h5_file_hashes_read(&run->hashes, &run->file);
    return run->has_hashes;
}

/* The configuration. The name of the program that wrote the file is checked first, because another program may store
 * something else in the same place. */

bool h5_run_find_creator(const struct h5_run *run)
{
    char creator[16];
    return h5_read_attribute(&run->file, "h5md/creator", "name", HDF5_TEXT, creator, sizeof creator) &&
           text_is_same(creator, "boids");
}

char *h5_run_read_config(struct h5_run *run)
{
    const struct h5_file_hashes *hashes = &run->hashes;
    char *config = h5_run_find_creator(run) ? h5_read_text(&run->file, "parameters/config") : NULL;
    if (config && h5_run_read_hashes(run) && hashes->exist &&
        h5_hash_parameters(config, hashes->arithmetic, hashes->initial) != hashes->parameters)
        h5_file_damaged(&run->file, "its configuration is not the one that was written");
    if (!h5_file_has_failed(&run->file))
        return config;
    free(config);
    return NULL;
}

/* If output.boids or output.fields leaves something out, an attribute of /parameters says what the file contains. No
 * hash covers it. But a run that leaves boids out also stores the ids of all boids with the initial state. */

static bool read_contents(struct h5_run *run)
{
    char word[64];
    if (run->has_contents)
        return true;
    run->has_all_boids = !h5_file_has(&run->file, "checkpoint/initial_id") &&
                         !h5_read_attribute(&run->file, "parameters", "boids", HDF5_TEXT, word, sizeof word);
    h5_read_attribute(&run->file, "parameters", "fields", HDF5_TEXT, word, sizeof word);
    run->fields = text_is_same(word, "position")   ? CONFIG_POSITION
                  : text_is_same(word, "velocity") ? CONFIG_VELOCITY
                                                   : CONFIG_ALL_FIELDS;
    if (h5_read_attribute(&run->file, "parameters", "positions", HDF5_TEXT, word, sizeof word))
        run->fields |= CONFIG_UNWRAPPED;
    run->has_contents = !h5_file_has_failed(&run->file);
    return run->has_contents;
}

bool h5_run_is_whole(struct h5_run *run)
{
    return read_contents(run) && run->has_all_boids && !(~run->fields & CONFIG_ALL_FIELDS);
}

bool h5_run_has_animals(const struct h5_run *run)
{
    char program[32];
    return h5_read_attribute(&run->file, "parameters", "program", HDF5_TEXT, program, sizeof program);
}

bool h5_run_check_whole(struct h5_run *run, const char *what)
{
    char word[SHELL_QUOTE_SIZE], command[SHELL_QUOTE_SIZE + 128] = "";
    if (h5_run_is_whole(run))
        return true;
    const bool has_animals = h5_run_has_animals(run);
    if (!has_animals && h5_file_has(&run->file, "checkpoint/initial"))
        snprintf(
            command, sizeof command,
            ": boids --from %s -s output.boids=all -s 'output.fields=[\"position\",\"velocity\"]' -o OTHER.h5",
            shell_quote(run->file.name, word));
    return h5_file_refuse(&run->file, "it does not contain all boids with position and velocity, so %s%s%s",
                          what, has_animals ? "" : "; repeat the run and write all", command);
}

/* Steps. */

bool h5_run_read_steps(struct h5_run *run)
{
    return h5_series_read_steps(&run->frames, &run->file, "particles/boids/position") ||
           (!h5_file_has_failed(&run->file) &&
            h5_series_read_steps(&run->frames, &run->file, "particles/boids/velocity"));
}

bool h5_run_count_frames(struct h5_run *run, uint64_t *frames)
{
    *frames = 0;
    h5_run_read_steps(run);
    for (hsize_t row = 0; row < run->frames.count; row++)
        *frames += run->frames.steps[row] >= 0;
    return !h5_file_has_failed(&run->file);
}

/* Species: all datasets of a species must have the same number of agents. */

static const char *const groups[HDF5_SPECIES] = {"particles/boids", "particles/predators"};

/* All fields have the same number of coordinates. */
static bool open_field(struct h5_run *run, int s, int f)
{
    struct h5_species *species = &run->species[s];
    struct h5_dataset *field = &species->fields[f];
    size_t *stride = &run->vectors.stride;
    char path[sizeof field->path];
    if (!(run->fields & (f == HDF5_POSITION ? CONFIG_POSITION : CONFIG_VELOCITY)))
        return true;
    snprintf(path, sizeof path, "%s/%s/value", groups[s], f == HDF5_POSITION ? "position" : "velocity");
    if (!h5_dataset_open(field, &run->file, path, HDF5_REAL, 3))
        return false;
    *stride = *stride > 0 ? *stride : (size_t)field->size[2];
    return field->size[1] == species->count && field->size[2] == *stride && *stride >= 2;
}

static bool open_species(struct h5_run *run, int s)
{
    struct h5_species *species = &run->species[s];
    char path[64];
    hsize_t count = 0;
    if (s == HDF5_PREDATORS && !h5_file_has(&run->file, groups[s]))
        return !h5_file_has_failed(&run->file);
    snprintf(path, sizeof path, "%s/id", groups[s]);
    species->ids = h5_read_integers(&run->file, path, &count);
    species->count = (size_t)count;
    species->begin = run->agents;
    run->agents += species->count;
    return (count > 0 && open_field(run, s, HDF5_POSITION) && open_field(run, s, HDF5_VELOCITY)) ||
           h5_file_refuse(&run->file, "/%s lacks the id, position or velocity that boids writes", groups[s]);
}

/* Check the ids and the rows. */
static bool check_frames(struct h5_run *run)
{
    const struct h5_species *boids = &run->species[HDF5_BOIDS], *predators = &run->species[HDF5_PREDATORS];
    const struct h5_dataset fields[] = {boids->fields[0], boids->fields[1], predators->fields[0],
                                        predators->fields[1]};
    uint64_t ids = 0, written_ids = 0;
    for (const struct h5_species *species = boids; species <= predators; species++)
        for (size_t i = 0; i < species->count; i++)
            ids = h5_hash_id(ids, species->ids[i]);
    if (!h5_hash_read(&run->file, "hashes", "ids", &written_ids))
        return false;
    if (ids != written_ids)
        return h5_file_damaged(&run->file, "the ids of its agents are not those that were written");
    h5_run_read_steps(run);
    return h5_series_open(&run->frames, "frames", fields, sizeof fields / sizeof *fields);
}

static bool open_all_species(struct h5_run *run)
{
    size_t size = sizeof(float);
    bool is_compressed = false;
    if (!read_contents(run) || !open_species(run, HDF5_BOIDS) || !open_species(run, HDF5_PREDATORS) ||
        !h5_run_read_hashes(run) || (run->hashes.exist && !check_frames(run)))
        return false;
    for (int i = 0; i < HDF5_SPECIES * HDF5_FIELDS; i++) {
        const struct h5_dataset *field = &run->species[i / HDF5_FIELDS].fields[i % HDF5_FIELDS];
        is_compressed = is_compressed || field->is_compressed;
        size = field->type_size > size ? field->type_size : size;
    }
    /* Numbers are not converted, unless some fields are float32 and others float64. */
    for (int i = 0; i < HDF5_SPECIES * HDF5_FIELDS; i++)
        run->species[i / HDF5_FIELDS].fields[i % HDF5_FIELDS].native =
            size == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    run->agents_per_read = is_compressed || run->agents < HDF5_SLAB_ROWS ? run->agents : HDF5_SLAB_ROWS;
    run->vectors.format = h5_hash_stored_format(run->hashes.arithmetic, size);
    for (int f = 0; f < HDF5_FIELDS; f++)
        run->vectors.fields[f] = run->numbers[f] = malloc(run->agents_per_read * run->vectors.stride * size);
    return (run->numbers[0] && run->numbers[1]) ||
           error_fail(run->file.error, "%s: out of memory for one of its frames", run->file.name);
}

bool h5_run_open_frames(struct h5_run *run)
{
    run->has_frames = run->has_frames || open_all_species(run);
    if (!run->has_frames)
        close_frames(run);
    return run->has_frames;
}

/* Frames. */

struct h5_part h5_run_part(const struct h5_run *run, size_t first)
{
    const size_t boids = run->species[HDF5_BOIDS].count;
    const int s = first < boids ? HDF5_BOIDS : HDF5_PREDATORS;
    const size_t within = first - run->species[s].begin, left = run->species[s].count - within;
    return (struct h5_part){s, within, left < run->agents_per_read ? left : run->agents_per_read};
}

static double number_at(const struct h5_vectors *vectors, int f, size_t at)
{
    return vectors->format == HDF5_FLOATS ? (double)((const float *)vectors->fields[f])[at]
                                          : ((const double *)vectors->fields[f])[at];
}

static void fill_with_nan(const struct h5_run *run, int f, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (run->vectors.format == HDF5_FLOATS)
            ((float *)run->numbers[f])[i] = NAN;
        else
            ((double *)run->numbers[f])[i] = NAN;
}

bool h5_run_read_field(const struct h5_run *run, hsize_t row, const struct h5_part *part, int f)
{
    const struct h5_dataset *field = &run->species[part->species].fields[f];
    if (!field->file)
        fill_with_nan(run, f, part->count * run->vectors.stride);
    return !field->file || h5_dataset_read(field, row, part->first, part->count, run->numbers[f]);
}

uint64_t h5_run_hash_part(const struct h5_run *run, const struct h5_part *part)
{
    const struct h5_species *species = &run->species[part->species];
    const size_t stride = run->vectors.stride;
    uint64_t stray = 0; /* bits of the third coordinates, which must be +0 */
    for (int f = 0; f < HDF5_FIELDS; f++)
        for (size_t i = 0; species->fields[f].file && stride > 2 && i < part->count; i++)
            stray |= double_to_bits(number_at(&run->vectors, f, i * stride + 2));
    return h5_hash_vectors(&run->vectors, species->begin + part->first, part->count) + stray;
}

bool h5_run_add_agent(const struct h5_run *run, struct frame *state, const struct agent *agent, int64_t id,
                      bool is_predator)
{
    if (id < 0 || id > INT32_MAX)
        return h5_file_refuse(&run->file, "id %" PRId64 " is not from 0 to 2147483647", id);
    return frame_add(state, agent, (int32_t)id, is_predator, run->file.name, run->file.error);
}

bool h5_run_read_frame(const struct h5_run *run, hsize_t row, struct frame *frame)
{
    const struct h5_vectors *vectors = &run->vectors;
    uint64_t hash = 0;
    double sum = 0; /* NAN if a number is NAN */
    struct h5_part part;
    for (size_t first = 0; first < run->agents; first += part.count) {
        part = h5_run_part(run, first);
        for (int f = 0; f < HDF5_FIELDS; f++)
            if (!h5_run_read_field(run, row, &part, f))
                return false;
        hash += h5_run_hash_part(run, &part);
        const int64_t *ids = run->species[part.species].ids + part.first;
        for (size_t i = 0; frame && i < part.count; i++) {
            const size_t at = i * vectors->stride;
            const struct agent agent = {
                .x = number_at(vectors, HDF5_POSITION, at),
                .y = number_at(vectors, HDF5_POSITION, at + 1),
                .vx = number_at(vectors, HDF5_VELOCITY, at),
                .vy = number_at(vectors, HDF5_VELOCITY, at + 1),
            };
            sum += agent.x + agent.y + agent.vx + agent.vy;
            if (!h5_run_add_agent(run, frame, &agent, ids[i], part.species == HDF5_PREDATORS))
                return false;
        }
    }
    if (frame && run->frames.hashes.file && !(vectors->format == HDF5_FLOATS && isnan(sum))) {
        frame->hash = hash;
        frame->hash_format = (int)vectors->format;
    }
    return h5_series_check(&run->frames, row, hash);
}

/* Observables. If the file was written without an observable, its values are NAN. If an observable cannot be read,
 * this is an error. */

static bool open_observable(struct h5_dataset *values, const struct h5_run *run, const char *name)
{
    char path[sizeof values->path];
    snprintf(path, sizeof path, "observables/%s/value", name);
    return h5_dataset_open(values, &run->file, path, HDF5_REAL, 1) ||
           h5_file_refuse(&run->file, "/%s is missing, although related data is present", path);
}

static bool read_values(const struct h5_dataset *values, hsize_t first, hsize_t count, double *numbers)
{
    for (hsize_t i = 0; i < count && !values->file; i++)
        numbers[i] = NAN;
    return !values->file || h5_dataset_read(values, 0, first, count, numbers);
}

bool previous_run_observable(const struct previous_run *previous, const char *name, double *values,
                             uint64_t count, struct error *error)
{
    struct h5_dataset observable = {0};
    char group[sizeof observable.path];
    snprintf(group, sizeof group, "observables/%s", name);
    previous->run->file.error = error;
    if (h5_file_has(&previous->run->file, group))
        open_observable(&observable, previous->run, name);
    const bool is_good = error->status == ERROR_NONE && read_values(&observable, 0, count, values);
    h5_dataset_close(&observable);
    return is_good;
}

/* All observables share the steps of the first one. */
static bool open_series(struct h5_observables *o, const struct h5_run *run)
{
    const struct h5_file *file = &run->file;
    char group[sizeof o->series.group];
    size_t first = 0;
    while (first < o->count && !o->values[first].file)
        first++;
    if (first == o->count) {
        if (run->hashes.exist && h5_file_has(file, "hashes/observables"))
            h5_file_damaged(file, "its observables are missing");
        return !h5_file_has_failed(file);
    }
    snprintf(group, sizeof group, "observables/%s", o->names[first]);
    if (!h5_series_read_steps(&o->series, file, group))
        return error_fail(file->error, "%s: /%s/step is missing", file->name, group);
    if (run->hashes.exist && !h5_series_open(&o->series, "observables", o->values, o->count))
        return false;
    /* If the run was killed, some datasets may be longer than others. */
    o->rows = o->series.committed_count;
    for (size_t i = first; i < o->count; i++)
        if (o->values[i].file && o->values[i].size[0] < o->rows)
            o->rows = o->values[i].size[0];
    return true;
}

bool h5_run_list_observables(const struct h5_run *run, const char *const *names, size_t count,
                             struct frame_contents *contents)
{
    const struct h5_file *file = &run->file;
    hid_t group;
    H5G_info_t info = {0};
    char name[FRAME_OTHERS_SIZE] = "";
    if (!h5_file_find(file, "observables", &group))
        return !h5_file_has_failed(file);
    const struct h5_guard outer = h5_file_begin(file);
    bool is_good = H5Gget_info(group, &info) >= 0;
    for (hsize_t i = 0; is_good && i < info.nlinks; i++) {
        const size_t used = strlen(contents->unknown_names);
        size_t k = 0;
        is_good = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                                     H5P_DEFAULT) >= 0;
        while (k < count && !text_is_same(name, names[k]))
            k++;
        if (k < count)
            contents->observables |= UINT32_C(1) << k;
        else
            snprintf(contents->unknown_names + used, sizeof contents->unknown_names - used, "%s%s",
                     used > 0 ? ", " : "", name);
        contents->unknown_count += k == count;
    }
    is_good = is_good || h5_file_fail(file, "observables");
    H5Oclose(group);
    h5_guard_end(outer);
    return is_good;
}

bool h5_observables_open(struct h5_observables *o, struct h5_run *run, const char *const *names, size_t count,
                         bool needs_all)
{
    struct frame_contents contents = {0};
    uint64_t known = 0;
    *o = (struct h5_observables){.names = names, .count = count};
    o->values = calloc(count + 1, sizeof *o->values); /* calloc(0) may return NULL */
    o->name_hashes = malloc((count + 1) * sizeof *o->name_hashes);
    o->numbers = malloc((count + 1) * sizeof *o->numbers);
    if (!o->values || !o->name_hashes || !o->numbers)
        return error_fail(run->file.error, "%s: out of memory for its observables", run->file.name);
    if (!h5_run_list_observables(run, names, count, &contents))
        return false;
    for (size_t i = 0; i < count; i++) {
        known += contents.observables >> i & 1 && open_observable(&o->values[i], run, names[i]);
        o->name_hashes[i] = h5_hash_text(names[i]);
    }
    if (h5_file_has_failed(&run->file))
        return false;
    if (needs_all && contents.unknown_count > 0)
        return h5_file_refuse(&run->file,
                              "/observables holds %" PRIu64 " observables, and this program knows %" PRIu64
                              " of them; continuing it would lose the others",
                              known + contents.unknown_count, known);
    if (!h5_run_read_hashes(run) || !open_series(o, run))
        return false;
    if (contents.unknown_count > 0) /* the hashes are those of all observables */
        h5_dataset_close(&o->series.hashes);
    return true;
}

bool h5_observables_read(struct h5_observables *o, hsize_t row)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < o->count; i++) {
        if (!read_values(&o->values[i], row, 1, &o->numbers[i]))
            return false;
        hash += o->values[i].file ? h5_hash_value(o->name_hashes[i], o->numbers[i]) : 0;
    }
    return h5_series_check(&o->series, row, hash);
}

void h5_observables_close(struct h5_observables *o)
{
    for (size_t i = 0; o->values && i < o->count; i++)
        h5_dataset_close(&o->values[i]);
    h5_series_close(&o->series);
    free(o->values);
    free(o->name_hashes);
    free(o->numbers);
    *o = (struct h5_observables){0};
}
