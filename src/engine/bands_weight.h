/* What a row of cells costs to fly, counted in candidates. Compiled once per number type, as page.h. */
#ifndef BANDS_WEIGHT_H
#define BANDS_WEIGHT_H

#include "page.h"

#include <stdint.h>

/** What a boid and a cell cost, as so many candidates. Instructions of adams in float32, counted from 6 to 123 candidates a boid:
 * 75 and 9; in float64 a candidate costs twice as many. */
enum { BANDS_BOID_WEIGHT = 60, BANDS_CELL_WEIGHT = 8 };

#define bands_weight_of_row FLOCK_TAGGED(bands_weight_of_row)

/** Between the sort and the next one, of a row of the page that has a row on either side. */
uint64_t bands_weight_of_row(const struct page *page, uint32_t row);

/** The same where so many boids are spread evenly over a row, and over those beside it. */
static inline uint64_t bands_weight_if_even(uint64_t boids, uint32_t columns)
{
    return (uint64_t)BANDS_CELL_WEIGHT * columns + boids * (BANDS_BOID_WEIGHT + 9 * boids / columns);
}

#endif
