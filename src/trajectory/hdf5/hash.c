/* The mixing function and the order of the numbers are the same as in core/flock_hash.h, for each number format. */
#include "hash.h"

#include "base/double_bits.h"
#include "core/rng.h"
#include "trajectory/format_interface.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t add_word(uint64_t hash, uint64_t word)
{
    return flock_rng_mix((hash ^ word) + golden);
}

enum h5_hash_format h5_hash_stored_format(const char *arithmetic, size_t number_size)
{
    return number_size == sizeof(float)         ? HDF5_FLOATS
           : strcmp(arithmetic, "float32") == 0 ? HDF5_FLOAT32
           : strcmp(arithmetic, "fixed") == 0   ? HDF5_FIXED
                                                : HDF5_FLOAT64;
}

static uint64_t float_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* If the format cannot hold a number, all 64 bits of the number are hashed, so that its hash differs from that of
 * every other number. */
__attribute__((always_inline)) static inline uint64_t number_bits(enum h5_hash_format format,
                                                                  const void *numbers, size_t at)
{
    if (format == HDF5_FLOATS)
        return float_bits(((const float *)numbers)[at]);
    const double number = ((const double *)numbers)[at];
    if (format == HDF5_FLOAT32 && double_to_bits((float)number) == double_to_bits(number))
        return float_bits((float)number);
    if (format == HDF5_FIXED) {
        const double scaled = number * 65536;
        const bool is_within = scaled >= INT32_MIN && scaled <= INT32_MAX;
        const int32_t raw = is_within ? (int32_t)scaled : 0;
        if (is_within && double_to_bits(raw) == double_to_bits(scaled))
            return (uint32_t)raw;
    }
    return double_to_bits(number);
}

__attribute__((always_inline)) static inline uint64_t hash_as(enum h5_hash_format format,
                                                              const struct h5_vectors *vectors, size_t first,
                                                              size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * vectors->stride;
        uint64_t hash = flock_rng_mix((uint32_t)(first + i) + golden);
        hash = add_word(hash, number_bits(format, vectors->fields[HDF5_POSITION], at));
        hash = add_word(hash, number_bits(format, vectors->fields[HDF5_POSITION], at + 1));
        hash = add_word(hash, number_bits(format, vectors->fields[HDF5_VELOCITY], at));
        sum += add_word(hash, number_bits(format, vectors->fields[HDF5_VELOCITY], at + 1));
    }
    return sum;
}

/* There is one loop per format, so that the format is not selected again for each number. */
__attribute__((always_inline)) static inline uint64_t hash_vectors(const struct h5_vectors *vectors,
                                                                   size_t first, size_t count)
{
    switch (vectors->format) {
    case HDF5_FLOATS: return hash_as(HDF5_FLOATS, vectors, first, count);
    case HDF5_FLOAT32: return hash_as(HDF5_FLOAT32, vectors, first, count);
    case HDF5_FIXED: return hash_as(HDF5_FIXED, vectors, first, count);
    case HDF5_FLOAT64:
    default: return hash_as(HDF5_FLOAT64, vectors, first, count);
    }
}

/* AVX-512 has a multiplication of 64-bit integers, so the loops take a third of the time. */
#if defined __x86_64__
__attribute__((target("avx512dq,avx512vl"))) static uint64_t hash_with_avx512(
    const struct h5_vectors *vectors, size_t first, size_t count)
{
    return hash_vectors(vectors, first, count);
}
#endif

uint64_t h5_hash_vectors(const struct h5_vectors *vectors, size_t first, size_t count)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return hash_with_avx512(vectors, first, count);
#endif
    return hash_vectors(vectors, first, count);
}

uint64_t h5_hash_agents(const char *arithmetic, size_t first, size_t count, const struct agent *agents)
{
    const struct h5_vectors vectors = {.format = h5_hash_stored_format(arithmetic, sizeof(double)),
                                       .fields = {&agents->x, &agents->vx},
                                       .stride = sizeof *agents / sizeof(double)};
    return h5_hash_vectors(&vectors, first, count);
}

uint64_t h5_hash_state(const char *arithmetic, int64_t step, size_t count, const struct agent *agents)
{
    return h5_hash_id(h5_hash_agents(arithmetic, 0, count, agents), step);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = golden;
    for (; *text != '\0'; text++)
        hash = add_word(hash, (unsigned char)*text);
    return hash;
}

uint64_t h5_hash_value(const char *name, double value)
{
    return add_word(hash_text(name), double_to_bits(value));
}

uint64_t h5_hash_parameters(const char *config, const char *arithmetic, uint64_t initial_hash)
{
    return add_word(add_word(hash_text(config), hash_text(arithmetic)), initial_hash);
}

