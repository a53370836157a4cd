/* A file has an observable, or has never heard of it: then its values are undefined. One that cannot be read is neither. */
#include "observable.h"

#include "read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char all[] = "observables";

enum { BLOCK = 1024 }; /* rows that are read at once */

/* Whether there is an object at the path. */
static enum hdf5_found look_for(const struct hdf5_source *source, const char *path, struct fault *fault)
{
    hid_t object;
    const enum hdf5_found found = hdf5_source_find(source, path, &object, fault);
    if (found == HDF5_FOUND)
        H5Oclose(object);
    return found;
}

enum hdf5_found hdf5_observable_open(struct hdf5_set *set, const struct hdf5_source *source, const char *name,
                                     struct fault *fault)
{
    char path[sizeof set->path];
    *set = (struct hdf5_set){0};
    snprintf(path, sizeof path, "%s/%s", all, name);
    enum hdf5_found found = look_for(source, path, fault);
    if (found != HDF5_FOUND)
        return found;
    snprintf(path, sizeof path, "%s/%s/value", all, name);
    found = hdf5_set_open(set, source, path, HDF5_REAL, 1, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: /%s is not there, though what it belongs to is", source->name, path);
    return found == HDF5_FOUND ? HDF5_FOUND : HDF5_FAULT;
}

bool hdf5_observable_read(const struct hdf5_set *set, hsize_t first, hsize_t count, double *values,
                          struct fault *fault)
{
    if (set->source)
        return hdf5_read_numbers(set, first, count, values, fault);
    for (hsize_t i = 0; i < count; i++)
        values[i] = NAN;
    return true;
}

static bool count_known(const struct hdf5_source *source, const char *const *names, size_t count,
                        hsize_t *known, struct fault *fault)
{
    char path[128];
    *known = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", all, names[i]);
        const enum hdf5_found found = look_for(source, path, fault);
        if (found == HDF5_FAULT)
            return false;
        *known += found == HDF5_FOUND;
    }
    return true;
}

/* Refuse a file that holds others than these. */
static bool check_others(const struct hdf5_source *source, const char *const *names, size_t count,
                         struct fault *fault)
{
    hid_t group;
    H5G_info_t info;
    hsize_t known;
    const enum hdf5_found found = hdf5_source_find(source, all, &group, fault);
    if (found != HDF5_FOUND)
        return found == HDF5_ABSENT;
    const bool is_counted = H5Gget_info(group, &info) >= 0;
    H5Oclose(group);
    if (!is_counted)
        return hdf5_source_fail(source, all, fault);
    if (!count_known(source, names, count, &known, fault))
        return false;
    return info.nlinks == known ||
           fault_refuse(fault,
                        "%s: /%s holds %" PRIu64 " observables, and this program knows %" PRIu64
                        " of them; to continue it would lose the others",
                        source->name, all, (uint64_t)info.nlinks, (uint64_t)known);
}

/* Rows. */

static bool make_room(struct hdf5_observables *o, const struct hdf5_source *source, struct fault *fault)
{
    o->sets = calloc(o->count + 1, sizeof *o->sets); /* so that there is one */
    o->columns = malloc(BLOCK * (o->count + 1) * sizeof *o->columns);
    o->numbers = malloc((o->count + 1) * sizeof *o->numbers);
    return (o->sets && o->columns && o->numbers) ||
           fault_fail(fault, "%s: there is no memory for its observables", source->name);
}

/* The step of all is that of the first one. */
static bool open_line_proof(struct hdf5_observables *o, const struct hdf5_source *source, struct fault *fault)
{
    char group[sizeof o->sets->path];
    const struct hdf5_set **sets = calloc(o->count + 1, sizeof *sets);
    size_t found = 0;
    for (size_t i = 0; sets && i < o->count; i++) {
        if (o->sets[i].source && found == 0)
            snprintf(group, sizeof group, "%s/%s", all, o->names[i]);
        if (o->sets[i].source)
            sets[found++] = &o->sets[i];
    }
    const bool is_good =
        !sets        ? fault_fail(fault, "%s: there is no memory for its observables", source->name)
        : found == 0 ? hdf5_proof_check_no_observables(source, fault)
                     : hdf5_line_proof_open(&o->proof, source, HDF5_OBSERVABLES, group, sets, found, fault);
    free(sets);
    return is_good;
}

bool hdf5_observables_open(struct hdf5_observables *o, const struct hdf5_source *source,
                           const char *const *names, size_t count, struct fault *fault)
{
    struct hdf5_proof proof;
    *o = (struct hdf5_observables){.names = names, .count = count};
    if (!make_room(o, source, fault))
        return false;
    for (size_t i = 0; i < count; i++)
        if (hdf5_observable_open(&o->sets[i], source, names[i], fault) == HDF5_FAULT)
            return false;
    return check_others(source, names, count, fault) && hdf5_proof_open(&proof, source, fault) &&
           (!proof.is_there || open_line_proof(o, source, fault));
}

static bool read_block(struct hdf5_observables *o, hsize_t row, struct fault *fault)
{
    const hsize_t left = o->rows - row;
    for (size_t i = 0; i < o->count; i++)
        if (!hdf5_observable_read(&o->sets[i], row, left < BLOCK ? left : BLOCK, o->columns + i * BLOCK,
                                  fault))
            return false;
    return true;
}

bool hdf5_observables_read(struct hdf5_observables *o, hsize_t row, struct fault *fault)
{
    uint64_t hash = 0;
    if (row % BLOCK == 0 && !read_block(o, row, fault))
        return false;
    for (size_t i = 0; i < o->count; i++) {
        o->numbers[i] = o->columns[i * BLOCK + row % BLOCK];
        hash += o->sets[i].source ? hdf5_hash_value(o->names[i], o->numbers[i]) : 0;
    }
    return hdf5_line_proof_check(&o->proof, row, hash, fault);
}

void hdf5_observables_close(struct hdf5_observables *o)
{
    for (size_t i = 0; o->sets && i < o->count; i++)
        hdf5_set_close(&o->sets[i]);
    hdf5_line_proof_close(&o->proof);
    free(o->sets);
    free(o->columns);
    free(o->numbers);
    *o = (struct hdf5_observables){0};
}
