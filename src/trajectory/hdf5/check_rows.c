/* Checks the hashes and the rows of a file. A file has all hashes, or none if it was written by a version of the program that
 * did not yet store hashes. Otherwise the file is damaged. */
#include "check_rows.h"

#include "trajectory/interval.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_missing(const struct h5_file *file)
{
    return h5_file_damaged(file, "some of its hashes are missing");
}

static bool find_hash(const struct h5_file *file, const char *path, const char *name, uint64_t *hash)
{
    char word[HDF5_HASH_SIZE];
    return h5_read_attribute(file, path, name, HDF5_TEXT, word, sizeof word) &&
           (h5_hash_parse(word, hash) || h5_file_damaged(file, "%s of /%s is not a hash", name, path));
}

bool h5_hash_read(const struct h5_file *file, const char *path, const char *name, uint64_t *hash)
{
    return find_hash(file, path, name, hash) || refuse_missing(file);
}

bool h5_file_hashes_read(struct h5_file_hashes *hashes, const struct h5_file *file)
{
    *hashes = (struct h5_file_hashes){0};
    if (!find_hash(file, "parameters", "hash", &hashes->parameters))
        return h5_file_has(file, "hashes") ? refuse_missing(file) : !h5_file_has_failed(file);
    char *arithmetic = hashes->arithmetic;
    hashes->exist = h5_hash_read(file, "parameters", "initial_hash", &hashes->initial) &&
                    (h5_read_attribute(file, "parameters", "arithmetic", HDF5_TEXT, arithmetic,
                                       sizeof hashes->arithmetic) ||
                     refuse_missing(file));
    return hashes->exist;
}

/* Rows. */

bool h5_series_read_steps(struct h5_series *series, const struct h5_file *file, const char *group)
{
    char path[sizeof series->hashes.path];
    if (series->steps)
        return true;
    snprintf(path, sizeof path, "%s/step", group);
    snprintf(series->group, sizeof series->group, "%s", group);
    series->file = file;
    series->steps = h5_read_integers(file, path, &series->count);
    while (series->committed_count < series->count && series->steps[series->committed_count] >= 0)
        series->committed_count++;
    for (hsize_t row = 0; row < series->count; row++)
        if (series->steps[row] > (int64_t)MAX_STEP)
            return h5_file_refuse(file, "/%s has step %" PRId64 "; steps go up to %" PRIu64, path,
                                  series->steps[row], MAX_STEP);
    return series->steps;
}

/* Check that the steps ascend and are equal to the times, and return the number of times in `rows`. */
static bool check_times(const struct h5_series *series, hsize_t *rows)
{
    const struct h5_file *file = series->file;
    struct h5_dataset dataset;
    char path[sizeof series->group + 8];
    snprintf(path, sizeof path, "%s/time", series->group);
    double *times = malloc((series->committed_count + 1) * sizeof *times);
    if (!times)
        return error_fail(file->error, "%s: out of memory for its steps", file->name);
    bool is_good = (h5_dataset_open(&dataset, file, path, HDF5_REAL, 1) || refuse_missing(file)) &&
                   h5_dataset_read(&dataset, 0, 0, series->committed_count, times);
    *rows = dataset.size[0];
    h5_dataset_close(&dataset);
    for (hsize_t row = 0; is_good && row < series->count; row++) {
        const int64_t step = series->steps[row];
        const bool is_right = row < series->committed_count
                                  ? times[row] == (double)step && (row == 0 || step > series->steps[row - 1])
                                  : step < 0;
        if (!is_right)
            is_good =
                error_fail(file->error,
                           "%s: row %" PRIu64 " of /%s is damaged: its step is not the one that was written",
                           file->name, (uint64_t)row, series->group);
    }
    free(times);
    return is_good;
}

/* Check the number of rows of a dataset. An interrupted flush may leave datasets of different lengths, but none shorter
 * than the committed rows. */
