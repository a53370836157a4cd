/* Where the bands of ranks begin and end (bands.c). All ranks compute the same. */
#ifndef BANDS_EDGES_H
#define BANDS_EDGES_H

#include "ranks/ranks.h"

#include <stdbool.h>
#include <stdint.h>

/** A band has at least two rows. */
enum { BANDS_LEAST_ROWS = 2 };

struct bands_edges {
    uint32_t ranks, rows;
    uint32_t *first; /**< the first row of each band, and behind the last one `rows` */
    uint32_t *owner; /**< the rank of each row */
    uint32_t *trial; /**< as `first`: what bands_edges_try() has found */
    bool is_random;  /**< BOIDS_EDGES=random:SEED, for tests: other edges after each step */
    uint64_t seed;
};

/** What there is to do. */
struct bands_costs {
    const uint64_t *rows;   /**< in each row, whoever does it */
    const double *slowness; /**< of each rank: what a unit of that costs it */
};

/** Bands of equally many rows, at least BANDS_LEAST_ROWS each. False: no memory. To be freed either way. */
bool bands_edges_init(struct bands_edges *edges, int ranks, uint32_t rows);

/** Collective: the leader's environment is that of all. */
void bands_edges_share(struct bands_edges *edges, const struct ranks *ranks);

/** Where edges are random, those that come after a step. */
void bands_edges_draw(struct bands_edges *edges, uint64_t step);

/** What the rank has to do that has most, over the mean of all; 1 where there is nothing to do. */
double bands_edges_ratio(const struct bands_edges *edges, const struct bands_costs *costs);

/** The same for the edges by which that is least, or nearly so: they are kept for bands_edges_adopt(). */
double bands_edges_try(struct bands_edges *edges, const struct bands_costs *costs);

void bands_edges_adopt(struct bands_edges *edges);

void bands_edges_free(struct bands_edges *edges);

#endif
