/* Edges move no bit of the result, which is what tests move them for. */
#include "bands_edges.h"

#include "core/rng.h"

#include <stdlib.h>
#include <string.h>

static void name_owners(struct bands_edges *edges)
{
    for (uint32_t r = 0; r < edges->ranks; r++)
        for (uint32_t row = edges->first[r]; row < edges->first[r + 1]; row++)
            edges->owner[row] = r;
}

static void cut_evenly(struct bands_edges *edges)
{
    for (uint32_t r = 0; r <= edges->ranks; r++)
        edges->first[r] = (uint32_t)((uint64_t)edges->rows * r / edges->ranks);
    name_owners(edges);
}

static void read_hook(struct bands_edges *edges)
{
    static const char random[] = "random:";
    const char *text = getenv("BOIDS_EDGES");
    edges->is_random = text && strncmp(text, random, strlen(random)) == 0;
    if (edges->is_random)
        edges->seed = strtoull(text + strlen(random), NULL, 10);
}

bool bands_edges_init(struct bands_edges *edges, int ranks, uint32_t rows)
{
    *edges = (struct bands_edges){.ranks = (uint32_t)ranks, .rows = rows};
    edges->first = calloc((size_t)ranks + 1, sizeof *edges->first);
    edges->owner = calloc(rows, sizeof *edges->owner);
    if (!edges->first || !edges->owner)
        return false;
    read_hook(edges);
    cut_evenly(edges);
    return true;
}

static int compare(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

/* Rows beyond the fewest are dealt out at random. */
static void cut_at_random(struct bands_edges *edges, uint64_t step)
{
    const uint32_t spare = edges->rows - BANDS_LEAST_ROWS * edges->ranks;
    for (uint32_t r = 1; r < edges->ranks; r++)
        edges->first[r] = (uint32_t)(flock_rng_mix(flock_rng_mix(edges->seed + step) + r) % (spare + 1));
    qsort(edges->first + 1, edges->ranks - 1, sizeof *edges->first, compare);
    for (uint32_t r = 1; r < edges->ranks; r++)
        edges->first[r] += BANDS_LEAST_ROWS * r;
    name_owners(edges);
}

void bands_edges_move(struct bands_edges *edges, uint64_t step)
{
    if (edges->is_random)
        cut_at_random(edges, step);
}

void bands_edges_free(struct bands_edges *edges)
{
    free(edges->first);
    free(edges->owner);
    *edges = (struct bands_edges){0};
}
