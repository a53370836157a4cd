/* Wrappers around library calls, so that a sequence of calls needs no branches. */
#include "calls.h"

#include <errno.h>
#include <string.h>

hid_t h5_keep(struct h5_failure *failure, hid_t result)
{
    if (result < 0 && !failure->has_failed)
        *failure = (struct h5_failure){true, errno};
    return result;
}

static bool is_ascii(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

/* Octave reads only ASCII strings. Few strings are anything else: a file name in the compiler flags may be. */
hid_t h5_string_type(struct h5_failure *failure, const char *text, size_t length)
{
    hid_t type = h5_keep(failure, H5Tcopy(H5T_C_S1));
    h5_keep(failure, H5Tset_size(type, length ? length : 1));
    h5_keep(failure, H5Tset_cset(type, is_ascii(text) ? H5T_CSET_ASCII : H5T_CSET_UTF8));
    h5_keep(failure, H5Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

void h5_put_attribute(struct h5_failure *failure, hid_t where, const char *name, hid_t file_type, hid_t type,
                      int rank, hsize_t size, const void *value)
{
    hid_t space = h5_keep(failure, H5Screate_simple(rank, &size, NULL));
    hid_t attribute = h5_keep(failure, H5Acreate2(where, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT));
    h5_keep(failure, H5Awrite(attribute, type, value));
    h5_keep(failure, H5Aclose(attribute));
    h5_keep(failure, H5Sclose(space));
}

void h5_put_text(struct h5_failure *failure, hid_t where, const char *name, const char *text)
{
    hid_t type = h5_string_type(failure, text, strlen(text));
    h5_put_attribute(failure, where, name, type, type, 0, 0, text);
    h5_keep(failure, H5Tclose(type));
}

hid_t h5_timeless(struct h5_failure *failure, hid_t class)
{
    hid_t properties = h5_keep(failure, H5Pcreate(class));
    h5_keep(failure, H5Pset_obj_track_times(properties, 0));
    return properties;
}

hid_t h5_make_group(struct h5_failure *failure, hid_t where, const char *name)
{
    hid_t properties = h5_timeless(failure, H5P_GROUP_CREATE);
    hid_t group = h5_keep(failure, H5Gcreate2(where, name, H5P_DEFAULT, properties, H5P_DEFAULT));
    h5_keep(failure, H5Pclose(properties));
    return group;
}

hid_t h5_make_dataset(struct h5_failure *failure, hid_t where, const char *name, hid_t type, int rank,
                      const hsize_t *size, const hsize_t *most, hid_t properties, hid_t access)
{
    hid_t space = h5_keep(failure, H5Screate_simple(rank, size, most));
    hid_t set = h5_keep(failure, H5Dcreate2(where, name, type, space, H5P_DEFAULT, properties, access));
    h5_keep(failure, H5Sclose(space));
    h5_keep(failure, H5Pclose(properties));
    return set;
}

void h5_put_dataset(struct h5_failure *failure, hid_t where, const char *name, hid_t file_type, hid_t type,
                    int rank, hsize_t size, const void *value)
{
    hid_t properties = h5_timeless(failure, H5P_DATASET_CREATE);
    hid_t set = h5_make_dataset(failure, where, name, file_type, rank, &size, NULL, properties, H5P_DEFAULT);
    h5_keep(failure, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value));
    h5_keep(failure, H5Dclose(set));
}

void h5_write_slab(struct h5_failure *failure, hid_t set, int rank, const hsize_t *start,
                   const hsize_t *count, hid_t type, const void *values)
{
    hid_t there = h5_keep(failure, H5Dget_space(set));
    hid_t here = h5_keep(failure, H5Screate_simple(rank, count, NULL));
    h5_keep(failure, H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL));
    h5_keep(failure, H5Dwrite(set, type, here, there, H5P_DEFAULT, values));
    h5_keep(failure, H5Sclose(here));
    h5_keep(failure, H5Sclose(there));
}
