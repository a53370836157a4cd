/* Opens a file, finds objects in it and reads datasets. Each link of a path is checked before it is followed. boids
 * writes only hard links; any other type of link could lead to another file or load a plugin. */
#include "input_datasets.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Whether the file begins with a superblock with addresses and lengths of 8 bytes, like all files of boids. The check
 * of heaps in ordered_vfd.c supports only such files. */
static bool has_wide_addresses(struct h5_file *file)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[16] = {0};
    ssize_t found;
    do
        found = pread(file->disk.descriptor, head, sizeof head, 0);
    while (found < 0 && errno == EINTR);
    const size_t sizes = head[8] < 2 ? 13 : 9; /* their offset depends on the version of the superblock */
    if (found < 0)
        file->disk.error = errno;
    return found == sizeof head && memcmp(head, signature, sizeof signature) == 0 && head[sizes] == 8 &&
           head[sizes + 1] == 8;
}

struct h5_guard h5_file_begin(const struct h5_file *file)
{
    return h5_guard_begin(file->name, file->disk.size + 1);
}

/* Why the last call failed. */
static const char *failure(const struct h5_file *file)
{
    const int error = file->disk.error == 0 && errno == ENOMEM ? ENOMEM : file->disk.error;
    return error == 0 ? "it is damaged or incomplete" : strerror(error);
}

bool h5_file_fail(const struct h5_file *file, const char *path)
{
    return error_fail(file->error, "%s: /%s cannot be read: %s", file->name, path, failure(file));
}

bool h5_file_has_failed(const struct h5_file *file)
{
    return file->error->status != ERROR_NONE;
}

static bool open_in_library(struct h5_file *file)
{
    if (has_wide_addresses(file) && h5_quieten()) {
        hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_cache(access, 0, 0, 0, 1); /* h5_dataset_read() keeps small chunks */
        if (h5_vfd_select(access, &file->disk) >= 0)
            file->id = H5Fopen("trajectory", H5F_ACC_RDONLY, access);
        H5Pclose(access);
    }
    if (file->id < 0 && (file->disk.error != 0 || errno == ENOMEM))
        error_fail(file->error, "%s: cannot be read: %s", file->name, failure(file));
    return file->id >= 0;
}

bool h5_file_open(struct h5_file *file, int descriptor, const char *name, struct error *error)
{
    struct stat status;
    bool is_open = false;
    *file = (struct h5_file){.id = -1, .name = name, .disk.descriptor = descriptor, .error = error};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        error_fail(error, "%s: cannot be opened: %s", name, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        error_refuse(error, "%s is %s; HDF5 can only be read from a file", name,
                     S_ISDIR(status.st_mode) ? "a folder" : "a pipe or device");
    } else if (!(file->buffers = calloc(1, sizeof *file->buffers))) {
        error_fail(error, "%s: out of memory", name);
    } else {
        file->disk.size = (haddr_t)status.st_size;
        const struct h5_guard outer = h5_file_begin(file);
        is_open = open_in_library(file);
        h5_guard_end(outer);
    }
    if (!is_open)
        h5_file_close(file);
    return is_open;
}

void h5_file_close(struct h5_file *file)
{
    if (!file->name)
        return;
    if (file->id >= 0) {
        const struct h5_guard outer = h5_file_begin(file);
        H5Fclose(file->id);
        h5_guard_end(outer);
    }
    h5_guard_rest();
    if (file->disk.descriptor >= 0)
        close(file->disk.descriptor);
    if (file->buffers) {
        free(file->buffers->stored.at);
        free(file->buffers->shuffled.at);
        free(file->buffers);
    }
    *file = (struct h5_file){0};
}

bool h5_file_report(const struct h5_file *file, enum error_status status, const char *format, ...)
{
    char what[sizeof file->error->sentence];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    return error_set(file->error, status, "%s: %s%s", file->name,
                     status == ERROR_FAILED ? "it is damaged: " : "", what);
}

