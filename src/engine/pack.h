/* Boids abreast: the synchronous step of float32 and float64 flocks, a register of boids at a time.
 *
 * The flock lies in memory by cell, then id, so that eight or sixteen boids that stand side by side in a row of cells
 * are the lanes of a pack, and everybody whom they can see lies in three spans of memory: one in the row above, one
 * in their own, one in the row below. Each candidate is read once and shown to all lanes.
 *
 *     row above      . . [c c c c c c c] . .
 *     own row        . . [c B B B B B c] . .       B: the lanes
 *     row below      . . [c c c c c c c] . .       c: candidates
 *
 * A lane's sums run over the candidates by cell, then id, and skip those out of its reach: the additions are those of
 * the scalar core, in the same order, and so are the bits.
 */
#ifndef PACK_H
#define PACK_H

#include "flock/flock.h"

/** A flock between two steps, sorted by cell, then id. */
struct pack_page {
    const struct flock_agent *boids; /**< with room for one pack behind the last */
    const uint32_t *start;           /**< the first slot of each cell, cells + 1 of them */
    const struct flock_agent *predators;
    uint32_t predator_count;
};

/** Where the next state goes: slots as in the page that is read. */
struct pack_next {
    struct flock_agent *boids;
    uint32_t *cell; /**< that each boid is in then */
};

/** Fly the boids in table rows [begin, end).
 *
 * @return FLOCK_E_RANGE when a boid leaves what num can hold.
 */
typedef enum flock_status pack_step_rows(const struct pack_page *page, const struct flock_params *params,
                                         const struct pack_next *next, uint32_t begin, uint32_t end);

#define pack_step_rows_plain FLOCK_TAGGED(pack_step_rows_plain)
#define pack_step_rows_v2    FLOCK_TAGGED(pack_step_rows_v2)
#define pack_step_rows_v3    FLOCK_TAGGED(pack_step_rows_v3)
#define pack_step_rows_v4    FLOCK_TAGGED(pack_step_rows_v4)

pack_step_rows pack_step_rows_plain, pack_step_rows_v2, pack_step_rows_v3, pack_step_rows_v4;

#endif
