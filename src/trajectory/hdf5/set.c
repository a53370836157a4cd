/* The checks, in the order in which they become safe to make: what kind of object, where its numbers lie (a dataset of
 * which parts are in other files opens those to tell how large it is), what type, how large, how much of it is there.
 */
#include "set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_FOR_CHUNK = 1 << 20 };

static bool refuse(const struct hdf5_set *set, const char *found, struct fault *fault)
{
    return fault_refuse(fault, "%s: /%s %s", set->source->name, set->path, found);
}

/* Where its numbers lie. */

static bool check_filter(struct hdf5_set *set, hid_t properties, int index, struct fault *fault)
{
    unsigned flags, config, value = 0;
    size_t count = 1;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, (unsigned)index, &flags, &count, &value, 0, NULL, &config);
    int *place = filter == H5Z_FILTER_SHUFFLE && set->deflate < 0 ? &set->shuffle
                 : filter == H5Z_FILTER_DEFLATE                   ? &set->deflate
                                                                  : NULL;
    if (!place || *place >= 0)
        return refuse(set, "is not packed as boids packs, by shuffle and one gzip", fault);
    *place = index;
    if (filter == H5Z_FILTER_SHUFFLE)
        set->shuffled_bytes = value;
    return true;
}

static bool check_filters(struct hdf5_set *set, hid_t properties, struct fault *fault)
{
    const int count = H5Pget_nfilters(properties);
    if (count < 0)
        return hdf5_source_fail(set->source, set->path, fault);
    for (int i = 0; i < count; i++)
        if (!check_filter(set, properties, i, fault))
            return false;
    return true;
}

static bool take_chunk(struct hdf5_set *set, hid_t properties, struct fault *fault)
{
    if (H5Pget_chunk(properties, HDF5_MOST_RANK, set->chunk) != set->rank)
        return refuse(set, "is in chunks of another shape than boids writes", fault);
    for (int i = set->rank; i < HDF5_MOST_RANK; i++)
        set->chunk[i] = 1;
    return true;
}

static bool check_layout(struct hdf5_set *set, hid_t properties, struct fault *fault)
{
    switch (H5Pget_layout(properties)) {
    case H5D_CONTIGUOUS:
        return H5Pget_external_count(properties) == 0 ||
               refuse(set, "has its numbers in other files; a trajectory is in one", fault);
    case H5D_CHUNKED: return take_chunk(set, properties, fault) && check_filters(set, properties, fault);
    case H5D_VIRTUAL: return refuse(set, "has its numbers in other files; a trajectory is in one", fault);
    case H5D_COMPACT:
    case H5D_LAYOUT_ERROR:
    case H5D_NLAYOUTS:
    default: return refuse(set, "is laid out in another way than boids does", fault);
    }
}

/* What it is made of. */

static bool is_kind(hid_t type, enum hdf5_kind kind)
{
    switch (kind) {
    case HDF5_REAL: return H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F64LE) > 0;
    case HDF5_WHOLE: return H5Tequal(type, H5T_STD_I32LE) > 0 || H5Tequal(type, H5T_STD_I64LE) > 0;
    case HDF5_BITS: return H5Tequal(type, H5T_STD_U64LE) > 0;
    case HDF5_TEXT:
    default: return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    }
}

static bool check_type(struct hdf5_set *set, enum hdf5_kind kind, struct fault *fault)
{
    static const char *const wanted[] = {
        [HDF5_REAL] = "is not made of float32 or float64",
        [HDF5_WHOLE] = "is not made of int32 or int64",
        [HDF5_BITS] = "is not made of uint64",
        [HDF5_TEXT] = "is not a text of a fixed length",
    };
    set->type = H5Dget_type(set->set);
    if (set->type < 0)
        return hdf5_source_fail(set->source, set->path, fault);
    set->type_size = H5Tget_size(set->type);
    if (set->shuffle >= 0 && set->shuffled_bytes != set->type_size)
        return fault_fail(fault, "%s: it is damaged: /%s is shuffled by %u bytes, and its numbers have %zu",
                          set->source->name, set->path, set->shuffled_bytes, set->type_size);
    if (!is_kind(set->type, kind))
        return refuse(set, wanted[kind], fault);
    return set->type_size <= HDF5_MOST_TEXT ||
           fault_refuse(fault, "%s: /%s is a text of %zu bytes; it may have at most %d", set->source->name,
                        set->path, set->type_size, HDF5_MOST_TEXT);
}

/* How large it is. */

