/* For each predator, each rank finds the nearest of its own boids. The nearest of these is the prey; in a tie, the
 * one with the lower id. */
#include "domain_prey.h"

#include "base/double_bits.h"

#include <stdlib.h>
#include <string.h>

/* The number of boids per reduction, and the number of words per boid. */
enum { PIECE = 1 << 16, WORDS = sizeof(struct flock_agent) / sizeof(uint64_t) };

_Static_assert(sizeof(struct flock_agent) % sizeof(uint64_t) == 0, "a boid is whole words");

static size_t lay_out(struct domain_prey *prey, uint32_t boids, uint32_t predators, unsigned char *memory)
{
    struct arena arena = {memory, 0};
    size_t words = 0;
    switch (predators > 0 ? prey->params->hunt : FLOCK_HUNT_NONE) {
    case FLOCK_HUNT_NONE: break;
    case FLOCK_HUNT_NEAREST:
        nearest_prey_allocate(&prey->nearest, boids, predators, &arena);
        words = (size_t)WORDS * predators;
        break;
    case FLOCK_HUNT_CENTRE:
        prey->boids = arena_alloc(&arena, boids, sizeof *prey->boids);
        words = (size_t)WORDS * (boids < PIECE ? boids : PIECE);
        break;
    }
    prey->words = arena_alloc(&arena, words, sizeof *prey->words);
    return arena.used;
}

size_t domain_prey_memory(const struct flock_params *params, uint32_t boids, uint32_t predators)
{
    return lay_out(&(struct domain_prey){.params = params}, boids, predators, NULL);
}

bool domain_prey_init(struct domain_prey *prey, const struct flock_params *params, uint32_t boids,
                      uint32_t predators)
{
    prey->params = params;
    prey->memory = arena_create_block(domain_prey_memory(params, boids, predators) + 1);
    if (prey->memory)
        lay_out(prey, boids, predators, prey->memory);
    return prey->memory != NULL;
}

/* All ranks except one set the words of a boid to zero, so their sum over the ranks is the boid. */
static void add_up(const struct domain_prey *prey, const struct comm *comm, struct flock_agent *boids,
                   uint32_t count)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t left = count - done, piece = left < PIECE ? left : PIECE;
        memcpy(prey->words, boids + done, piece * sizeof *boids);
        comm->allreduce(comm, prey->words, (size_t)WORDS * piece, COMM_SUM);
        memcpy(boids + done, prey->words, piece * sizeof *boids);
        done += piece;
    }
}

/* Find the smallest distance over all ranks, then the lowest id at that distance. */
static void find_nearest(struct domain_prey *prey, const struct comm *comm, const struct cell_store *store,
                         struct flock *whole)
{
    const uint32_t count = whole->predator_count;
    const struct prey *found = prey->nearest.prey;
    const struct prey_slots slots = {.boids = store->latest + store->begin,
                                     .keys = store->keys + store->begin,
                                     .count = store->end - store->begin};
    prey->nearest.search(&prey->nearest, &slots, prey->params, whole);
    for (uint32_t k = 0; k < count; k++)
        prey->words[k] = double_to_bits((double)found[k].squared);
    comm->allreduce(comm, prey->words, count, COMM_MIN);
    for (uint32_t k = 0; k < count; k++)
        prey->words[k] =
            prey->words[k] == double_to_bits((double)found[k].squared) ? found[k].id : UINT64_MAX;
    comm->allreduce(comm, prey->words, count, COMM_MIN);
    for (uint32_t k = 0; k < count; k++)
        prey->nearest.agents[k] =
            prey->words[k] == found[k].id ? slots.boids[found[k].slot] : (struct flock_agent){0};
    add_up(prey, comm, prey->nearest.agents, count);
    whole->prey = prey->nearest.agents;
}

static void gather_all(struct domain_prey *prey, const struct comm *comm, const struct cell_store *store,
                       struct flock *whole)
{
    memset(prey->boids, 0, whole->count * sizeof *prey->boids);
    for (uint32_t s = store->begin; s < store->end; s++)
        prey->boids[cell_store_id(store, s)] = store->latest[s];
    add_up(prey, comm, prey->boids, whole->count);
    whole->boids = prey->boids;
}

void domain_prey_find(struct domain_prey *prey, const struct comm *comm, const struct cell_store *store,
                      struct flock *whole)
{
    if (prey->boids)
        gather_all(prey, comm, store, whole);
    else if (prey->nearest.agents)
        find_nearest(prey, comm, store, whole);
}

void domain_prey_free(struct domain_prey *prey)
{
    free(prey->memory);
}