static bool check_extent(const struct h5_series *series, const char *path, hsize_t rows)
{
    return (series->stated_count >= 0 ? rows == (hsize_t)series->stated_count
                                      : rows >= series->committed_count) ||
           h5_file_damaged(series->file, "/%s has %" PRIu64 " rows, but other datasets do not", path,
                           (uint64_t)rows);
}

/* Links to step and time. */

static bool is_same_object(hid_t one, hid_t other)
{
#if H5_VERSION_GE(1, 12, 0)
    H5O_info2_t a, b;
    int difference = 1;
    return H5Oget_info3(one, &a, H5O_INFO_BASIC) >= 0 && H5Oget_info3(other, &b, H5O_INFO_BASIC) >= 0 &&
           H5Otoken_cmp(one, &a.token, &b.token, &difference) >= 0 && difference == 0;
#else
    H5O_info_t a, b;
    return H5Oget_info2(one, &a, H5O_INFO_BASIC) >= 0 && H5Oget_info2(other, &b, H5O_INFO_BASIC) >= 0 &&
           a.addr == b.addr;
#endif
}

/* Check that each dataset has a link called `name` next to it that leads to the same object as the link in the group of the
 * series. boids writes this object once and creates hard links to it. */
static bool check_axis(const struct h5_series *series, const char *name, const struct h5_dataset *sets,
                       size_t count)
{
    const struct h5_file *file = series->file;
    char path[sizeof sets->path + 8];
    hid_t axis, other = -1;
    bool is_same = true;
    snprintf(path, sizeof path, "%s/%s", series->group, name);
    const struct h5_guard outer = h5_file_begin(file);
    const bool is_there = h5_file_find(file, path, &axis);
    for (size_t i = 0; is_same && i < count; i++) {
        if (!sets[i].file)
            continue;
        snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(sets[i].path, '/') - sets[i].path), sets[i].path,
                 name);
        is_same = is_there && h5_file_find(file, path, &other) && is_same_object(axis, other);
        if (!is_same && errno == ENOMEM)
            h5_file_fail(file, sets[i].path);
        else if (!is_same)
            h5_file_damaged(file, "the step or time of /%s is missing", sets[i].path);
        H5Oclose(other);
    }
    H5Oclose(axis);
    h5_guard_end(outer);
    return is_same;
}

bool h5_series_open(struct h5_series *series, const char *name, const struct h5_dataset *sets, size_t count)
{
    const struct h5_file *file = series->file;
    char path[sizeof series->hashes.path];
    hsize_t times = 0, counted;
    snprintf(path, sizeof path, "hashes/%s", name);
    if (!series->steps || !h5_dataset_open(&series->hashes, file, path, HDF5_BITS, 1))
        return refuse_missing(file);
    if (!check_axis(series, "step", sets, count) || !check_axis(series, "time", sets, count) ||
        !check_times(series, &times))
        return false;
    int64_t *counts = h5_read_integers(file, "hashes/counts", &counted);
    if (!counts)
        return refuse_missing(file);
    series->stated_count = counted == 2 ? counts[strcmp(name, "frames") == 0 ? 0 : 1] : INT64_MIN;
    free(counts);
    if (series->stated_count < -1)
        return h5_file_damaged(file, "it does not contain the number of frames that was written");
    for (size_t i = 0; i < count; i++)
        if (sets[i].file && !check_extent(series, sets[i].path, sets[i].size[0]))
            return false;
    return check_extent(series, series->group, series->committed_count) &&
           check_extent(series, series->group, series->count) && check_extent(series, series->group, times) &&
           check_extent(series, path, series->hashes.size[0]);
}

bool h5_series_check(const struct h5_series *series, hsize_t row, uint64_t hash)
{
    uint64_t written;
    if (!series->hashes.file)
        return true;
    return h5_dataset_read(&series->hashes, 0, row, 1, &written) &&
           (hash == written ||
            error_fail(series->file->error,
                       "%s: step %" PRId64 " is damaged: its numbers are not those that were written",
                       series->file->name, row < series->count ? series->steps[row] : -1));
}

void h5_series_close(struct h5_series *series)
{
    h5_dataset_close(&series->hashes);
    free(series->steps);
    *series = (struct h5_series){0};
}
