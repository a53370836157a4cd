/* The reverse of what the library does to a chunk when it is written: first shuffle, which puts the first bytes of all
 * numbers together, then the second ones, and so on; then zlib. A chunk that did not become smaller skips a filter, and
 * its filter mask says so. */
#include "unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/* Exactly as many bytes as a chunk has, neither more nor less. */
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

static bool unpack(const struct hdf5_set *set, const unsigned char *packed, size_t packed_size,
                   uint32_t skipped, unsigned char *bytes)
{
    const size_t size = hdf5_set_chunk_bytes(set);
    const bool is_deflated = is_used(set->deflate, skipped);
    if (!is_used(set->shuffle, skipped))
        return inflate_into(bytes, size, packed, packed_size, is_deflated);
    unsigned char *shuffled = malloc(size);
    const bool is_good = shuffled && inflate_into(shuffled, size, packed, packed_size, is_deflated);
    if (is_good)
        unshuffle(shuffled, bytes, size / set->type_size, set->type_size);
    free(shuffled);
    return is_good;
}

static herr_t read_chunk(const struct hdf5_set *set, const hsize_t *origin, uint32_t *skipped,
                         unsigned char *packed, size_t size)
{
#if H5_VERSION_GE(2, 0, 0)
    return H5Dread_chunk2(set->set, H5P_DEFAULT, origin, skipped, packed, &size);
#else
    (void)size;
    return H5Dread_chunk(set->set, H5P_DEFAULT, origin, skipped, packed);
#endif
}

bool hdf5_unpack(const struct hdf5_set *set, const hsize_t *origin, unsigned char *bytes, struct fault *fault)
{
    hsize_t size = 0;
    uint32_t skipped = 0;
    bool is_good = H5Dget_chunk_storage_size(set->set, origin, &size) >= 0 && size > 0 &&
                   size <= set->source->input.size;
    unsigned char *packed = is_good ? malloc(size) : NULL;
    is_good = packed && read_chunk(set, origin, &skipped, packed, (size_t)size) >= 0 &&
              unpack(set, packed, (size_t)size, skipped, bytes);
    free(packed);
    return is_good || hdf5_source_fail(set->source, set->path, fault);
}
