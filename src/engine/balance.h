/* So that no rank waits long for the others: bands begin elsewhere when one of them has much more to do (bands.c).
 *
 * What there is to do in a row of cells follows from who is where, and is counted. How long that takes is the rank's own affair:
 * its machine may be slower, its threads fewer. Now and then both are looked at, by all ranks at once, and all draw
 * the same conclusion from the same numbers. No bit of the result depends on it.
 */
#ifndef ENGINE_BALANCE_H
#define ENGINE_BALANCE_H

#include "bands_edges.h"
#include "ranks/ranks.h"

#include <stdbool.h>
#include <stdint.h>

struct balance {
    uint32_t ranks, rows;
    uint64_t
        *words; /**< to be filled in before a look: the weight of each row; behind them, a time per rank */
    double *slowness; /**< of each rank, about 1: what its time per weight is, over that of all */
    uint32_t steps;   /**< flown so far */
    uint32_t timed;   /**< of those, since the last look */
    uint32_t next;    /**< after so many all look again */
    uint32_t wait;    /**< that is so many after the last look */
    double seconds;   /**< that this rank computed in them */
    double begun;
    uint64_t moves; /**< how often edges were moved */
    double ratio;   /**< at the last look, and after what came of it: most work over mean work */
};

/** False: no memory. To be freed either way. */
bool balance_init(struct balance *balance, const struct bands_edges *edges);

/** Around what a rank does for itself in a step, on the thread that is one of its team. */
void balance_begin(struct balance *balance);
void balance_end(struct balance *balance);

/** A step took this rank so long; balance_end() says what the clock says. */
void balance_record(struct balance *balance, double seconds);

/** Whether all are to look after this step. */
bool balance_is_due(const struct balance *balance);

/** Weights of no row yet. */
void balance_clear(struct balance *balance);

/** Collective: from the weights of each rank's own rows, new edges where they are worth it. */
void balance_look(struct balance *balance, struct bands_edges *edges, const struct ranks *ranks);

/** The same from weights that all agree on, before the first step. */
void balance_settle(struct balance *balance, struct bands_edges *edges);

void balance_free(struct balance *balance);

#endif
