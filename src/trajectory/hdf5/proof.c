/* A file has all of its hashes or, when it is older than they are, none: one that has lost some is damaged. */
#include "proof.h"

#include "read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const counted_names[] = {[HDF5_FRAMES] = "frames", [HDF5_OBSERVABLES] = "observables"};

static bool fail(const struct hdf5_source *source, const char *what, struct fault *fault)
{
    return fault_fail(fault, "%s: it is damaged: %s", source->name, what);
}

/* What the file says of itself. */

static enum hdf5_found read_hash(const struct hdf5_source *source, const char *path, const char *name,
                                 uint64_t *hash, struct fault *fault)
{
    char word[HDF5_HASH_SIZE];
    const enum hdf5_found found = hdf5_read_word(source, path, name, word, sizeof word, fault);
    if (found != HDF5_FOUND || hdf5_hash_parse(word, hash))
        return found;
    fault_fail(fault, "%s: it is damaged: %s of /%s is no hash", source->name, name, path);
    return HDF5_FAULT;
}

static bool must_be_there(const struct hdf5_source *source, enum hdf5_found found, struct fault *fault)
{
    return found == HDF5_FOUND ||
           (found == HDF5_ABSENT && fail(source, "some of its hashes are gone", fault));
}

static bool must_be_absent(const struct hdf5_source *source, const char *path, const char *gone,
                           struct fault *fault)
{
    hid_t object;
    const enum hdf5_found found = hdf5_source_find(source, path, &object, fault);
    if (found == HDF5_FOUND) {
        H5Oclose(object);
        return fail(source, gone, fault);
    }
    return found == HDF5_ABSENT;
}

bool hdf5_proof_check_no_observables(const struct hdf5_source *source, struct fault *fault)
{
    return must_be_absent(source, "hashes/observables", "its observables are gone", fault);
}

bool hdf5_proof_open(struct hdf5_proof *proof, const struct hdf5_source *source, struct fault *fault)
{
    *proof = (struct hdf5_proof){0};
    const enum hdf5_found found = read_hash(source, "parameters", "hash", &proof->parameters, fault);
    if (found == HDF5_ABSENT)
        return must_be_absent(source, "hashes", "some of its hashes are gone", fault);
    proof->is_there =
        found == HDF5_FOUND &&
        must_be_there(source, read_hash(source, "parameters", "initial_hash", &proof->initial, fault),
                      fault) &&
        must_be_there(source,
                      hdf5_read_word(source, "parameters", "arithmetic", proof->arithmetic,
                                     sizeof proof->arithmetic, fault),
                      fault);
    return proof->is_there;
}

/* What stays the same over a file. */

bool hdf5_proof_check_config(const struct hdf5_proof *proof, const struct hdf5_source *source,
                             const char *config, struct fault *fault)
{
    return !proof->is_there ||
           hdf5_hash_parameters(config, proof->arithmetic, proof->initial) == proof->parameters ||
           fail(source, "its configuration is not the one that was written", fault);
}

bool hdf5_proof_check_ids(const struct hdf5_proof *proof, const struct hdf5_source *source, uint64_t hash,
                          struct fault *fault)
{
    uint64_t written;
    if (!proof->is_there)
        return true;
    return must_be_there(source, read_hash(source, "hashes", "ids", &written, fault), fault) &&
           (hash == written || fail(source, "the ids of its agents are not those that were written", fault));
}

/* Steps. */

static bool read_times(struct hdf5_line_proof *line, const char *group, double *times, struct fault *fault)
{
    const struct hdf5_source *source = line->hashes.source;
    struct hdf5_set set;
    char path[sizeof set.path];
    snprintf(path, sizeof path, "%s/time", group);
    bool is_good = must_be_there(source, hdf5_set_open(&set, source, path, HDF5_REAL, 1, fault), fault) &&
                   hdf5_read_numbers(&set, 0, line->whole, times, fault);
    line->time_rows = set.size[0];
    hdf5_set_close(&set);
    return is_good;
}

static bool fail_step(const struct hdf5_source *source, const char *group, hsize_t row, struct fault *fault)
{
    return fault_fail(fault, "%s: row %" PRIu64 " of /%s is damaged: it has another step than was written",
                      source->name, (uint64_t)row, group);
}

static bool check_times(const struct hdf5_line_proof *line, const char *group, const double *times,
                        struct fault *fault)
{
    const struct hdf5_source *source = line->hashes.source;
    for (hsize_t row = 0; row < line->rows; row++) {
        const int64_t step = line->steps[row];
        const bool is_right = row < line->whole
                                  ? times[row] == (double)step && (row == 0 || step > line->steps[row - 1])
                                  : step < 0;
        if (!is_right)
            return fail_step(source, group, row, fault);
    }
    return true;
}

static bool check_steps(struct hdf5_line_proof *line, const char *group, struct fault *fault)
{
    while (line->whole < line->rows && line->steps[line->whole] >= 0)
        line->whole++;
    const struct hdf5_source *source = line->hashes.source;
    double *times = malloc((line->whole + 1) * sizeof *times);
    if (!times)
        return fault_fail(fault, "%s: there is no memory for its steps", source->name);
    const bool is_good = read_times(line, group, times, fault) && check_times(line, group, times, fault);
    free(times);
    return is_good;
}

