/* A state in an HDF5 file, of which each of several ranks (ranks/ranks.h) reads a portion, so that none has all of it. It can be read
 * without the library's header. */
#ifndef HDF5_PORTION_H
#define HDF5_PORTION_H

#include "fault.h"
#include "place.h"
#include "ranks/ranks.h"
#include "trajectory/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where it stands. */
struct portion {
    struct rows_wish wish; /**< that found it, without its words */
    char path[4096];       /**< whole */
    struct hdf5_place place;
    size_t boids, predators;
    unsigned words; /**< an enum hdf5_words, as what it is hashed */
    bool has_hash;  /**< 0.1.0 wrote none */
    uint64_t hash;  /**< of a frame, or of what stands apart, with its step */
    uint64_t size;  /**< of the file, and when it was changed: another file has others */
    int64_t changed, changed_nanoseconds;
};

/** What of it a rank has read. */
struct portion_part {
    size_t first, count;
    int readers;                     /**< ranks that have read one */
    struct agent *boids, *predators; /**< to be freed; each rank has all predators */
};

/** Find the frame that is wished for, and leave its agents where they are: `snapshot` receives the rest, and the portion.
 *
 * @return false when nothing was done, and it is to be read whole: it may not be left, or cannot, for they are few, or packed, or not
 *         what boids writes.
 */
bool portion_find(struct snapshot *snapshot, const struct rows_wish *wish);

/** Read all of a state that was left. */
bool portion_read_whole(struct snapshot *whole, const struct snapshot *left, struct fault *fault);

/** Collective: read. The leader has `portion`, the others give one to be filled in. Who does not see that file reads nothing, and
 * the others more.
 *
 * @return false, on all ranks, when there is something to be said of the state, which who reads all of it will say, or when memory ran
 *         out. Parts are to be freed either way.
 */
bool portion_read(const struct ranks *ranks, struct portion *portion, struct portion_part *part);

#endif
