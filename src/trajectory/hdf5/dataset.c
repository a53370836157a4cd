/* A dataset is checked in the order in which the checks become safe: the kind of object; where its numbers are, because to ask
 * for the size of a dataset with parts in other files opens those files; its type; its size; how much of it is in the file.
 */
#include "dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ROOM_FOR_CHUNK = 1 << 20 };

static bool refuse(const struct h5_dataset *dataset, const char *found, struct fault *fault)
{
    return fault_refuse(fault, "%s: /%s %s", dataset->file->name, dataset->path, found);
}

/* Storage. */

static bool check_filter(struct h5_dataset *dataset, hid_t properties, int index, struct fault *fault)
{
    unsigned flags, config, value = 0;
    size_t count = 1;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, (unsigned)index, &flags, &count, &value, 0, NULL, &config);
    const bool is_deflate = filter == H5Z_FILTER_DEFLATE && dataset->deflate < 0;
    const bool is_shuffle = filter == H5Z_FILTER_SHUFFLE && dataset->deflate < 0 && dataset->shuffle < 0;
    if (!is_deflate && !is_shuffle)
        return refuse(dataset, "is not packed as boids packs, by shuffle and one gzip", fault);
    if (is_deflate) {
        dataset->deflate = index;
    } else {
        dataset->shuffle = index;
        dataset->shuffled_bytes = value;
    }
    return true;
}

static bool check_filters(struct h5_dataset *dataset, hid_t properties, struct fault *fault)
{
    const int count = H5Pget_nfilters(properties);
    if (count < 0)
        return h5_file_fail(dataset->file, dataset->path, fault);
    for (int i = 0; i < count; i++)
        if (!check_filter(dataset, properties, i, fault))
            return false;
    return true;
}

static bool take_chunk(struct h5_dataset *dataset, hid_t properties, struct fault *fault)
{
    if (H5Pget_chunk(properties, HDF5_MOST_RANK, dataset->chunk) != dataset->rank)
        return refuse(dataset, "is in chunks of another shape than boids writes", fault);
    for (int i = dataset->rank; i < HDF5_MOST_RANK; i++)
        dataset->chunk[i] = 1;
    return true;
}

static bool check_layout(struct h5_dataset *dataset, hid_t properties, struct fault *fault)
{
    switch (H5Pget_layout(properties)) {
    case H5D_CONTIGUOUS:
        return H5Pget_external_count(properties) == 0 ||
               refuse(dataset, "has its numbers in other files; a trajectory is in one", fault);
    case H5D_CHUNKED:
        return take_chunk(dataset, properties, fault) && check_filters(dataset, properties, fault);
    case H5D_VIRTUAL: return refuse(dataset, "has its numbers in other files; a trajectory is in one", fault);
    case H5D_COMPACT:
    case H5D_LAYOUT_ERROR:
    case H5D_NLAYOUTS:
    default: return refuse(dataset, "is laid out in another way than boids does", fault);
    }
}

/* Type. */

static bool is_kind(hid_t type, enum h5_kind kind)
{
    switch (kind) {
    case HDF5_REAL: return H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F64LE) > 0;
    case HDF5_WHOLE: return H5Tequal(type, H5T_STD_I32LE) > 0 || H5Tequal(type, H5T_STD_I64LE) > 0;
    case HDF5_BITS: return H5Tequal(type, H5T_STD_U64LE) > 0;
    case HDF5_TEXT:
    default: return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    }
}

static bool check_type(struct h5_dataset *dataset, enum h5_kind kind, struct fault *fault)
{
    static const char *const wanted[] = {
        [HDF5_REAL] = "is not made of float32 or float64",
        [HDF5_WHOLE] = "is not made of int32 or int64",
        [HDF5_BITS] = "is not made of uint64",
        [HDF5_TEXT] = "is not a text of a fixed length",
    };
    dataset->type = H5Dget_type(dataset->id);
    if (dataset->type < 0)
        return h5_file_fail(dataset->file, dataset->path, fault);
    dataset->type_size = H5Tget_size(dataset->type);
    if (dataset->shuffle >= 0 && dataset->shuffled_bytes != dataset->type_size)
        return h5_file_damaged(dataset->file, fault, "/%s is shuffled by %u bytes, and its numbers have %zu",
                               dataset->path, dataset->shuffled_bytes, dataset->type_size);
    if (!is_kind(dataset->type, kind))
        return refuse(dataset, wanted[kind], fault);
    return dataset->type_size <= HDF5_MOST_TEXT ||
           fault_refuse(fault, "%s: /%s is a text of %zu bytes; it may have at most %d", dataset->file->name,
                        dataset->path, dataset->type_size, HDF5_MOST_TEXT);
}

