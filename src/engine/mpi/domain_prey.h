/* The prey of predators in a flock on several ranks. Compiled once per number type. If predators hunt the nearest boid, every rank gets one
 * boid per predator. If they hunt the centre, every rank gets all boids, because the centre is a sum in order of id, which ranks
 * cannot compute in parts. */
#ifndef DOMAIN_PREY_H
#define DOMAIN_PREY_H

#include "comm.h"
#include "engine/cell_store.h"
#include "engine/nearest_prey.h"
#include "flock/flock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct domain_prey {
    const struct flock_params *params;
    void *memory;
    struct nearest_prey nearest; /**< if predators hunt the nearest boid */
    struct flock_agent *boids;   /**< if they hunt the centre: all boids, in order of id */
    uint64_t *words;             /**< for reductions */
};

#define domain_prey_memory FLOCK_TYPED(domain_prey_memory)
#define domain_prey_init   FLOCK_TYPED(domain_prey_init)
#define domain_prey_find   FLOCK_TYPED(domain_prey_find)
#define domain_prey_free   FLOCK_TYPED(domain_prey_free)

/** The number of bytes that domain_prey_init() takes. */
size_t domain_prey_memory(const struct flock_params *params, uint32_t boids, uint32_t predators);

/** `prey` is all zero. False: out of memory. Free it in both cases. */
bool domain_prey_init(struct domain_prey *prey, const struct flock_params *params, uint32_t boids,
                      uint32_t predators);

/** Collective: find the prey, after all boids have moved, and set whole->prey or whole->boids for flock_end_step(). The store has the
 * boids of this rank and no ghosts. To find the nearest boid, it needs three reductions of a few words per predator. To find the
 * centre, it needs a reduction of all boids (16 bytes each, 32 in float64), and every rank adds up all boids. */
void domain_prey_find(struct domain_prey *prey, const struct comm *comm, const struct cell_store *store,
                      struct flock *whole);

void domain_prey_free(struct domain_prey *prey);

#endif