/* Replace the group `*object` by its member. `path` is the path of the member. */
static bool open_member(const struct h5_file *file, hid_t *object, const char *path, const char *name)
{
    H5L_info_t link;
    hid_t member = -1;
    const htri_t is_there =
        H5Iget_type(*object) == H5I_GROUP ? H5Lexists(*object, name, H5P_DEFAULT) : (htri_t)0;
    if (is_there < 0 || (is_there == 0 && errno == ENOMEM) ||
        (is_there > 0 && H5Lget_info(*object, name, &link, H5P_DEFAULT) < 0))
        h5_file_fail(file, path);
    else if (is_there > 0 && link.type != H5L_TYPE_HARD)
        h5_file_refuse(file, "/%s is a link to another file or path; a trajectory has no such links", path);
    else if (is_there > 0 && (member = H5Oopen(*object, name, H5P_DEFAULT)) < 0)
        h5_file_fail(file, path);
    H5Oclose(*object);
    *object = member;
    return member >= 0;
}

bool h5_file_find(const struct h5_file *file, const char *path, hid_t *object)
{
    char walked[256]; /* the beginning of `path` that has been checked */
    size_t length = 0;
    assert(strlen(path) < sizeof walked);
    const struct h5_guard outer = h5_file_begin(file);
    *object = H5Oopen(file->id, "/", H5P_DEFAULT);
    bool is_found = *object >= 0 || h5_file_fail(file, "");
    while (is_found && path[length]) {
        const size_t begin = length + (path[length] == '/');
        length = begin + strcspn(path + begin, "/");
        snprintf(walked, sizeof walked, "%.*s", (int)length, path);
        is_found = open_member(file, object, walked, walked + begin);
    }
    h5_guard_end(outer);
    return is_found;
}

bool h5_file_has(const struct h5_file *file, const char *path)
{
    hid_t object;
    const bool is_found = h5_file_find(file, path, &object);
    if (is_found)
        H5Oclose(object);
    return is_found;
}

/* A dataset is checked in an order in which each check is safe: first the type of object, then the storage location,
 * the data type, the size, and the part of the data that is in the file. The location comes before the size, because
 * a query for the size of a dataset with external storage opens other files. */

static bool refuse_dataset(const struct h5_dataset *dataset, const char *found)
{
    return errno == ENOMEM ? h5_file_fail(dataset->file, dataset->path)
                           : h5_file_refuse(dataset->file, "/%s %s", dataset->path, found);
}

static bool check_storage(struct h5_dataset *dataset, hid_t properties)
{
    const H5D_layout_t layout = H5Pget_layout(properties);
    if (layout == H5D_VIRTUAL || (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) != 0))
        return refuse_dataset(dataset, "stores its numbers in other files; a trajectory is one file");
    if (layout == H5D_CONTIGUOUS)
        return true;
    if (layout != H5D_CHUNKED)
        return refuse_dataset(dataset, "has a storage layout that boids does not write");
    if (H5Pget_chunk(properties, HDF5_MAX_RANK, dataset->chunk) != dataset->rank)
        return refuse_dataset(dataset, "has chunks of a shape that boids does not write");
    for (int i = dataset->rank; i < HDF5_MAX_RANK; i++)
        dataset->chunk[i] = 1;
    const int filters = H5Pget_nfilters(properties);
    for (int i = 0; i < filters; i++) {
        unsigned flags, config, value = 0;
        size_t count = 1;
        const H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &count, &value, 0, NULL, &config);
        if (filter == H5Z_FILTER_DEFLATE && dataset->deflate < 0)
            dataset->deflate = i;
        else if (filter == H5Z_FILTER_SHUFFLE && dataset->deflate < 0 && dataset->shuffle < 0)
            dataset->shuffle = i;
        else
            return refuse_dataset(dataset, "has other filters than those of boids, shuffle and gzip");
        if (filter == H5Z_FILTER_SHUFFLE)
            dataset->shuffled_bytes = value;
    }
    dataset->is_compressed = filters > 0;
    return filters >= 0 || h5_file_fail(dataset->file, dataset->path);
}