/* Size. */

static bool check_extent(const struct h5_dataset *dataset, int dimension, struct fault *fault)
{
    const hsize_t most = dimension < 2 ? dataset->file->disk.size : HDF5_MOST_COLUMNS;
    const hsize_t extent = dataset->size[dimension];
    if (extent <= most)
        return true;
    if (dimension == 2)
        return fault_refuse(fault, "%s: /%s has %" PRIu64 " columns; it may have at most %d",
                            dataset->file->name, dataset->path, (uint64_t)extent, HDF5_MOST_COLUMNS);
    return fault_refuse(fault,
                        "%s: /%s has an extent of %" PRIu64 "; a file of %" PRIu64
                        " bytes has at most that many frames or agents",
                        dataset->file->name, dataset->path, (uint64_t)extent, (uint64_t)most);
}

static bool take_extents(struct h5_dataset *dataset, struct fault *fault)
{
    hid_t space = H5Dget_space(dataset->id);
    const H5S_class_t class = H5Sget_simple_extent_type(space);
    const bool is_right = class == (dataset->rank == 0 ? H5S_SCALAR : H5S_SIMPLE) &&
                          H5Sget_simple_extent_ndims(space) == dataset->rank &&
                          H5Sget_simple_extent_dims(space, dataset->size, NULL) == dataset->rank;
    H5Sclose(space);
    return is_right || refuse(dataset, "has not the dimensions that boids writes", fault);
}

static bool check_extents(struct h5_dataset *dataset, struct fault *fault)
{
    if (!take_extents(dataset, fault))
        return false;
    for (int i = 0; i < dataset->rank; i++)
        if (!check_extent(dataset, i, fault))
            return false;
    return true;
}

/* How much of it is in the file. Chunks are checked when they are read. */

static bool check_piece(const struct h5_dataset *dataset, struct fault *fault)
{
    const haddr_t end = dataset->file->disk.size;
    const haddr_t begin = H5Dget_offset(dataset->id);
    hsize_t bytes = dataset->type_size;
    for (int i = 0; i < HDF5_MOST_RANK; i++) {
        if (dataset->size[i] == 0)
            return true;
        if (bytes > end / dataset->size[i])
            return h5_file_fail(dataset->file, dataset->path, fault);
        bytes *= dataset->size[i];
    }
    return (H5Dget_storage_size(dataset->id) == bytes && begin != HADDR_UNDEF && begin <= end - bytes) ||
           h5_file_fail(dataset->file, dataset->path, fault);
}

/* A whole chunk is in memory even if only one frame of it is read. */
static bool check_chunk(const struct h5_dataset *dataset, struct fault *fault)
{
    const hsize_t most = dataset->file->disk.size * HDF5_MOST_COLUMNS * sizeof(double) + ROOM_FOR_CHUNK;
    hsize_t bytes = dataset->type_size;
    for (int i = 0; i < HDF5_MOST_RANK; i++) {
        if (dataset->chunk[i] == 0 || dataset->chunk[i] > most / bytes)
            return fault_refuse(
                fault, "%s: /%s is in chunks of more than %" PRIu64 " bytes, the most in a file of %" PRIu64,
                dataset->file->name, dataset->path, (uint64_t)most, (uint64_t)dataset->file->disk.size);
        bytes *= dataset->chunk[i];
    }
    return true;
}

static bool check(struct h5_dataset *dataset, enum h5_kind kind, struct fault *fault)
{
    hid_t properties = H5Dget_create_plist(dataset->id);
    const bool is_good = properties >= 0 ? check_layout(dataset, properties, fault)
                                         : h5_file_fail(dataset->file, dataset->path, fault);
    H5Pclose(properties);
    return is_good && check_type(dataset, kind, fault) && check_extents(dataset, fault) &&
           (dataset->chunk[0] > 0 ? check_chunk(dataset, fault) : check_piece(dataset, fault));
}

enum h5_found h5_dataset_open(struct h5_dataset *dataset, const struct h5_file *file, const char *path,
                              enum h5_kind kind, int rank, struct fault *fault)
{
    *dataset = (struct h5_dataset){
        .file = file, .id = -1, .type = -1, .rank = rank, .size = {1, 1, 1}, .shuffle = -1, .deflate = -1};
    snprintf(dataset->path, sizeof dataset->path, "%s", path);
    const enum h5_found found = h5_file_find(file, path, &dataset->id, fault);
    if (found == HDF5_FOUND) {
        if (H5Iget_type(dataset->id) == H5I_DATASET ? check(dataset, kind, fault)
                                                    : refuse(dataset, "is not a dataset", fault))
            return HDF5_FOUND;
    }
    h5_dataset_close(dataset);
    return found == HDF5_ABSENT ? HDF5_ABSENT : HDF5_FAULT;
}