uint64_t h5_hash_id(uint64_t hash, int64_t id)
{
    return add_word(hash, (uint64_t)id);
}

bool h5_hash_parse(const char *word, uint64_t *hash)
{
    enum { DIGITS = HDF5_HASH_SIZE - 1 };
    const bool is_hash = strlen(word) == DIGITS && strspn(word, "0123456789abcdef") == DIGITS;
    *hash = is_hash ? strtoull(word, NULL, 16) : 0;
    return is_hash;
}

/* Checking a file. A file has all hashes, or none if it was written by a version of the program that did not yet
 * store hashes. Otherwise the file is damaged. */

static bool refuse_missing(const struct h5_file *file)
{
    return h5_file_damaged(file, "some of its hashes are missing");
}

static bool find_hash(const struct h5_file *file, const char *path, const char *name, uint64_t *hash)
{
    char word[HDF5_HASH_SIZE];
    return h5_read_attribute(file, path, name, word, sizeof word) &&
           (h5_hash_parse(word, hash) || h5_file_damaged(file, "%s of /%s is no hash", name, path));
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
    hashes->is_there =
        h5_hash_read(file, "parameters", "initial_hash", &hashes->initial) &&
        (h5_read_attribute(file, "parameters", "arithmetic", arithmetic, sizeof hashes->arithmetic) ||
         refuse_missing(file));
    return hashes->is_there;
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
    while (series->whole < series->count && series->steps[series->whole] >= 0)
        series->whole++;
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
    double *times = malloc((series->whole + 1) * sizeof *times);
    if (!times)
        return error_fail(file->error, "%s: out of memory for its steps", file->name);
    bool is_good = (h5_dataset_open(&dataset, file, path, HDF5_REAL, 1) || refuse_missing(file)) &&
                   h5_dataset_read(&dataset, 0, 0, series->whole, times);
    *rows = dataset.size[0];
    h5_dataset_close(&dataset);
    for (hsize_t row = 0; is_good && row < series->count; row++) {
        const int64_t step = series->steps[row];
        const bool is_right = row < series->whole
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
    return (series->stated >= 0 ? rows == (hsize_t)series->stated : rows >= series->whole) ||
           h5_file_damaged(series->file, "/%s has %" PRIu64 " rows, and others have not", path,
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

/* Check that two links called `name`, one next to the dataset and one in the group of the series, lead to the same object.
 * boids writes this object once and creates hard links to it. */
static bool check_axis(const struct h5_series *series, const struct h5_dataset *dataset, const char *name)
{
    const struct h5_file *file = series->file;
    char path[sizeof dataset->path + 8], own[sizeof path];
    hid_t one = -1, other = -1;
    snprintf(path, sizeof path, "%s/%s", series->group, name);
    snprintf(own, sizeof own, "%.*s/%s", (int)(strrchr(dataset->path, '/') - dataset->path), dataset->path,
             name);
    const struct h5_guard outer = h5_file_begin(file);
    const bool is_same =
        h5_file_find(file, path, &one) && h5_file_find(file, own, &other) && is_same_object(one, other);
    if (!is_same && errno == ENOMEM)
        h5_file_fail(file, dataset->path);
    if (one >= 0)
        H5Oclose(one);
    if (other >= 0)
        H5Oclose(other);
    h5_guard_end(outer);
    return is_same || h5_file_damaged(file, "the step or time of /%s is missing", dataset->path);
}

bool h5_series_open(struct h5_series *series, const char *name, const struct h5_dataset *sets, size_t count)
{
    const struct h5_file *file = series->file;
    char path[sizeof series->hashes.path];
    hsize_t times = 0, counted;
    snprintf(path, sizeof path, "hashes/%s", name);
    if (!series->steps || !h5_dataset_open(&series->hashes, file, path, HDF5_BITS, 1))
        return refuse_missing(file);
    for (size_t i = 0; i < count; i++)
        if (sets[i].file && !(check_axis(series, &sets[i], "step") && check_axis(series, &sets[i], "time")))
            return false;
    if (!check_times(series, &times))
        return false;
    int64_t *counts = h5_read_integers(file, "hashes/counts", &counted);
    if (!counts)
        return refuse_missing(file);
    series->stated = counted == 2 ? counts[strcmp(name, "frames") == 0 ? 0 : 1] : INT64_MIN;
    free(counts);
    if (series->stated < -1)
        return h5_file_damaged(file, "it does not contain the number of frames that was written");
    for (size_t i = 0; i < count; i++)
        if (sets[i].file && !check_extent(series, sets[i].path, sets[i].size[0]))
            return false;
    return check_extent(series, series->group, series->whole) &&
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
