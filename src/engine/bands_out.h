/* A band's boids as others see them (band.h): in doubles, and sorted into those of the first row, the others and those of the row
 * behind. Compiled once per number type. */
#ifndef BANDS_OUT_H
#define BANDS_OUT_H

#include "band.h"
#include "page.h"

#include <stdbool.h>
#include <stdint.h>

/** All zero is an empty one. */
struct bands_out {
    struct agent *boids;
    uint64_t *named; /* ids and slots */
    size_t capacity;
};

#define bands_out_take FLOCK_TAGGED(bands_out_take)
#define bands_out_free FLOCK_TAGGED(bands_out_free)

/** Copy the boids of a page, which is that of a band between steps, `columns` cells to a row; those in the row before it are left
 * out. `band` borrows them until it is asked again. False: no memory. */
bool bands_out_take(struct bands_out *own, const struct page *page, uint32_t columns, struct band *band);

void bands_out_free(struct bands_out *own);

#endif
