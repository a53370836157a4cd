/* Everything that is read here is checked: sizes must be consistent, and numbers must match the hashes in the file. */
#include "input_trajectory.h"

#include "double_bits.h"
#include "formats.h"
#include "shell_quote.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum h5_found h5_run_open(struct h5_run *run, const char *path, const char *name, struct fault *fault)
{
    *run = (struct h5_run){0};
    /* Without O_NONBLOCK, open() would wait for the writer of a pipe. */
    return h5_file_open(&run->file, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), name, fault);
}

bool h5_run_open_or_refuse(struct h5_run *run, const char *path, const char *name, const char *without,
                           struct fault *fault)
{
    const enum h5_found found = h5_run_open(run, path, name, fault);
    return found == HDF5_FOUND ||
           (found == HDF5_ABSENT && fault_refuse(fault, "%s: cannot be opened as HDF5%s", name, without));
}

static void close_frames(struct h5_run *run)
{
    for (struct h5_species *species = run->species; species < run->species + HDF5_SPECIES; species++) {
        h5_dataset_close(&species->position);
        h5_dataset_close(&species->velocity);
        free(species->ids);
        *species = (struct h5_species){0};
    }
    free(run->numbers);
    run->numbers = NULL;
    h5_series_close(&run->frames);
}

void h5_run_close(struct h5_run *run)
{
    close_frames(run);
    h5_file_close(&run->file);
    *run = (struct h5_run){0};
}

bool h5_run_read_hashes(struct h5_run *run, struct fault *fault)
{
    run->has_hashes = run->has_hashes || h5_file_hashes_read(&run->hashes, &run->file, fault);
    return run->has_hashes;
}

/* The configuration. The name of the program that wrote the file is checked first, because another program may store
 * something else in the same place. */

enum h5_found h5_run_find_creator(const struct h5_run *run, struct fault *fault)
{
    char creator[16];
    const enum h5_found found =
        h5_read_attribute(&run->file, "h5md/creator", "name", creator, sizeof creator, fault);
    return found == HDF5_FOUND && strcmp(creator, "boids") != 0 ? HDF5_ABSENT : found;
}

enum h5_found h5_run_read_config(struct h5_run *run, char **config, struct fault *fault)
{
    const struct h5_file_hashes *hashes = &run->hashes;
    *config = NULL;
    enum h5_found found = h5_run_find_creator(run, fault);
    if (found == HDF5_FOUND)
        found = h5_read_text(&run->file, "parameters/config", config, fault);
    if (found != HDF5_FOUND)
        return found;
    if (h5_run_read_hashes(run, fault)) {
        if (!hashes->is_there ||
            h5_hash_parameters(*config, hashes->arithmetic, hashes->initial) == hashes->parameters)
            return HDF5_FOUND;
        h5_file_damaged(&run->file, fault, "its configuration is not the one that was written");
    }
    free(*config);
    *config = NULL;
    return HDF5_FAULT;
}

/* If output.fields leaves a field out, an attribute of /parameters lists the field that the file contains. If
 * output.boids leaves boids out, the ids of all boids are stored with the initial state. The attribute `boids` is only
 * for readers: it is also present if output.boids selects all boids of this run. */

bool h5_run_read_contents(struct h5_run *run, struct fault *fault)
{
    char word[64];
    if (run->has_contents)
        return true;
    const enum h5_found other_ids = h5_file_has(&run->file, "checkpoint/initial_id", fault);
    if (other_ids == HDF5_FAULT)
        return false;
    const enum h5_found fields =
        h5_read_attribute(&run->file, "parameters", "fields", word, sizeof word, fault);
    run->has_all_boids = other_ids == HDF5_ABSENT;
    run->has_positions = fields == HDF5_ABSENT || strcmp(word, "velocity") != 0;
    run->has_velocities = fields == HDF5_ABSENT || strcmp(word, "position") != 0;
    run->has_contents = fields != HDF5_FAULT;
    return run->has_contents;
}

bool h5_run_check_whole(struct h5_run *run, const char *what, struct fault *fault)
{
    char word[SHELL_QUOTE_SIZE];
    if (!h5_run_read_contents(run, fault))
        return false;
    const bool has_fields = run->has_positions && run->has_velocities;
    const char *field = run->has_positions ? "no velocities" : "no positions";
    return (run->has_all_boids && has_fields) ||
           fault_refuse(
               fault, "%s: it contains %s%s%s, so %s; run it again with all: boids --from %s%s%s -o OTHER.h5",
               run->file.name, run->has_all_boids ? "" : "only some of the boids",
               run->has_all_boids || has_fields ? "" : " and ", has_fields ? "" : field, what,
               shell_quote(run->file.name, word), run->has_all_boids ? "" : " -s output.boids=all",
               has_fields ? "" : " -s 'output.fields=[\"position\",\"velocity\"]'");
}