static bool check_type(struct h5_dataset *dataset, enum h5_kind kind)
{
    const hid_t type = dataset->type = H5Dget_type(dataset->id);
    if (type < 0)
        return h5_file_fail(dataset->file, dataset->path);
    dataset->type_size = H5Tget_size(type);
    if (dataset->shuffle >= 0 && dataset->shuffled_bytes != dataset->type_size)
        return h5_file_damaged(dataset->file,
                               "/%s is shuffled as numbers of %u bytes, but its numbers have %zu",
                               dataset->path, dataset->shuffled_bytes, dataset->type_size);
    switch (kind) {
    case HDF5_REAL:
        dataset->native = H5T_NATIVE_DOUBLE;
        return H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F64LE) > 0 ||
               refuse_dataset(dataset, "does not contain float32 or float64");
    case HDF5_WHOLE:
        dataset->native = H5T_NATIVE_INT64;
        return H5Tequal(type, H5T_STD_I32LE) > 0 || H5Tequal(type, H5T_STD_I64LE) > 0 ||
               refuse_dataset(dataset, "does not contain int32 or int64");
    case HDF5_BITS:
        dataset->native = H5T_NATIVE_UINT64;
        return H5Tequal(type, H5T_STD_U64LE) > 0 || refuse_dataset(dataset, "is not made of uint64");
    case HDF5_TEXT:
    default:
        dataset->native = type;
        if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
            return refuse_dataset(dataset, "is not a text of a fixed length");
        return dataset->type_size <= HDF5_MAX_TEXT ||
               h5_file_refuse(dataset->file, "/%s is a text of %zu bytes; it may have at most %d",
                              dataset->path, dataset->type_size, HDF5_MAX_TEXT);
    }
}

static bool check_size(struct h5_dataset *dataset)
{
    enum { SMALL_CHUNK = 1 << 20 };
    const uint64_t end = dataset->file->disk.size;
    const hsize_t *size = dataset->size;
    hid_t space = H5Dget_space(dataset->id);
    const H5S_class_t class = H5Sget_simple_extent_type(space);
    const bool is_right = class == (dataset->rank == 0 ? H5S_SCALAR : H5S_SIMPLE) &&
                          H5Sget_simple_extent_ndims(space) == dataset->rank &&
                          H5Sget_simple_extent_dims(space, dataset->size, NULL) == dataset->rank;
    H5Sclose(space);
    if (!is_right)
        return refuse_dataset(dataset, "does not have the dimensions that boids writes");
    if (size[0] > end || size[1] > end)
        return h5_file_refuse(dataset->file,
                              "/%s has an extent of %" PRIu64 "; a file of %" PRIu64
                              " bytes cannot contain that many frames or agents",
                              dataset->path, (uint64_t)(size[0] > end ? size[0] : size[1]), end);
    if (size[2] > HDF5_MAX_COLUMNS)
        return h5_file_refuse(dataset->file, "/%s has %" PRIu64 " columns; it may have at most %d",
                              dataset->path, (uint64_t)size[2], HDF5_MAX_COLUMNS);
    /* All of a contiguous dataset must be in the file. Chunks are checked when they are read. A chunk is always read
     * as a whole, even if only one of its frames is needed. */
    const haddr_t begin = H5Dget_offset(dataset->id);
    const hsize_t max_chunk = end * HDF5_MAX_COLUMNS * sizeof(double) + SMALL_CHUNK;
    hsize_t bytes = dataset->type_size;
    for (int i = 0; i < HDF5_MAX_RANK && dataset->chunk[0] > 0; i++) {
        if (dataset->chunk[i] == 0 || dataset->chunk[i] > max_chunk / bytes)
            return h5_file_refuse(dataset->file,
                                  "/%s is in chunks of more than %" PRIu64
                                  " bytes, the most in a file of %" PRIu64,
                                  dataset->path, (uint64_t)max_chunk, (uint64_t)end);
        bytes *= dataset->chunk[i];
    }
    if (dataset->chunk[0] > 0)
        return true;
    for (int i = 0; i < HDF5_MAX_RANK; i++) {
        if (dataset->size[i] == 0)
            return true;
        if (bytes > end / dataset->size[i])
            return h5_file_fail(dataset->file, dataset->path);
        bytes *= dataset->size[i];
    }
    return (H5Dget_storage_size(dataset->id) == bytes && begin != HADDR_UNDEF && begin <= end - bytes) ||
           h5_file_fail(dataset->file, dataset->path);
}

bool h5_dataset_open(struct h5_dataset *dataset, const struct h5_file *file, const char *path,
                     enum h5_kind kind, int rank)
{
    *dataset = (struct h5_dataset){
        .file = file, .id = -1, .type = -1, .rank = rank, .size = {1, 1, 1}, .shuffle = -1, .deflate = -1};
    snprintf(dataset->path, sizeof dataset->path, "%s", path);
    const struct h5_guard outer = h5_file_begin(file);
    bool is_good = h5_file_find(file, path, &dataset->id);
    if (is_good && H5Iget_type(dataset->id) != H5I_DATASET)
        is_good = refuse_dataset(dataset, "is not a dataset");
    if (is_good) {
        hid_t properties = H5Dget_create_plist(dataset->id);
        is_good = properties >= 0 ? check_storage(dataset, properties) : h5_file_fail(file, path);
        H5Pclose(properties);
    }
    is_good = is_good && check_type(dataset, kind) && check_size(dataset);
    const hsize_t rows = dataset->chunk[0], numbers = dataset->size[1] * dataset->size[2];
    if (is_good && rows > 1 && numbers > 0 && numbers <= (1 << 15) / rows)
        dataset->cache = calloc(1, sizeof *dataset->cache + rows * numbers * sizeof(double));
    if (!is_good)
        h5_dataset_close(dataset);
    h5_guard_end(outer);
    return is_good;
}

