/* Where the bands of ranks begin and end (bands.c). All ranks compute the same. */
#ifndef BANDS_EDGES_H
#define BANDS_EDGES_H

#include <stdbool.h>
#include <stdint.h>

/** A band has at least two rows. */
enum { BANDS_LEAST_ROWS = 2 };

struct bands_edges {
    uint32_t ranks, rows;
    uint32_t *first; /**< the first row of each band, and behind the last one `rows` */
    uint32_t *owner; /**< the rank of each row */
    bool is_random;  /**< BOIDS_EDGES=random:SEED, for tests: other edges after each step */
    uint64_t seed;
};

/** Bands of equally many rows, at least BANDS_LEAST_ROWS each. False: no memory. To be freed either way. */
bool bands_edges_init(struct bands_edges *edges, int ranks, uint32_t rows);

/** What comes after a step: other edges, or the same. */
void bands_edges_move(struct bands_edges *edges, uint64_t step);

void bands_edges_free(struct bands_edges *edges);

#endif