/* Steps. */

enum h5_found h5_run_read_steps(struct h5_run *run, struct fault *fault)
{
    const enum h5_found found =
        h5_series_read_steps(&run->frames, &run->file, "particles/boids/position", fault);
    return found == HDF5_ABSENT
               ? h5_series_read_steps(&run->frames, &run->file, "particles/boids/velocity", fault)
               : found;
}

bool h5_run_count_frames(struct h5_run *run, uint64_t *frames, struct fault *fault)
{
    *frames = 0;
    const enum h5_found found = h5_run_read_steps(run, fault);
    for (hsize_t row = 0; row < run->frames.count; row++)
        *frames += run->frames.steps[row] >= 0;
    return found != HDF5_FAULT;
}

/* Species: all datasets of a species must have the same number of agents. */

static const char *const groups[HDF5_SPECIES] = {"particles/boids", "particles/predators"};

static bool refuse_species(const struct h5_run *run, int s, struct fault *fault)
{
    return fault_refuse(fault, "%s: /%s lacks the id, position or velocity that boids writes", run->file.name,
                        groups[s]);
}

static bool open_field(struct h5_dataset *field, const struct h5_run *run, int s, const char *name,
                       struct fault *fault)
{
    char path[sizeof field->path];
    snprintf(path, sizeof path, "%s/%s/value", groups[s], name);
    const enum h5_found found = h5_dataset_open(field, &run->file, path, HDF5_REAL, 3, fault);
    return found == HDF5_FOUND || (found == HDF5_ABSENT && refuse_species(run, s, fault));
}

static bool open_species(struct h5_run *run, int s, struct fault *fault)
{
    struct h5_species *species = &run->species[s];
    char path[sizeof species->position.path];
    hsize_t count = 0;
    enum h5_found found = h5_file_has(&run->file, groups[s], fault);
    if (found == HDF5_ABSENT)
        return s == HDF5_PREDATORS || refuse_species(run, s, fault);
    if (found == HDF5_FAULT)
        return false;
    snprintf(path, sizeof path, "%s/id", groups[s]);
    found = h5_read_integers(&run->file, path, &species->ids, &count, fault);
    species->count = (size_t)count;
    if (found != HDF5_FOUND)
        return found == HDF5_ABSENT && refuse_species(run, s, fault);
    if ((run->has_positions && !open_field(&species->position, run, s, "position", fault)) ||
        (run->has_velocities && !open_field(&species->velocity, run, s, "velocity", fault)))
        return false;
    bool is_right = count > 0;
    const struct h5_dataset *const fields[] = {&species->position, &species->velocity};
    for (int i = 0; i < 2; i++)
        is_right &= !fields[i]->file || (fields[i]->size[1] == count && fields[i]->size[2] >= 2);
    return is_right || refuse_species(run, s, fault);
}

size_t h5_run_number_size(const struct h5_run *run)
{
    const struct h5_species *boids = &run->species[HDF5_BOIDS];
    return (run->has_positions ? boids->position : boids->velocity).type_size;
}

static bool open_all_species(struct h5_run *run, struct fault *fault)
{
    const struct h5_species *boids = &run->species[HDF5_BOIDS], *predators = &run->species[HDF5_PREDATORS];
    uint64_t ids = 0, written_ids = 0;
    if (!h5_run_read_contents(run, fault) || !open_species(run, HDF5_BOIDS, fault) ||
        !open_species(run, HDF5_PREDATORS, fault) || !h5_run_read_hashes(run, fault))
        return false;
    run->format = h5_hash_stored_format(run->hashes.arithmetic, h5_run_number_size(run));
    if (run->hashes.is_there) {
        for (const struct h5_species *species = boids; species <= predators; species++)
            for (size_t i = 0; i < species->count; i++)
                ids = h5_hash_id(ids, species->ids[i]);
        if (!h5_hash_read(&run->file, "hashes", "ids", &written_ids, fault))
            return false;
        if (ids != written_ids)
            return h5_file_damaged(&run->file, fault,
                                   "the ids of its agents are not those that were written");
        const struct h5_dataset fields[] = {boids->position, boids->velocity, predators->position,
                                            predators->velocity};
        if (!h5_series_open(&run->frames, &run->file, "frames",
                            run->has_positions ? "particles/boids/position" : "particles/boids/velocity",
                            fields, sizeof fields / sizeof *fields, fault))
            return false;
    }
    const bool is_packed = boids->position.is_packed || boids->velocity.is_packed ||
                           predators->position.is_packed || predators->velocity.is_packed;
    run->agents = boids->count + predators->count;
    run->slab = is_packed || run->agents < HDF5_SLAB_ROWS ? run->agents : HDF5_SLAB_ROWS;
    run->numbers = malloc(run->slab * HDF5_MAX_COLUMNS * sizeof *run->numbers);
    return run->numbers || fault_fail(fault, "%s: out of memory for one of its frames", run->file.name);
}