void h5_dataset_close(struct h5_dataset *dataset)
{
    if (dataset->file && dataset->type >= 0)
        H5Tclose(dataset->type);
    if (dataset->file && dataset->id >= 0)
        H5Oclose(dataset->id);
    *dataset = (struct h5_dataset){0};
}

bool h5_dataset_is_packed(const struct h5_dataset *dataset)
{
    return dataset->chunk[0] > 0 && (dataset->shuffle >= 0 || dataset->deflate >= 0);
}

static size_t chunk_bytes(const struct h5_dataset *dataset)
{
    return (size_t)(dataset->chunk[0] * dataset->chunk[1] * dataset->chunk[2]) * dataset->type_size;
}

/* Decompression. The library trusts a compressed chunk: it allocates whatever the chunk expands to, and if the chunk turns out
 * too short it copies the memory behind it. So chunks are read in compressed form and decompressed here, in the reverse order
 * of writing: first zlib, then shuffle, which stores the first bytes of all numbers together, then the second bytes, and so
 * on. A filter may have been skipped for a chunk; the filter mask of the chunk says so. */

static bool is_used(int filter, uint32_t skipped)
{
    return filter >= 0 && (skipped >> filter & 1) == 0;
}

static void unshuffle(const unsigned char *from, unsigned char *to, size_t count, size_t size)
{
    for (size_t byte = 0; byte < size; byte++)
        for (size_t i = 0; i < count; i++)
            to[i * size + byte] = from[byte * count + i];
}

/* The result must have exactly the size of a chunk. */
static bool inflate_into(unsigned char *to, size_t size, const unsigned char *packed, size_t packed_size,
                         bool is_deflated)
{
    uLongf length = size;
    if (is_deflated)
        return uncompress(to, &length, packed, packed_size) == Z_OK && length == size;
    if (packed_size == size)
        memcpy(to, packed, size);
    return packed_size == size;
}

static bool unpack(const struct h5_dataset *dataset, const unsigned char *packed, size_t packed_size,
                   uint32_t skipped, unsigned char *bytes)
{
    const size_t size = chunk_bytes(dataset);
    const bool is_deflated = is_used(dataset->deflate, skipped);
    if (!is_used(dataset->shuffle, skipped))
        return inflate_into(bytes, size, packed, packed_size, is_deflated);
    unsigned char *shuffled = malloc(size);
    const bool is_good = shuffled && inflate_into(shuffled, size, packed, packed_size, is_deflated);
    if (is_good)
        unshuffle(shuffled, bytes, size / dataset->type_size, dataset->type_size);
    free(shuffled);
    return is_good;
}

static herr_t read_chunk(const struct h5_dataset *dataset, const hsize_t *origin, uint32_t *skipped,
                         unsigned char *packed, size_t size)
{
#if H5_VERSION_GE(2, 0, 0)
    return H5Dread_chunk2(dataset->id, H5P_DEFAULT, origin, skipped, packed, &size);
#else
    (void)size;
    return H5Dread_chunk(dataset->id, H5P_DEFAULT, origin, skipped, packed);
#endif
}

static bool unpack_chunk(const struct h5_dataset *dataset, const hsize_t *origin, unsigned char *bytes,
                         struct fault *fault)
{
    hsize_t size = 0;
    uint32_t skipped = 0;
    bool is_good = H5Dget_chunk_storage_size(dataset->id, origin, &size) >= 0 && size > 0 &&
                   size <= dataset->file->disk.size;
    unsigned char *packed = is_good ? malloc(size) : NULL;
    is_good = packed && read_chunk(dataset, origin, &skipped, packed, (size_t)size) >= 0 &&
              unpack(dataset, packed, (size_t)size, skipped, bytes);
    free(packed);
    return is_good || h5_file_fail(dataset->file, dataset->path, fault);
}

/* Reading, chunk by chunk. For a chunk that is missing in the file, or cut short, the library returns uninitialised memory, so
 * each chunk is checked before it is read. */

/* A part of a dataset: count[] numbers from start[] on in each dimension. */
struct hyperslab {
    const struct h5_dataset *dataset;
    hsize_t start[HDF5_MOST_RANK], count[HDF5_MOST_RANK];
    unsigned char *values; /* in the order of the file */
    unsigned char *chunk;  /* room for one, if chunks are compressed */
};

typedef bool chunk_visitor(const struct hyperslab *slab, const hsize_t *origin, struct fault *fault);