void h5_dataset_close(struct h5_dataset *dataset)
{
    if (dataset->file) {
        const struct h5_guard outer = h5_file_begin(dataset->file);
        H5Tclose(dataset->type);
        H5Oclose(dataset->id);
        h5_guard_end(outer);
    }
    free(dataset->cache);
    *dataset = (struct h5_dataset){0};
}

/* Chunks. */

static size_t chunk_bytes(const struct h5_dataset *dataset)
{
    return (size_t)(dataset->chunk[0] * dataset->chunk[1] * dataset->chunk[2]) * dataset->type_size;
}

/* Whether a filter was used for a chunk: the filter mask of the chunk has a bit for each skipped filter. */
static bool is_used(int filter, uint32_t skipped)
{
    return filter >= 0 && (skipped >> filter & 1) == 0;
}

/* Read a chunk of `size` bytes in the form in which it is stored. `skipped` receives its filter mask. */
static bool read_stored(const struct h5_dataset *dataset, const hsize_t *origin, size_t size, void *stored,
                        uint32_t *skipped)
{
#if H5_VERSION_GE(2, 0, 0)
    return H5Dread_chunk2(dataset->id, H5P_DEFAULT, origin, skipped, stored, &size) >= 0;
#else
    (void)size;
    return H5Dread_chunk(dataset->id, H5P_DEFAULT, origin, skipped, stored) >= 0;
#endif
}

/* Undo the filter shuffle, which stores the first bytes of all numbers together, then the second bytes, and so on. */
__attribute__((always_inline)) static inline void unshuffle(unsigned char *restrict numbers,
                                                            const unsigned char *restrict bytes, size_t count,
                                                            size_t size)
{
    for (size_t i = 0; i < count; i++)
        for (size_t byte = 0; byte < size; byte++)
            numbers[i * size + byte] = bytes[byte * count + i];
}

/* Make room for `size` bytes; the old contents are lost. */
static bool grow(struct h5_bytes *bytes, size_t size)
{
    if (size <= bytes->room)
        return true;
    free(bytes->at);
    bytes->at = malloc(size);
    bytes->room = bytes->at ? size : 0;
    return bytes->at;
}

/* The library does not check the size of a compressed chunk. It allocates as much memory as the chunk expands to
 * and, if the result is too short, copies memory after its end. So chunks are read in compressed form and
 * decompressed here. The result must have exactly the size of a chunk, and nothing may follow it. */
static bool unpack_chunk(const struct h5_dataset *dataset, const hsize_t *origin, unsigned char *chunk)
{
    struct h5_chunk_buffers *buffers = dataset->file->buffers;
    const size_t size = chunk_bytes(dataset), number = dataset->type_size;
    hsize_t stored = 0;
    uint32_t skipped;
    if (H5Dget_chunk_storage_size(dataset->id, origin, &stored) < 0 || stored == 0 ||
        stored > dataset->file->disk.size || !grow(&buffers->stored, stored) ||
        !grow(&buffers->shuffled, size) ||
        !read_stored(dataset, origin, stored, buffers->stored.at, &skipped))
        return false;
    const bool is_shuffled = is_used(dataset->shuffle, skipped);
    const unsigned char *shuffled = buffers->shuffled.at;
    unsigned char *to = is_shuffled ? buffers->shuffled.at : chunk;
    uLongf length = size, used = stored;
    if (!is_used(dataset->deflate, skipped)) {
        if (stored != size)
            return false;
        memcpy(to, buffers->stored.at, size);
    } else if (uncompress2(to, &length, buffers->stored.at, &used) != Z_OK || length != size ||
               used != stored) {
        return false;
    }
    /* With a constant size, the compiler makes a faster loop. */
    if (is_shuffled && number == sizeof(float))
        unshuffle(chunk, shuffled, size / number, sizeof(float));
    else if (is_shuffled && number == sizeof(double))
        unshuffle(chunk, shuffled, size / number, sizeof(double));
    else if (is_shuffled)
        unshuffle(chunk, shuffled, size / number, number);
    return true;
}