/* How many rows there are. */

static bool read_count(const struct hdf5_source *source, enum hdf5_counted counted, int64_t *count,
                       struct fault *fault)
{
    int64_t *counts;
    hsize_t size;
    if (!must_be_there(source, hdf5_read_line(source, "hashes/counts", &counts, &size, fault), fault))
        return false;
    *count = size == 2 ? counts[counted] : INT64_MIN;
    free(counts);
    return *count >= -1 || fail(source, "how many frames it has is not what was written", fault);
}

static bool fail_rows(const struct hdf5_source *source, const char *path, hsize_t rows, struct fault *fault)
{
    return fault_fail(fault, "%s: it is damaged: /%s has %" PRIu64 " rows, and others have not", source->name,
                      path, (uint64_t)rows);
}

/* What a flush that was cut short has left of the datasets may be any length, but none is shorter than what was marked. */
static bool is_right_extent(const struct hdf5_line_proof *line, int64_t count, hsize_t rows)
{
    return count >= 0 ? rows == (hsize_t)count : rows >= line->whole;
}

static bool check_rows(const struct hdf5_line_proof *line, int64_t count, const struct hdf5_set *set,
                       struct fault *fault)
{
    return !set->source || is_right_extent(line, count, set->size[0]) ||
           fail_rows(set->source, set->path, set->size[0], fault);
}

static bool check_all_rows(struct hdf5_line_proof *line, enum hdf5_counted counted, const char *group,
                           const struct hdf5_set *const *sets, size_t set_count, struct fault *fault)
{
    const struct hdf5_source *source = line->hashes.source;
    int64_t count;
    if (!read_count(source, counted, &count, fault))
        return false;
    line->is_closed = count >= 0;
    if (count >= 0 && (line->rows != (hsize_t)count || line->whole != line->rows))
        return fail_rows(source, group, line->whole, fault);
    if (!is_right_extent(line, count, line->time_rows))
        return fail_rows(source, group, line->time_rows, fault);
    for (size_t i = 0; i < set_count; i++)
        if (!check_rows(line, count, sets[i], fault))
            return false;
    return check_rows(line, count, &line->hashes, fault);
}

/* The links beside a dataset. */

static bool find_address(const struct hdf5_source *source, const char *path, haddr_t *address,
                         struct fault *fault)
{
    hid_t object;
    H5O_info_t info;
    if (hdf5_source_find(source, path, &object, fault) != HDF5_FOUND)
        return false;
    const bool is_known = H5Oget_info(object, &info) >= 0;
    H5Oclose(object);
    *address = info.addr;
    return is_known || hdf5_source_fail(source, path, fault);
}

/* `name` beside the dataset PATH/value is that of the group: boids writes it once, and hard links to it. */
static bool is_linked(const struct hdf5_set *set, const char *group, const char *name, struct fault *fault)
{
    char path[sizeof set->path + 8], own[sizeof path];
    haddr_t one, other;
    snprintf(path, sizeof path, "%s/%s", group, name);
    snprintf(own, sizeof own, "%.*s/%s", (int)(strrchr(set->path, '/') - set->path), set->path, name);
    return find_address(set->source, path, &one, fault) && find_address(set->source, own, &other, fault) &&
           one == other;
}

static bool check_links(const struct hdf5_set *set, const char *group, struct fault *fault)
{
    struct fault found = {0};
    return !set->source || (is_linked(set, group, "step", &found) && is_linked(set, group, "time", &found)) ||
           fault_fail(fault, "%s: it is damaged: /%s has lost its step or time", set->source->name,
                      set->path);
}

bool hdf5_line_proof_open(struct hdf5_line_proof *line, const struct hdf5_source *source,
                          enum hdf5_counted counted, const char *group, const struct hdf5_set *const *sets,
                          size_t set_count, struct fault *fault)
{
    char path[sizeof line->hashes.path];
    *line = (struct hdf5_line_proof){0};
    snprintf(path, sizeof path, "hashes/%s", counted_names[counted]);
    if (!must_be_there(source, hdf5_set_open(&line->hashes, source, path, HDF5_BITS, 1, fault), fault))
        return false;
    snprintf(path, sizeof path, "%s/step", group);
    for (size_t i = 0; i < set_count; i++)
        if (!check_links(sets[i], group, fault))
            return false;
    return must_be_there(source, hdf5_read_line(source, path, &line->steps, &line->rows, fault), fault) &&
           check_steps(line, group, fault) && check_all_rows(line, counted, group, sets, set_count, fault);
}

bool hdf5_line_proof_check(const struct hdf5_line_proof *line, hsize_t row, uint64_t hash,
                           struct fault *fault)
{
    uint64_t written;
    if (!line->hashes.source)
        return true;
    return hdf5_read_bits(&line->hashes, row, &written, fault) &&
           (hash == written ||
            fault_fail(fault, "%s: step %" PRId64 " is damaged: its numbers are not those that were written",
                       line->hashes.source->name, row < line->rows ? line->steps[row] : -1));
}

void hdf5_line_proof_close(struct hdf5_line_proof *line)
{
    hdf5_set_close(&line->hashes);
    free(line->steps);
    *line = (struct hdf5_line_proof){0};
}