bool h5_run_open_frames(struct h5_run *run, struct fault *fault)
{
    if (!run->has_frames) {
        run->has_frames = open_all_species(run, fault);
        if (!run->has_frames)
            close_frames(run);
    }
    return run->has_frames;
}

/* Frames. */

/* Read two columns of some agents of a row, or NAN if the file does not contain the field. If there are three
 * columns, the third must contain +0; the bits of any other value are added to `stray`. */
static bool read_pairs(const struct h5_run *run, const struct h5_dataset *field, hsize_t row, size_t first,
                       size_t count, double *to, uint64_t *stray, struct fault *fault)
{
    enum { STRIDE = sizeof(struct agent) / sizeof(double) };
    const hsize_t columns = field->size[2];
    if (field->file && !h5_dataset_read(field, row, first, count, run->numbers, fault))
        return false;
    for (size_t i = 0; i < count; i++) {
        const double *from = run->numbers + i * columns;
        to[i * STRIDE] = field->file ? from[0] : NAN;
        to[i * STRIDE + 1] = field->file ? from[1] : NAN;
        *stray |= field->file && columns > 2 ? double_to_bits(from[2]) : 0;
    }
    return true;
}

bool h5_run_read_slab(const struct h5_run *run, hsize_t row, size_t first, size_t count, struct agent *agents,
                      uint64_t *hash, struct fault *fault)
{
    const size_t boids = run->species[HDF5_BOIDS].count;
    uint64_t stray = 0;
    for (size_t n; count > 0; first += n, agents += n, count -= n) {
        const bool is_boid = first < boids;
        const struct h5_species *species = &run->species[is_boid ? HDF5_BOIDS : HDF5_PREDATORS];
        const size_t within = is_boid ? first : first - boids; /* its species */
        n = count < species->count - within ? count : species->count - within;
        n = n < run->slab ? n : run->slab;
        if (!read_pairs(run, &species->position, row, within, n, &agents->x, &stray, fault) ||
            !read_pairs(run, &species->velocity, row, within, n, &agents->vx, &stray, fault))
            return false;
        *hash += h5_hash_agents(run->format, first, n, agents);
    }
    *hash += stray;
    return true;
}

bool h5_run_read_frame(const struct h5_run *run, hsize_t row, struct agent *agents, size_t room,
                       struct fault *fault)
{
    uint64_t hash = 0;
    for (size_t first = 0, n; first < run->agents; first += n) {
        n = run->agents - first < room ? run->agents - first : room;
        if (!h5_run_read_slab(run, row, first, n, agents, &hash, fault))
            return false;
    }
    return h5_series_check(&run->frames, row, hash, fault);
}

bool h5_run_add_rows(const struct h5_run *run, struct agent_list *rows, const struct agent *agents,
                     const int64_t *ids, size_t count, struct fault *fault)
{
    const size_t boids = run->species[HDF5_BOIDS].count, predators = run->species[HDF5_PREDATORS].count;
    for (size_t i = 0; i < count; i++) {
        const int64_t id = ids         ? ids[i]
                           : i < boids ? run->species[HDF5_BOIDS].ids[i]
                                       : run->species[HDF5_PREDATORS].ids[i - boids];
        if (id < 0 || id > INT32_MAX)
            return fault_refuse(fault, "%s: id %" PRId64 " is not from 0 to 2147483647", run->file.name, id);
        if (!agent_list_add(rows, &(struct agent_row){agents[i], (int32_t)id, i + predators >= count},
                            run->file.name, fault))
            return false;
    }
    return true;
}

/* Observables. If the file was written without an observable, its values are NAN. If an observable cannot be read,
 * this is a fault. */

enum { BLOCK = 1024 }; /* number of rows that are read at once */

