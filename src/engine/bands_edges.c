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
    edges->trial = calloc((size_t)ranks + 1, sizeof *edges->trial);
    edges->owner = calloc(rows, sizeof *edges->owner);
    if (!edges->first || !edges->trial || !edges->owner)
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

/* Launchers do not take the environment to other machines. */
void bands_edges_share(struct bands_edges *edges, const struct ranks *ranks)
{
    ranks->spread(ranks, 0, &edges->is_random, sizeof edges->is_random);
    ranks->spread(ranks, 0, &edges->seed, sizeof edges->seed);
}

void bands_edges_draw(struct bands_edges *edges, uint64_t step)
{
    if (edges->is_random)
        cut_at_random(edges, step);
}

/* By costs. */

static double cost_of_rank(const uint32_t *first, const struct bands_costs *costs, uint32_t rank)
{
    uint64_t sum = 0;
    for (uint32_t row = first[rank]; row < first[rank + 1]; row++)
        sum += costs->rows[row];
    return (double)sum * costs->slowness[rank];
}

static double ratio(const struct bands_edges *edges, const uint32_t *first, const struct bands_costs *costs)
{
    double most = 0, sum = 0;
    for (uint32_t r = 0; r < edges->ranks; r++) {
        const double cost = cost_of_rank(first, costs, r);
        most = cost > most ? cost : most;
        sum += cost;
    }
    return sum > 0 ? most * edges->ranks / sum : 1;
}

double bands_edges_ratio(const struct bands_edges *edges, const struct bands_costs *costs)
{
    return ratio(edges, edges->first, costs);
}

/* Each rank takes as many rows as it does at a cost of `limit`, and leaves the fewest to those behind it. Whether all rows
 * are taken that way. */
static bool try_limit(struct bands_edges *edges, const struct bands_costs *costs, double limit)
{
    uint32_t row = 0;
    for (uint32_t r = 0; r < edges->ranks; r++) {
        const uint32_t least = row + BANDS_LEAST_ROWS;
        const uint32_t most = edges->rows - BANDS_LEAST_ROWS * (edges->ranks - 1 - r);
        double cost = 0;
        edges->trial[r] = row;
        for (; row < most; row++) {
            cost += (double)costs->rows[row] * costs->slowness[r];
            if (cost > limit && row >= least)
                break;
            if (cost > limit)
                return false;
        }
    }
    edges->trial[edges->ranks] = edges->rows;
    return row == edges->rows;
}

/* At the limit `high` everything fits; where bands are two or three rows it may do so at some lower one, too, that halving
 * steps over. */
double bands_edges_try(struct bands_edges *edges, const struct bands_costs *costs)
{
    enum { HALVINGS = 40 };
    double low = 0, high = 0;
    for (uint32_t r = 0; r < edges->ranks; r++)
        for (uint32_t row = 0; row < edges->rows; row++)
            high += (double)costs->rows[row] * costs->slowness[r];
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        if (try_limit(edges, costs, middle))
            high = middle;
        else
            low = middle;
    }
    try_limit(edges, costs, high);
    return ratio(edges, edges->trial, costs);
}

void bands_edges_adopt(struct bands_edges *edges)
{
    uint32_t *old = edges->first;
    edges->first = edges->trial;
    edges->trial = old;
    name_owners(edges);
}

void bands_edges_free(struct bands_edges *edges)
{
    free(edges->first);
    free(edges->trial);
    free(edges->owner);
    *edges = (struct bands_edges){0};
}
