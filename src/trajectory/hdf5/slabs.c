/* The hash of a state is known, and held against the file's, when its last slab has been taken: who takes them does nothing that
 * could not be thrown away. */
#include "slabs.h"

#include "apart.h"
#include "bits.h"

#include <stdlib.h>

bool hdf5_slabs_open(struct hdf5_slabs *slabs, const struct hdf5_source *source,
                     const struct hdf5_state *state, bool is_whole, struct fault *fault)
{
    const size_t count = state->kin[0].count + state->kin[1].count;
    const bool is_cut = count > HDF5_SLAB_ROWS && !is_whole && !hdf5_state_is_packed(state);
    const size_t rows = is_cut ? HDF5_SLAB_ROWS : count;
    *slabs = (struct hdf5_slabs){source, state, count, rows, malloc(rows * sizeof *slabs->agents)};
    return slabs->agents || fault_fail(fault, "%s: there is no memory for a frame of it", source->name);
}

void hdf5_slabs_close(struct hdf5_slabs *slabs)
{
    free(slabs->agents);
}

uint64_t hdf5_digest(uint64_t digest, const double *numbers, size_t count)
{
    const uint64_t odd = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio */
    for (size_t i = 0; i < count; i++) {
        digest = (digest ^ bits_of(numbers[i])) * odd;
        digest ^= digest >> 32;
    }
    return digest;
}

/* Some agents of a state, from one place or the other; `hash` grows by theirs. */
static bool read_slab(const struct hdf5_slabs *slabs, const struct hdf5_place *place,
                      const struct hdf5_apart *apart, size_t first, size_t count, uint64_t *hash,
                      struct fault *fault)
{
    if (place->where == HDF5_IN_FRAMES)
        return hdf5_state_read_some(slabs->state, (hsize_t)place->row, first, count, slabs->agents, hash,
                                    fault);
    if (!hdf5_apart_read(apart, first, count, slabs->agents, fault))
        return false;
    *hash += hdf5_hash_agents(apart->words, first, count, slabs->agents);
    return true;
}

static bool read_all(const struct hdf5_slabs *slabs, const struct hdf5_place *place,
                     const struct hdf5_apart *apart, hdf5_slab_taker *take, void *context, uint64_t *digest,
                     struct fault *fault)
{
    enum { NUMBERS = sizeof(struct agent) / sizeof(double) };
    uint64_t hash = 0;
    *digest = 0;
    for (size_t first = 0, n; first < slabs->count; first += n) {
        n = slabs->count - first < slabs->rows ? slabs->count - first : slabs->rows;
        if (!read_slab(slabs, place, apart, first, n, &hash, fault))
            return false;
        *digest = hdf5_digest(*digest, &slabs->agents->x, n * NUMBERS);
        if (take)
            take(context, first, n, slabs->agents);
    }
    return place->where == HDF5_IN_FRAMES
               ? hdf5_line_proof_check(&slabs->state->proof, (hsize_t)place->row, hash, fault)
               : hdf5_apart_check(apart, hash, NULL, fault);
}

enum hdf5_found hdf5_slabs_read(const struct hdf5_slabs *slabs, const struct hdf5_place *place,
                                hdf5_slab_taker *take, void *context, uint64_t *digest, struct fault *fault)
{
    struct hdf5_apart apart = {0};
    enum hdf5_found found = HDF5_FOUND;
    if (place->where != HDF5_IN_FRAMES)
        found = hdf5_apart_open(&apart, slabs->source, place, slabs->count, fault);
    if (found == HDF5_FOUND && !read_all(slabs, place, &apart, take, context, digest, fault))
        found = HDF5_FAULT;
    hdf5_apart_close(&apart);
    return found;
}
