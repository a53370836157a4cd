/* A part of a dataset, chunk by chunk. Of a chunk that is not in the file the library would give back what happened to be
 * in memory, or of one that is cut short what lies behind it; so each is looked for before it is read. */
#include "read.h"

#include "unpack.h"

#include <stdlib.h>
#include <string.h>

/* What of a dataset is wanted: count[] numbers from start[] on in each dimension. */
struct part {
    const struct hdf5_set *set;
    hsize_t start[HDF5_MOST_RANK], count[HDF5_MOST_RANK];
    unsigned char *values; /* as they lie in the file, one after another */
    unsigned char *chunk;  /* room for one, where they are packed */
};

typedef bool chunk_visitor(const struct part *part, const hsize_t *origin, struct fault *fault);

static hsize_t first_chunk(const struct part *part, int dimension)
{
    return part->start[dimension] - part->start[dimension] % part->set->chunk[dimension];
}

static bool visit_chunks(const struct part *part, chunk_visitor *visit, struct fault *fault)
{
    hsize_t o[HDF5_MOST_RANK];
    const hsize_t *step = part->set->chunk;
    for (o[0] = first_chunk(part, 0); o[0] < part->start[0] + part->count[0]; o[0] += step[0])
        for (o[1] = first_chunk(part, 1); o[1] < part->start[1] + part->count[1]; o[1] += step[1])
            for (o[2] = first_chunk(part, 2); o[2] < part->start[2] + part->count[2]; o[2] += step[2])
                if (!visit(part, o, fault))
                    return false;
    return true;
}

/* What the library reads. */

static bool is_whole(const struct part *part, const hsize_t *origin, struct fault *fault)
{
    hsize_t bytes = 0;
    return (H5Dget_chunk_storage_size(part->set->set, origin, &bytes) >= 0 &&
            bytes == hdf5_set_chunk_bytes(part->set)) ||
           hdf5_source_fail(part->set->source, part->set->path, fault);
}

static bool read_plain(const struct part *part, struct fault *fault)
{
    const struct hdf5_set *set = part->set;
    if (set->chunk[0] > 0 && !visit_chunks(part, is_whole, fault))
        return false;
    hid_t there = H5Dget_space(set->set);
    hid_t here = set->rank > 0 ? H5Screate_simple(set->rank, part->count, NULL) : H5Screate(H5S_SCALAR);
    if (set->rank > 0)
        H5Sselect_hyperslab(there, H5S_SELECT_SET, part->start, NULL, part->count, NULL);
    const herr_t result = H5Dread(set->set, set->type, here, there, H5P_DEFAULT, part->values);
    H5Sclose(here);
    H5Sclose(there);
    return result >= 0 || hdf5_source_fail(set->source, set->path, fault);
}

/* What is unpacked here. */

static hsize_t larger(hsize_t a, hsize_t b)
{
    return a > b ? a : b;
}

static hsize_t smaller(hsize_t a, hsize_t b)
{
    return a < b ? a : b;
}

static bool copy_chunk(const struct part *part, const hsize_t *origin, struct fault *fault)
{
    const struct hdf5_set *set = part->set;
    hsize_t begin[HDF5_MOST_RANK], end[HDF5_MOST_RANK];
    if (!hdf5_unpack(set, origin, part->chunk, fault))
        return false;
    for (int i = 0; i < HDF5_MOST_RANK; i++) {
        begin[i] = larger(part->start[i], origin[i]);
        end[i] = smaller(part->start[i] + part->count[i], origin[i] + set->chunk[i]);
    }
    for (hsize_t i = begin[0]; i < end[0]; i++) {
        for (hsize_t j = begin[1]; j < end[1]; j++) {
            const hsize_t from =
                ((i - origin[0]) * set->chunk[1] + j - origin[1]) * set->chunk[2] + begin[2] - origin[2];
            const hsize_t to = ((i - part->start[0]) * part->count[1] + j - part->start[1]) * part->count[2] +
                               begin[2] - part->start[2];
            memcpy(part->values + to * set->type_size, part->chunk + from * set->type_size,
                   (end[2] - begin[2]) * set->type_size);
        }
    }
    return true;
}

static bool read_packed(struct part *part, struct fault *fault)
{
    part->chunk = malloc(hdf5_set_chunk_bytes(part->set));
    const bool is_good = part->chunk ? visit_chunks(part, copy_chunk, fault)
                                     : fault_fail(fault, "%s: there is no memory for a chunk of /%s",
                                                  part->set->source->name, part->set->path);
    free(part->chunk);
    return is_good;
}

/* Both. */

static bool is_within(const struct part *part)
{
    for (int i = 0; i < HDF5_MOST_RANK; i++)
        if (part->start[i] > part->set->size[i] || part->count[i] > part->set->size[i] - part->start[i])
            return false;
    return true;
}

/* Read, and make them what the machine counts with; `number` is at least as large as a number in the file. */
static bool read_part(struct part *part, hid_t number, struct fault *fault)
{
    const struct hdf5_set *set = part->set;
    const size_t count = (size_t)(part->count[0] * part->count[1] * part->count[2]);
    if (!is_within(part))
        return fault_refuse(fault, "%s: /%s is shorter than the other datasets", set->source->name,
                            set->path);
    if (!(hdf5_set_is_packed(set) ? read_packed(part, fault) : read_plain(part, fault)))
        return false;
    return H5Tconvert(set->type, number, count, part->values, NULL, H5P_DEFAULT) >= 0 ||
           hdf5_source_fail(set->source, set->path, fault);
}