static hsize_t first_chunk(const struct hyperslab *slab, int dimension)
{
    return slab->start[dimension] - slab->start[dimension] % slab->dataset->chunk[dimension];
}

static bool visit_chunks(const struct hyperslab *slab, chunk_visitor *visit, struct fault *fault)
{
    hsize_t o[HDF5_MOST_RANK];
    const hsize_t *step = slab->dataset->chunk;
    for (o[0] = first_chunk(slab, 0); o[0] < slab->start[0] + slab->count[0]; o[0] += step[0])
        for (o[1] = first_chunk(slab, 1); o[1] < slab->start[1] + slab->count[1]; o[1] += step[1])
            for (o[2] = first_chunk(slab, 2); o[2] < slab->start[2] + slab->count[2]; o[2] += step[2])
                if (!visit(slab, o, fault))
                    return false;
    return true;
}

/* Chunks that are not compressed: the library reads them. */

static bool is_whole(const struct hyperslab *slab, const hsize_t *origin, struct fault *fault)
{
    hsize_t bytes = 0;
    return (H5Dget_chunk_storage_size(slab->dataset->id, origin, &bytes) >= 0 &&
            bytes == chunk_bytes(slab->dataset)) ||
           h5_file_fail(slab->dataset->file, slab->dataset->path, fault);
}

static bool read_plain(const struct hyperslab *slab, struct fault *fault)
{
    const struct h5_dataset *dataset = slab->dataset;
    if (dataset->chunk[0] > 0 && !visit_chunks(slab, is_whole, fault))
        return false;
    hid_t there = H5Dget_space(dataset->id);
    hid_t here =
        dataset->rank > 0 ? H5Screate_simple(dataset->rank, slab->count, NULL) : H5Screate(H5S_SCALAR);
    if (dataset->rank > 0)
        H5Sselect_hyperslab(there, H5S_SELECT_SET, slab->start, NULL, slab->count, NULL);
    const herr_t result = H5Dread(dataset->id, dataset->type, here, there, H5P_DEFAULT, slab->values);
    H5Sclose(here);
    H5Sclose(there);
    return result >= 0 || h5_file_fail(dataset->file, dataset->path, fault);
}

/* Compressed chunks. */

static bool copy_chunk(const struct hyperslab *slab, const hsize_t *origin, struct fault *fault)
{
    const struct h5_dataset *dataset = slab->dataset;
    hsize_t begin[HDF5_MOST_RANK], end[HDF5_MOST_RANK];
    if (!unpack_chunk(dataset, origin, slab->chunk, fault))
        return false;
    for (int i = 0; i < HDF5_MOST_RANK; i++) {
        const hsize_t part_end = slab->start[i] + slab->count[i], chunk_end = origin[i] + dataset->chunk[i];
        begin[i] = slab->start[i] > origin[i] ? slab->start[i] : origin[i];
        end[i] = part_end < chunk_end ? part_end : chunk_end;
    }
    for (hsize_t i = begin[0]; i < end[0]; i++) {
        for (hsize_t j = begin[1]; j < end[1]; j++) {
            const hsize_t from = ((i - origin[0]) * dataset->chunk[1] + j - origin[1]) * dataset->chunk[2] +
                                 begin[2] - origin[2];
            const hsize_t to = ((i - slab->start[0]) * slab->count[1] + j - slab->start[1]) * slab->count[2] +
                               begin[2] - slab->start[2];
            memcpy(slab->values + to * dataset->type_size, slab->chunk + from * dataset->type_size,
                   (end[2] - begin[2]) * dataset->type_size);
        }
    }
    return true;
}

static bool read_packed(struct hyperslab *slab, struct fault *fault)
{
    slab->chunk = malloc(chunk_bytes(slab->dataset));
    const bool is_good = slab->chunk ? visit_chunks(slab, copy_chunk, fault)
                                     : fault_fail(fault, "%s: there is no memory for a chunk of /%s",
                                                  slab->dataset->file->name, slab->dataset->path);
    free(slab->chunk);
    return is_good;
}

/* Both. */

/* Read, and convert to the type `number` of this machine, which is at least as large as that in the file. */
static bool read_slab(struct hyperslab *slab, hid_t number, struct fault *fault)
{
    const struct h5_dataset *dataset = slab->dataset;
    const size_t count = (size_t)(slab->count[0] * slab->count[1] * slab->count[2]);
    for (int i = 0; i < HDF5_MOST_RANK; i++)
        if (slab->start[i] > dataset->size[i] || slab->count[i] > dataset->size[i] - slab->start[i])
            return fault_refuse(fault, "%s: /%s is shorter than the other datasets", dataset->file->name,
                                dataset->path);
    if (!(h5_dataset_is_packed(dataset) ? read_packed(slab, fault) : read_plain(slab, fault)))
        return false;
    return H5Tconvert(dataset->type, number, count, slab->values, NULL, H5P_DEFAULT) >= 0 ||
           h5_file_fail(dataset->file, dataset->path, fault);
}