/* A part of a dataset: count[] numbers from start[] on in each dimension. */
struct hyperslab {
    hsize_t start[HDF5_MAX_RANK], count[HDF5_MAX_RANK];
};

/* Copy the numbers of a chunk that are in the hyperslab. */
static void copy_chunk(const struct h5_dataset *dataset, const struct hyperslab *slab, const hsize_t *origin,
                       const unsigned char *chunk, unsigned char *values)
{
    hsize_t begin[HDF5_MAX_RANK], end[HDF5_MAX_RANK];
    for (int i = 0; i < HDF5_MAX_RANK; i++) {
        const hsize_t slab_end = slab->start[i] + slab->count[i], chunk_end = origin[i] + dataset->chunk[i];
        begin[i] = slab->start[i] > origin[i] ? slab->start[i] : origin[i];
        end[i] = slab_end < chunk_end ? slab_end : chunk_end;
    }
    for (hsize_t i = begin[0]; i < end[0]; i++) {
        for (hsize_t j = begin[1]; j < end[1]; j++) {
            const hsize_t from = ((i - origin[0]) * dataset->chunk[1] + j - origin[1]) * dataset->chunk[2] +
                                 begin[2] - origin[2];
            const hsize_t to = ((i - slab->start[0]) * slab->count[1] + j - slab->start[1]) * slab->count[2] +
                               begin[2] - slab->start[2];
            memcpy(values + to * dataset->type_size, chunk + from * dataset->type_size,
                   (end[2] - begin[2]) * dataset->type_size);
        }
    }
}

/* Unpack each chunk of the hyperslab. `chunk` has room for one chunk, and may be `values` if the hyperslab is one chunk. If `chunk`
 * is NULL, the function only checks that each chunk is complete in the file, because the library returns uninitialised
 * memory for a chunk that is missing or truncated. */
static bool visit_chunks(const struct h5_dataset *dataset, const struct hyperslab *slab, unsigned char *chunk,
                         unsigned char *values)
{
    const hsize_t *step = dataset->chunk, *start = slab->start, *count = slab->count;
    hsize_t o[HDF5_MAX_RANK], bytes = 0;
    for (o[0] = start[0] - start[0] % step[0]; o[0] < start[0] + count[0]; o[0] += step[0]) {
        for (o[1] = start[1] - start[1] % step[1]; o[1] < start[1] + count[1]; o[1] += step[1]) {
            for (o[2] = start[2] - start[2] % step[2]; o[2] < start[2] + count[2]; o[2] += step[2]) {
                if (!(chunk ? unpack_chunk(dataset, o, chunk)
                            : H5Dget_chunk_storage_size(dataset->id, o, &bytes) >= 0 &&
                                  bytes == chunk_bytes(dataset)))
                    return false;
                if (chunk && chunk != values)
                    copy_chunk(dataset, slab, o, chunk, values);
            }
        }
    }
    return true;
}

/* Numbers are converted in place, so the type in memory is at least as large as the type in the file. */
static bool read_hyperslab(const struct h5_dataset *dataset, const struct hyperslab *slab, void *values)
{
    const hsize_t *size = dataset->size;
    const size_t numbers = (size_t)(slab->count[0] * slab->count[1] * slab->count[2]);
    bool is_chunk = dataset->is_compressed;
    assert(!is_chunk || chunk_bytes(dataset) > 0); /* check_size() */
    for (int i = 0; i < HDF5_MAX_RANK; i++) {
        if (slab->start[i] > size[i] || slab->count[i] > size[i] - slab->start[i])
            return refuse_dataset(dataset, "is shorter than the other datasets");
        is_chunk = is_chunk && slab->count[i] == dataset->chunk[i] && slab->start[i] % slab->count[i] == 0;
    }
    unsigned char *own = dataset->is_compressed && !is_chunk ? malloc(chunk_bytes(dataset)) : NULL;
    unsigned char *chunk = is_chunk ? values : own;
    if (dataset->is_compressed && !chunk)
        return error_fail(dataset->file->error, "%s: out of memory for a chunk of /%s", dataset->file->name,
                          dataset->path);
    const struct h5_guard outer = h5_file_begin(dataset->file);
    bool is_good = dataset->chunk[0] == 0 || visit_chunks(dataset, slab, chunk, values);
    free(own);
    if (is_good && !dataset->is_compressed) {
        hid_t there = H5Dget_space(dataset->id);
        hid_t here =
            dataset->rank > 0 ? H5Screate_simple(dataset->rank, slab->count, NULL) : H5Screate(H5S_SCALAR);
        if (dataset->rank > 0)
            H5Sselect_hyperslab(there, H5S_SELECT_SET, slab->start, NULL, slab->count, NULL);
        is_good = H5Dread(dataset->id, dataset->type, here, there, H5P_DEFAULT, values) >= 0;
        H5Sclose(here);
        H5Sclose(there);
    }
    is_good =
        (is_good && H5Tconvert(dataset->type, dataset->native, numbers, values, NULL, H5P_DEFAULT) >= 0) ||
        h5_file_fail(dataset->file, dataset->path);
    h5_guard_end(outer);
    return is_good;
}