static bool check_extent(const struct hdf5_set *set, int dimension, struct fault *fault)
{
    const hsize_t most = dimension < 2 ? set->source->input.size : HDF5_MOST_COLUMNS;
    const hsize_t extent = set->size[dimension];
    if (extent <= most)
        return true;
    if (dimension == 2)
        return fault_refuse(fault, "%s: /%s has %" PRIu64 " columns; it may have at most %d",
                            set->source->name, set->path, (uint64_t)extent, HDF5_MOST_COLUMNS);
    return fault_refuse(fault,
                        "%s: /%s has an extent of %" PRIu64 "; a file of %" PRIu64
                        " bytes has at most that many frames or agents",
                        set->source->name, set->path, (uint64_t)extent, (uint64_t)most);
}

static bool take_extents(struct hdf5_set *set, struct fault *fault)
{
    hid_t space = H5Dget_space(set->set);
    const H5S_class_t class = H5Sget_simple_extent_type(space);
    const bool is_right = class == (set->rank == 0 ? H5S_SCALAR : H5S_SIMPLE) &&
                          H5Sget_simple_extent_ndims(space) == set->rank &&
                          H5Sget_simple_extent_dims(space, set->size, NULL) == set->rank;
    H5Sclose(space);
    return is_right || refuse(set, "has not the dimensions that boids writes", fault);
}

static bool check_extents(struct hdf5_set *set, struct fault *fault)
{
    if (!take_extents(set, fault))
        return false;
    for (int i = 0; i < set->rank; i++)
        if (!check_extent(set, i, fault))
            return false;
    return true;
}

/* How much of it is there. Chunks are looked for when they are read. */

static bool check_piece(const struct hdf5_set *set, struct fault *fault)
{
    const haddr_t end = set->source->input.size;
    const haddr_t begin = H5Dget_offset(set->set);
    hsize_t bytes = set->type_size;
    for (int i = 0; i < HDF5_MOST_RANK; i++) {
        if (set->size[i] == 0)
            return true;
        if (bytes > end / set->size[i])
            return hdf5_source_fail(set->source, set->path, fault);
        bytes *= set->size[i];
    }
    return (H5Dget_storage_size(set->set) == bytes && begin != HADDR_UNDEF && begin <= end - bytes) ||
           hdf5_source_fail(set->source, set->path, fault);
}

/* A chunk is in memory as a whole, even when one frame of it is wanted. */
static bool check_chunk(const struct hdf5_set *set, struct fault *fault)
{
    const hsize_t most = set->source->input.size * HDF5_MOST_COLUMNS * sizeof(double) + ROOM_FOR_CHUNK;
    hsize_t bytes = set->type_size;
    for (int i = 0; i < HDF5_MOST_RANK; i++) {
        if (set->chunk[i] == 0 || set->chunk[i] > most / bytes)
            return fault_refuse(
                fault, "%s: /%s is in chunks of more than %" PRIu64 " bytes, the most in a file of %" PRIu64,
                set->source->name, set->path, (uint64_t)most, (uint64_t)set->source->input.size);
        bytes *= set->chunk[i];
    }
    return true;
}

static bool check(struct hdf5_set *set, enum hdf5_kind kind, struct fault *fault)
{
    hid_t properties = H5Dget_create_plist(set->set);
    const bool is_good = properties >= 0 ? check_layout(set, properties, fault)
                                         : hdf5_source_fail(set->source, set->path, fault);
    H5Pclose(properties);
    return is_good && check_type(set, kind, fault) && check_extents(set, fault) &&
           (set->chunk[0] > 0 ? check_chunk(set, fault) : check_piece(set, fault));
}

enum hdf5_found hdf5_set_open(struct hdf5_set *set, const struct hdf5_source *source, const char *path,
                              enum hdf5_kind kind, int rank, struct fault *fault)
{
    *set = (struct hdf5_set){.source = source,
                             .set = -1,
                             .type = -1,
                             .rank = rank,
                             .size = {1, 1, 1},
                             .shuffle = -1,
                             .deflate = -1};
    snprintf(set->path, sizeof set->path, "%s", path);
    const enum hdf5_found found = hdf5_source_find(source, path, &set->set, fault);
    if (found == HDF5_FOUND) {
        if (H5Iget_type(set->set) == H5I_DATASET ? check(set, kind, fault)
                                                 : refuse(set, "is not a dataset", fault))
            return HDF5_FOUND;
    }
    hdf5_set_close(set);
    return found == HDF5_ABSENT ? HDF5_ABSENT : HDF5_FAULT;
}

void hdf5_set_close(struct hdf5_set *set)
{
    if (set->source && set->type >= 0)
        H5Tclose(set->type);
    if (set->source && set->set >= 0)
        H5Oclose(set->set);
    *set = (struct hdf5_set){0};
}

bool hdf5_set_is_packed(const struct hdf5_set *set)
{
    return set->chunk[0] > 0 && (set->shuffle >= 0 || set->deflate >= 0);
}

size_t hdf5_set_chunk_bytes(const struct hdf5_set *set)
{
    return (size_t)(set->chunk[0] * set->chunk[1] * set->chunk[2]) * set->type_size;
}
