/* For each predator, each rank finds the nearest of its own boids. The nearest of these is the prey; in a tie, the
 * one with the lower id. */
#include "domain_prey.h"

#include "base/double_bits.h"
#include "hunt.h"
#include "lane_scalar.h"
#include "neighbour_selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of boids per reduction, and the number of words per boid. */
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

size_t domain_prey_memory(const struct flock_params *params, uint32_t boids, uint32_t predators)
{
    return prey_of(params, boids, predators) * sizeof(struct flock_agent) +
           predators * sizeof(struct prey_candidate) + words_of(params, boids, predators) * sizeof(uint64_t);
}

bool domain_prey_init(struct domain_prey *prey, const struct flock_params *params, uint32_t boids,
                      uint32_t predators)
{
    *prey = (struct domain_prey){
        .params = params,
        .boids = boids,
        .predator_count = predators,
        .count = prey_of(params, boids, predators),
    };
    if (prey->count == 0)
        return true;
    prey->agents = malloc(prey->count * sizeof *prey->agents);
    prey->candidates = malloc(((size_t)predators + 1) * sizeof *prey->candidates);
    prey->words = malloc((words_of(params, boids, predators) + 1) * sizeof *prey->words);
    return prey->agents && prey->candidates && prey->words;
}

static struct prey_candidate find_nearest_of_rank(const struct domain_prey *prey,
                                                  const struct cell_store *store,
                                                  const struct flock_agent *predator)
{
    struct prey_candidate nearest = {.squared = (double)INFINITY, .id = UINT64_MAX};
    for (uint32_t s = store->begin; s < store->end; s++) {
        const lane_vec way = offset_between(prey->params, store->latest[s].position, predator->position);
        const double squared = (double)lane_vec_norm_squared(way);
        const uint32_t id = cell_store_id(store, s);
        if (squared < nearest.squared || (squared == nearest.squared && id < nearest.id))
            nearest = (struct prey_candidate){squared, id, s, false};
    }
    return nearest;
}

/* Find the smallest distance over all ranks, then the lowest id at that distance. */
static void choose_prey(struct domain_prey *prey, const struct comm *comm)
{
    const uint32_t count = prey->predator_count;
    struct prey_candidate *candidates = prey->candidates;
    for (uint32_t k = 0; k < count; k++)
        prey->words[k] = double_to_bits(candidates[k].squared);
    comm->allreduce(comm, prey->words, count, COMM_MIN);
    for (uint32_t k = 0; k < count; k++)
        prey->words[k] =
            prey->words[k] == double_to_bits(candidates[k].squared) ? candidates[k].id : UINT64_MAX;
    comm->allreduce(comm, prey->words, count, COMM_MIN);
    for (uint32_t k = 0; k < count; k++) {
        candidates[k].is_own = candidates[k].id == prey->words[k];
        candidates[k].id = prey->words[k];
    }
}

static int compare_ids(const void *a, const void *b)
{
    const struct prey_candidate *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

/* The prey is sorted by id, so that, of two boids at the same distance, a search finds the one with the lower id. A
 * boid that several predators hunt occurs several times. */
static void gather_nearest(struct domain_prey *prey, const struct comm *comm, const struct cell_store *store,
                           const struct flock_agent *predators)
{
    const uint32_t count = prey->predator_count;
    for (uint32_t k = 0; k < count; k++)
        prey->candidates[k] = find_nearest_of_rank(prey, store, &predators[k]);
    choose_prey(prey, comm);
    qsort(prey->candidates, count, sizeof *prey->candidates, compare_ids);
    memset(prey->words, 0, WORDS * count * sizeof *prey->words);
    for (uint32_t k = 0; k < count; k++)
        if (prey->candidates[k].is_own)
            memcpy(prey->words + WORDS * k, &store->latest[prey->candidates[k].slot], sizeof *prey->agents);
    comm->allreduce(comm, prey->words, WORDS * count, COMM_SUM);
    memcpy(prey->agents, prey->words, count * sizeof *prey->agents);
}

/* All ranks except one set the words of a boid to zero, so their sum over the ranks is the boid. */
static void gather_all(struct domain_prey *prey, const struct comm *comm, const struct cell_store *store)
{
    memset(prey->agents, 0, prey->boids * sizeof *prey->agents);
    for (uint32_t s = store->begin; s < store->end; s++)
        prey->agents[cell_store_id(store, s)] = store->latest[s];
    for (uint32_t done = 0; done < prey->boids;) {
        const uint32_t left = prey->boids - done, piece = left < PIECE ? left : PIECE;
        memcpy(prey->words, prey->agents + done, piece * sizeof *prey->agents);
        comm->allreduce(comm, prey->words, (size_t)WORDS * piece, COMM_SUM);
        memcpy(prey->agents + done, prey->words, piece * sizeof *prey->agents);
        done += piece;
    }
}

void domain_prey_find(struct domain_prey *prey, const struct comm *comm, const struct cell_store *store,
                      const struct flock_agent *predators)
{
    if (prey->count == 0)
        return;
    if (prey->params->hunt == FLOCK_HUNT_NEAREST)
        gather_nearest(prey, comm, store, predators);
    else
        gather_all(prey, comm, store);
}

void domain_prey_free(struct domain_prey *prey)
{
    free(prey->agents);
    free(prey->candidates);
    free(prey->words);
    *prey = (struct domain_prey){0};
}
