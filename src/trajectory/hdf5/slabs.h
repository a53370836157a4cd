/* A state in a file, some agents after another, so that nobody has all of them at once. */
#ifndef HDF5_SLABS_H
#define HDF5_SLABS_H

#include "place.h"
#include "state.h"

#include <stddef.h>
#include <stdint.h>

struct hdf5_slabs {
    const struct hdf5_source *source;
    const struct hdf5_state *state;
    size_t count, rows;   /**< agents of a state, and of a slab */
    struct agent *agents; /**< room for those */
};

/** Who is given them; `first` counts as in a frame. */
typedef void hdf5_slab_taker(void *context, size_t first, size_t count, const struct agent *agents);

/** Be ready to read what is in an open file, which is borrowed. To be closed either way.
 *
 * @param is_whole  whoever takes them needs a frame in one piece; one that is packed comes so, too.
 * @return false with a fault when there is no memory.
 */
bool hdf5_slabs_open(struct hdf5_slabs *slabs, const struct hdf5_source *source,
                     const struct hdf5_state *state, bool is_whole, struct fault *fault);
void hdf5_slabs_close(struct hdf5_slabs *slabs);

/** Read the state at a place, and hold it against its hash.
 *
 * @param take    NULL: nobody wants them.
 * @param digest  receives what all numbers of it, in their order, are known by.
 * @return HDF5_ABSENT where it stands apart, and is not there.
 */
enum hdf5_found hdf5_slabs_read(const struct hdf5_slabs *slabs, const struct hdf5_place *place,
                                hdf5_slab_taker *take, void *context, uint64_t *digest, struct fault *fault);

/** A digest goes on: of all numbers before these and these, beginning with 0. */
uint64_t hdf5_digest(uint64_t digest, const double *numbers, size_t count);

#endif
