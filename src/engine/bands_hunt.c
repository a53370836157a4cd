/* The nearest of all is the nearest of those that are nearest to each rank; of two as near, the one with the lower id. */
#include "bands_hunt.h"

#include "bits.h"
#include "hunt.h"
#include "lane.h"
#include "sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Boids that are merged at a time; words of a boid. */
enum { PIECE = 1 << 16, WORDS = sizeof(struct flock_agent) / sizeof(uint64_t) };

_Static_assert(sizeof(struct flock_agent) % sizeof(uint64_t) == 0, "a boid is whole words");

static uint32_t prey_of(const struct flock_params *params, uint32_t boids, uint32_t predators)
{
    switch (params->hunt) {
    case FLOCK_HUNT_NONE: break;
    case FLOCK_HUNT_NEAREST: return predators;
    case FLOCK_HUNT_CENTRE: return predators > 0 ? boids : 0;
    }
    return 0;
}

static size_t words_of(const struct flock_params *params, uint32_t boids, uint32_t predators)
{
    const uint32_t prey = prey_of(params, boids, predators);
    return (size_t)WORDS * (params->hunt == FLOCK_HUNT_NEAREST || prey < PIECE ? prey : PIECE);
}

size_t bands_hunt_memory(const struct flock_params *params, uint32_t boids, uint32_t predators)
{
    return prey_of(params, boids, predators) * sizeof(struct flock_agent) +
           predators * sizeof(struct bands_sighting) + words_of(params, boids, predators) * sizeof(uint64_t);
}

bool bands_hunt_init(struct bands_hunt *hunt, const struct flock_params *params, uint32_t boids,
                     uint32_t predators)
{
    *hunt = (struct bands_hunt){
        .params = params,
        .boids = boids,
        .predator_count = predators,
        .prey_count = prey_of(params, boids, predators),
    };
    if (hunt->prey_count == 0)
        return true;
    hunt->prey = malloc(hunt->prey_count * sizeof *hunt->prey);
    hunt->sightings = malloc(((size_t)predators + 1) * sizeof *hunt->sightings);
    hunt->words = malloc((words_of(params, boids, predators) + 1) * sizeof *hunt->words);
    return hunt->prey && hunt->sightings && hunt->words;
}

static struct bands_sighting find_nearest(const struct bands_hunt *hunt, const struct page *page,
                                          const struct flock_agent *predator)
{
    struct bands_sighting nearest = {.squared = (double)INFINITY, .id = UINT64_MAX};
    for (uint32_t s = page->begin; s < page->end; s++) {
        const lane_vec way = sight_offset(hunt->params, page->latest[s].position, predator->position);
        const double squared = (double)lane_vec_norm_squared(way);
        const uint32_t id = page_id(page, s);
        if (squared < nearest.squared || (squared == nearest.squared && id < nearest.id))
            nearest = (struct bands_sighting){squared, id, s, false};
    }
    return nearest;
}

/* The least distance, then the least id of those who are that near. */
static void choose(struct bands_hunt *hunt, const struct ranks *ranks)
{
    const uint32_t count = hunt->predator_count;
    struct bands_sighting *sightings = hunt->sightings;
    for (uint32_t k = 0; k < count; k++)
        hunt->words[k] = bits_of(sightings[k].squared);
    ranks->merge(ranks, hunt->words, count, RANKS_LEAST);
    for (uint32_t k = 0; k < count; k++)
        hunt->words[k] = hunt->words[k] == bits_of(sightings[k].squared) ? sightings[k].id : UINT64_MAX;
    ranks->merge(ranks, hunt->words, count, RANKS_LEAST);
    for (uint32_t k = 0; k < count; k++) {
        sightings[k].is_own = sightings[k].id == hunt->words[k];
        sightings[k].id = hunt->words[k];
    }
}

static int compare_ids(const void *a, const void *b)
{
    const struct bands_sighting *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

/* In order of ids, so that of two as near the first is found here, too. A boid that several hunt is there several times. */
static void gather_nearest(struct bands_hunt *hunt, const struct ranks *ranks, const struct page *page,
                           const struct flock_agent *predators)
{
    const uint32_t count = hunt->predator_count;
    for (uint32_t k = 0; k < count; k++)
        hunt->sightings[k] = find_nearest(hunt, page, &predators[k]);
    choose(hunt, ranks);
    qsort(hunt->sightings, count, sizeof *hunt->sightings, compare_ids);
    memset(hunt->words, 0, WORDS * count * sizeof *hunt->words);
    for (uint32_t k = 0; k < count; k++)
        if (hunt->sightings[k].is_own)
            memcpy(hunt->words + WORDS * k, &page->latest[hunt->sightings[k].slot], sizeof *hunt->prey);
    ranks->merge(ranks, hunt->words, WORDS * count, RANKS_SUM);
    memcpy(hunt->prey, hunt->words, count * sizeof *hunt->prey);
}

/* Each boid's words are zero on all ranks but one. */
static void gather_all(struct bands_hunt *hunt, const struct ranks *ranks, const struct page *page)
{
    memset(hunt->prey, 0, hunt->boids * sizeof *hunt->prey);
    for (uint32_t s = page->begin; s < page->end; s++)
        hunt->prey[page_id(page, s)] = page->latest[s];
    for (uint32_t done = 0; done < hunt->boids;) {
        const uint32_t left = hunt->boids - done, piece = left < PIECE ? left : PIECE;
        memcpy(hunt->words, hunt->prey + done, piece * sizeof *hunt->prey);
        ranks->merge(ranks, hunt->words, (size_t)WORDS * piece, RANKS_SUM);
        memcpy(hunt->prey + done, hunt->words, piece * sizeof *hunt->prey);
        done += piece;
    }
}

void bands_hunt_look(struct bands_hunt *hunt, const struct ranks *ranks, const struct page *page,
                     const struct flock_agent *predators)
{
    if (hunt->prey_count == 0)
        return;
    if (hunt->params->hunt == FLOCK_HUNT_NEAREST)
        gather_nearest(hunt, ranks, page, predators);
    else
        gather_all(hunt, ranks, page);
}

void bands_hunt_free(struct bands_hunt *hunt)
{
    free(hunt->prey);
    free(hunt->sightings);
    free(hunt->words);
    *hunt = (struct bands_hunt){0};
}