static enum h5_found open_observable(struct h5_dataset *values, const struct h5_run *run, const char *name,
                                     struct fault *fault)
{
    char path[sizeof values->path];
    *values = (struct h5_dataset){0};
    snprintf(path, sizeof path, "observables/%s", name);
    enum h5_found found = h5_file_has(&run->file, path, fault);
    if (found != HDF5_FOUND)
        return found;
    snprintf(path, sizeof path, "observables/%s/value", name);
    found = h5_dataset_open(values, &run->file, path, HDF5_REAL, 1, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: /%s is missing, although related data is present", run->file.name, path);
    return found == HDF5_FOUND ? HDF5_FOUND : HDF5_FAULT;
}

static bool read_values(const struct h5_dataset *values, hsize_t first, hsize_t count, double *numbers,
                        struct fault *fault)
{
    for (hsize_t i = 0; i < count && !values->file; i++)
        numbers[i] = NAN;
    return !values->file || h5_dataset_read(values, 0, first, count, numbers, fault);
}

bool previous_run_observable(const struct previous_run *previous, const char *name, double *values,
                             uint64_t count, struct fault *fault)
{
    struct h5_dataset observable;
    const bool is_good = open_observable(&observable, previous->run, name, fault) != HDF5_FAULT &&
                         read_values(&observable, 0, count, values, fault);
    h5_dataset_close(&observable);
    return is_good;
}

/* All observables share the steps of the first one. */
static bool open_series(struct h5_observables *o, const struct h5_run *run, struct fault *fault)
{
    const struct h5_file *file = &run->file;
    char group[sizeof o->values->path];
    size_t first = 0;
    while (first < o->count && !o->values[first].file)
        first++;
    if (first == o->count && run->hashes.is_there) {
        const enum h5_found found = h5_file_has(file, "hashes/observables", fault);
        return found == HDF5_ABSENT ||
               (found == HDF5_FOUND && h5_file_damaged(file, fault, "its observables are gone"));
    }
    if (first == o->count)
        return true;
    snprintf(group, sizeof group, "observables/%s", o->names[first]);
    if (run->hashes.is_there &&
        !h5_series_open(&o->series, file, "observables", group, o->values, o->count, fault))
        return false;
    if (h5_series_read_steps(&o->series, file, group, fault) != HDF5_FOUND)
        return fault->status == FAULT_NONE && fault_fail(fault, "%s: /%s/step is gone", file->name, group);
    /* If the run was killed, some datasets may be longer than others. */
    o->rows = o->series.whole;
    for (size_t i = first; i < o->count; i++)
        if (o->values[i].file && o->values[i].size[0] < o->rows)
            o->rows = o->values[i].size[0];
    return true;
}

bool h5_observables_open(struct h5_observables *o, struct h5_run *run, const char *const *names, size_t count,
                         struct fault *fault)
{
    hid_t group;
    H5G_info_t info;
    hsize_t known = 0;
    *o = (struct h5_observables){.names = names, .count = count};
    o->values = calloc(count + 1, sizeof *o->values); /* calloc(0) may return NULL */
    o->columns = malloc(BLOCK * (count + 1) * sizeof *o->columns);
    o->numbers = malloc((count + 1) * sizeof *o->numbers);
    if (!o->values || !o->columns || !o->numbers)
        return fault_fail(fault, "%s: out of memory for its observables", run->file.name);
    for (size_t i = 0; i < count; i++) {
        const enum h5_found found = open_observable(&o->values[i], run, names[i], fault);
        if (found == HDF5_FAULT)
            return false;
        known += found == HDF5_FOUND;
    }
    const enum h5_found found = h5_file_find(&run->file, "observables", &group, fault);
    if (found == HDF5_FAULT)
        return false;
    if (found == HDF5_FOUND) {
        const struct h5_guard outer = h5_file_begin(&run->file);
        const bool is_counted =
            H5Gget_info(group, &info) >= 0 || h5_file_fail(&run->file, "observables", fault);
        H5Oclose(group);
        h5_guard_end(outer);
        if (!is_counted)
            return false;
        if (info.nlinks != known)
            return fault_refuse(fault,
                                "%s: /observables holds %" PRIu64
                                " observables, and this program knows %" PRIu64
                                " of them; continuing it would lose the others",
                                run->file.name, (uint64_t)info.nlinks, (uint64_t)known);
    }
    return h5_run_read_hashes(run, fault) && open_series(o, run, fault);
}

bool h5_observables_read(struct h5_observables *o, hsize_t row, struct fault *fault)
{
    const hsize_t left = o->rows - row;
    uint64_t hash = 0;
    for (size_t i = 0; i < o->count; i++) {
        double *column = o->columns + i * BLOCK;
        if (row % BLOCK == 0 && !read_values(&o->values[i], row, left < BLOCK ? left : BLOCK, column, fault))
            return false;
        o->numbers[i] = column[row % BLOCK];
        hash += o->values[i].file ? h5_hash_value(o->names[i], o->numbers[i]) : 0;
    }
    return h5_series_check(&o->series, row, hash, fault);
}

void h5_observables_close(struct h5_observables *o)
{
    for (size_t i = 0; o->values && i < o->count; i++)
        h5_dataset_close(&o->values[i]);
    h5_series_close(&o->series);
    free(o->values);
    free(o->columns);
    free(o->numbers);
    *o = (struct h5_observables){0};
}
