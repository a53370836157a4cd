/* A file has an observable, or has never heard of it: then its values are undefined. One that cannot be read is neither. */
#include "observable.h"

#include "read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char all[] = "observables";

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

bool hdf5_observable_check_all(const struct hdf5_source *source, const char *const *names, size_t count,
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