bool hdf5_read_rows(const struct hdf5_set *set, hsize_t row, hsize_t first, hsize_t count, double *numbers,
                    struct fault *fault)
{
    struct part part = {
        .set = set, .start = {row, first}, .count = {1, count, set->size[2]}, .values = (void *)numbers};
    return read_part(&part, H5T_NATIVE_DOUBLE, fault);
}

bool hdf5_read_row(const struct hdf5_set *set, hsize_t row, double *numbers, struct fault *fault)
{
    return hdf5_read_rows(set, row, 0, set->size[1], numbers, fault);
}

bool hdf5_read_table_rows(const struct hdf5_set *set, hsize_t first, hsize_t count, double *numbers,
                          struct fault *fault)
{
    struct part part = {
        .set = set, .start = {first}, .count = {count, set->size[1], 1}, .values = (void *)numbers};
    return read_part(&part, H5T_NATIVE_DOUBLE, fault);
}

bool hdf5_read_table(const struct hdf5_set *set, double *numbers, struct fault *fault)
{
    return hdf5_read_table_rows(set, 0, set->size[0], numbers, fault);
}

bool hdf5_read_numbers(const struct hdf5_set *set, hsize_t first, hsize_t count, double *numbers,
                       struct fault *fault)
{
    struct part part = {.set = set, .start = {first}, .count = {count, 1, 1}, .values = (void *)numbers};
    return read_part(&part, H5T_NATIVE_DOUBLE, fault);
}

bool hdf5_read_bits(const struct hdf5_set *set, hsize_t row, uint64_t *bits, struct fault *fault)
{
    struct part part = {.set = set, .start = {row}, .count = {1, 1, 1}, .values = (void *)bits};
    return read_part(&part, H5T_NATIVE_UINT64, fault);
}

/* Whole datasets. */

static bool take_line(const struct hdf5_set *set, int64_t **line, struct fault *fault)
{
    *line = malloc((set->size[0] + 1) * sizeof **line);
    if (!*line)
        return fault_fail(fault, "%s: there is no memory for /%s", set->source->name, set->path);
    struct part part = {.set = set, .count = {set->size[0], 1, 1}, .values = (void *)*line};
    return read_part(&part, H5T_NATIVE_INT64, fault);
}

enum hdf5_found hdf5_read_line(const struct hdf5_source *source, const char *path, int64_t **line,
                               hsize_t *count, struct fault *fault)
{
    struct hdf5_set set;
    *line = NULL;
    enum hdf5_found found = hdf5_set_open(&set, source, path, HDF5_WHOLE, 1, fault);
    if (found == HDF5_FOUND && !take_line(&set, line, fault)) {
        free(*line);
        *line = NULL;
        found = HDF5_FAULT;
    }
    *count = found == HDF5_FOUND ? set.size[0] : 0;
    hdf5_set_close(&set);
    return found;
}

static bool take_text(const struct hdf5_set *set, char **text, struct fault *fault)
{
    *text = calloc(set->type_size + 1, 1);
    if (!*text)
        return fault_fail(fault, "%s: there is no memory for /%s", set->source->name, set->path);
    struct part part = {.set = set, .count = {1, 1, 1}, .values = (void *)*text};
    return read_part(&part, set->type, fault);
}

enum hdf5_found hdf5_read_text(const struct hdf5_source *source, const char *path, char **text,
                               struct fault *fault)
{
    struct hdf5_set set;
    *text = NULL;
    enum hdf5_found found = hdf5_set_open(&set, source, path, HDF5_TEXT, 0, fault);
    if (found == HDF5_FOUND && !take_text(&set, text, fault)) {
        free(*text);
        *text = NULL;
        found = HDF5_FAULT;
    }
    hdf5_set_close(&set);
    return found;
}

/* Attributes. */

static bool is_word(hid_t attribute, hid_t type, size_t size)
{
    hid_t space = H5Aget_space(attribute);
    const bool is_one = H5Sget_simple_extent_type(space) == H5S_SCALAR;
    H5Sclose(space);
    return is_one && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
           H5Tget_size(type) < size;
}

static enum hdf5_found take_word(const struct hdf5_source *source, hid_t object, const char *path,
                                 const char *name, char *word, size_t size, struct fault *fault)
{
    enum hdf5_found found = HDF5_FAULT;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute);
    memset(word, 0, size);
    if (attribute < 0 || type < 0)
        hdf5_source_fail(source, path, fault);
    else if (!is_word(attribute, type, size))
        found = HDF5_ABSENT;
    else if (H5Aread(attribute, type, word) < 0)
        hdf5_source_fail(source, path, fault);
    else
        found = HDF5_FOUND;
    H5Tclose(type);
    H5Aclose(attribute);
    return found;
}

enum hdf5_found hdf5_read_word(const struct hdf5_source *source, const char *path, const char *attribute,
                               char *word, size_t size, struct fault *fault)
{
    hid_t object;
    enum hdf5_found found = hdf5_source_find(source, path, &object, fault);
    if (found != HDF5_FOUND)
        return found;
    const htri_t is_there = H5Aexists(object, attribute);
    if (is_there > 0)
        found = take_word(source, object, path, attribute, word, size, fault);
    else if (is_there == 0)
        found = HDF5_ABSENT;
    else
        found = hdf5_source_fail(source, path, fault) ? HDF5_ABSENT : HDF5_FAULT;
    H5Oclose(object);
    return found;
}