bool h5_read_rows(const struct h5_dataset *dataset, hsize_t row, hsize_t first, hsize_t count,
                  double *numbers, struct fault *fault)
{
    struct hyperslab slab = {.dataset = dataset, .values = (void *)numbers};
    const int agents = dataset->rank - 2; /* the dimension of agents */
    slab.start[0] = row;
    slab.count[0] = 1;
    slab.start[agents] = first;
    slab.count[agents] = count;
    slab.count[agents + 1] = dataset->size[agents + 1];
    if (agents == 0)
        slab.count[2] = 1;
    return read_slab(&slab, H5T_NATIVE_DOUBLE, fault);
}

bool h5_read_numbers(const struct h5_dataset *dataset, hsize_t first, hsize_t count, double *numbers,
                     struct fault *fault)
{
    struct hyperslab slab = {
        .dataset = dataset, .start = {first}, .count = {count, 1, 1}, .values = (void *)numbers};
    return read_slab(&slab, H5T_NATIVE_DOUBLE, fault);
}

bool h5_read_bits(const struct h5_dataset *dataset, hsize_t row, uint64_t *bits, struct fault *fault)
{
    struct hyperslab slab = {.dataset = dataset, .start = {row}, .count = {1, 1, 1}, .values = (void *)bits};
    return read_slab(&slab, H5T_NATIVE_UINT64, fault);
}

/* Whole datasets. */

static enum h5_found read_whole(void **values, hsize_t *count, const struct h5_file *file, const char *path,
                                enum h5_kind kind, struct fault *fault)
{
    struct h5_dataset dataset;
    *values = NULL;
    enum h5_found found = h5_dataset_open(&dataset, file, path, kind, kind == HDF5_TEXT ? 0 : 1, fault);
    if (found == HDF5_FOUND) {
        const size_t number = kind == HDF5_TEXT ? dataset.type_size : sizeof(int64_t);
        *values = calloc(dataset.size[0] + 1, number);
        struct hyperslab slab = {.dataset = &dataset, .count = {dataset.size[0], 1, 1}, .values = *values};
        if (!*values)
            fault_fail(fault, "%s: there is no memory for /%s", file->name, path);
        if (!*values || !read_slab(&slab, kind == HDF5_TEXT ? dataset.type : H5T_NATIVE_INT64, fault)) {
            free(*values);
            *values = NULL;
            found = HDF5_FAULT;
        }
    }
    *count = found == HDF5_FOUND ? dataset.size[0] : 0;
    h5_dataset_close(&dataset);
    return found;
}

enum h5_found h5_read_integers(const struct h5_file *file, const char *path, int64_t **numbers,
                               hsize_t *count, struct fault *fault)
{
    void *values;
    const enum h5_found found = read_whole(&values, count, file, path, HDF5_WHOLE, fault);
    *numbers = values;
    return found;
}

enum h5_found h5_read_text(const struct h5_file *file, const char *path, char **text, struct fault *fault)
{
    void *values;
    hsize_t count;
    const enum h5_found found = read_whole(&values, &count, file, path, HDF5_TEXT, fault);
    *text = values;
    return found;
}

/* Attributes. */

static bool is_scalar_text(hid_t attribute, hid_t type, size_t size)
{
    hid_t space = H5Aget_space(attribute);
    const bool is_scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
    H5Sclose(space);
    return is_scalar && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
           H5Tget_size(type) < size;
}

enum h5_found h5_read_attribute(const struct h5_file *file, const char *path, const char *name, char *text,
                                size_t size, struct fault *fault)
{
    hid_t object;
    enum h5_found found = h5_file_find(file, path, &object, fault);
    if (found != HDF5_FOUND)
        return found;
    const htri_t is_there = H5Aexists(object, name);
    hid_t attribute = is_there > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    memset(text, 0, size);
    if (is_there == 0 || (type >= 0 && !is_scalar_text(attribute, type, size)))
        found = HDF5_ABSENT;
    else if (type < 0 || H5Aread(attribute, type, text) < 0)
        found = h5_file_fail(file, path, fault) ? HDF5_ABSENT : HDF5_FAULT;
    H5Tclose(type);
    H5Aclose(attribute);
    H5Oclose(object);
    return found;
}
