/* Boids stand in a page as the last step left them, in no order that another rank would know. So those of the two rows that two
 * ranks have are sorted by id, on both. */
#include "bands_out.h"

#include "convert.h"

#include <stdlib.h>

enum part { BEFORE, FIRST, OTHER, BEHIND, PARTS };

static enum part part_of(const struct page *page, uint32_t columns, uint32_t slot)
{
    const uint32_t cell = page->cell[slot];
    if (cell >= page->cells - columns)
        return BEHIND;
    return cell >= 2 * columns ? OTHER : cell >= columns ? FIRST : BEFORE;
}

static bool reserve(struct bands_out *own, size_t count)
{
    if (count <= own->capacity && own->boids)
        return true;
    bands_out_free(own);
    own->capacity = count + count / 4 + 1;
    own->boids = malloc(own->capacity * sizeof *own->boids);
    own->named = malloc(own->capacity * sizeof *own->named);
    return own->boids && own->named;
}

static int compare(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

bool bands_out_take(struct bands_out *own, const struct page *page, uint32_t columns, struct band *band)
{
    size_t at[PARTS + 1] = {0}, end = 0;
    if (!reserve(own, page->end - page->begin))
        return false;
    for (uint32_t s = page->begin; s < page->end; s++)
        at[part_of(page, columns, s)]++;
    for (int part = FIRST; part < PARTS; part++) {
        const size_t size = at[part];
        at[part] = end;
        end += size;
    }
    *band = (struct band){.boids = own->boids, .first = at[OTHER], .own = at[BEHIND], .all = end};
    for (uint32_t s = page->begin; s < page->end; s++) {
        const enum part part = part_of(page, columns, s);
        if (part != BEFORE)
            own->named[at[part]++] = (uint64_t)page_id(page, s) << 32 | s;
    }
    qsort(own->named, band->first, sizeof *own->named, compare);
    qsort(own->named + band->own, band->all - band->own, sizeof *own->named, compare);
    for (size_t i = 0; i < band->all; i++)
        own->boids[i] = agent_out(&page->latest[(uint32_t)own->named[i]]);
    return true;
}

void bands_out_free(struct bands_out *own)
{
    free(own->boids);
    free(own->named);
    *own = (struct bands_out){0};
}