bool h5_dataset_read(const struct h5_dataset *dataset, hsize_t row, hsize_t first, hsize_t count,
                     void *values)
{
    const hsize_t *size = dataset->size, rows = dataset->chunk[0];
    struct h5_row_cache *cache = dataset->cache;
    struct hyperslab slab = {{row, first}, {1, count, size[2]}};
    if (dataset->rank < HDF5_MAX_RANK)
        slab = (struct hyperslab){{first}, {count, size[1], 1}};
    const hsize_t at = slab.start[0];
    if (!cache || at >= size[0] || slab.count[0] != 1 || slab.count[1] != size[1])
        return read_hyperslab(dataset, &slab, values);
    if (!cache->is_filled || cache->first != at - at % rows) {
        slab.start[0] = cache->first = at - at % rows;
        slab.count[0] = size[0] - cache->first < rows ? size[0] - cache->first : rows;
        cache->row_size = (size_t)(size[1] * size[2]) * H5Tget_size(dataset->native);
        cache->is_filled = read_hyperslab(dataset, &slab, cache->rows);
    }
    return cache->is_filled &&
           memcpy(values, cache->rows + (at - cache->first) * cache->row_size, cache->row_size);
}

/* Read a whole dataset; NULL if it is absent or after an error. */
static void *read_dataset(const struct h5_file *file, const char *path, enum h5_kind kind, hsize_t *count)
{
    struct h5_dataset dataset;
    void *values = NULL;
    *count = 0;
    if (h5_dataset_open(&dataset, file, path, kind, kind == HDF5_TEXT ? 0 : 1)) {
        *count = dataset.size[0];
        values = calloc(*count + 1, kind == HDF5_TEXT ? dataset.type_size : sizeof(int64_t));
        if (!values)
            error_fail(file->error, "%s: out of memory for /%s", file->name, path);
        else if (!h5_dataset_read(&dataset, 0, 0, *count, values)) {
            free(values);
            values = NULL;
            *count = 0;
        }
    }
    h5_dataset_close(&dataset);
    return values;
}

int64_t *h5_read_integers(const struct h5_file *file, const char *path, hsize_t *count)
{
    return read_dataset(file, path, HDF5_WHOLE, count);
}

char *h5_read_text(const struct h5_file *file, const char *path)
{
    return read_dataset(file, path, HDF5_TEXT, &(hsize_t){0});
}

bool h5_read_attribute(const struct h5_file *file, const char *path, const char *name, enum h5_kind kind,
                       void *value, size_t size)
{
    hid_t object;
    memset(value, 0, size);
    if (!h5_file_find(file, path, &object))
        return false;
    const struct h5_guard outer = h5_file_begin(file);
    const htri_t is_there = H5Aexists(object, name);
    hid_t attribute = is_there > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = type >= 0 ? H5Aget_space(attribute) : -1;
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const bool is_right =
        space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR &&
        (kind == HDF5_TEXT ? class == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) < size
                           : class == H5T_INTEGER);
    const bool is_read =
        is_right && H5Aread(attribute, kind == HDF5_TEXT ? type : H5T_NATIVE_UINT64, value) >= 0;
    const bool is_absent = (is_there == 0 || (type >= 0 && !is_right)) && errno != ENOMEM;
    if (!is_read && !is_absent)
        h5_file_fail(file, path);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Oclose(object);
    h5_guard_end(outer);
    return is_read;
}
