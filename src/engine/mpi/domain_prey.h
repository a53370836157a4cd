/* The prey of predators in a flock on several ranks. Compiled once per number type. flock_end_step() searches for
 * prey among boids in order of id. On several ranks, it gets only the boids that it needs. If predators hunt the
 * nearest boid, this is one boid per predator. If they hunt the centre, every rank gets all boids, because the
 * centre is a sum in order of id, which ranks cannot compute in parts. */
#ifndef DOMAIN_PREY_H
#define DOMAIN_PREY_H

#include "comm.h"
#include "engine/cell_store.h"
#include "flock/flock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The boid that is nearest to a predator. */
struct prey_candidate {
    double squared; /**< squared distance of the nearest boid of this rank; infinity if it has no boid */
    uint64_t id;
    uint32_t slot;
    bool is_own; /**< this rank owns the nearest boid */
};

struct domain_prey {
    const struct flock_params *params;
    uint32_t boids; /**< of the whole flock */
    /** Number of predators; number of boids in `agents`, 0 if predators do not hunt. */
    uint32_t predator_count, count;
    struct flock_agent *agents;
    struct prey_candidate *candidates; /**< of each predator */
    uint64_t *words;                   /**< for reductions */
};

#define domain_prey_memory FLOCK_TYPED(domain_prey_memory)
#define domain_prey_init   FLOCK_TYPED(domain_prey_init)
#define domain_prey_find   FLOCK_TYPED(domain_prey_find)
#define domain_prey_free   FLOCK_TYPED(domain_prey_free)

/** The number of bytes that domain_prey_init() takes. */
size_t domain_prey_memory(const struct flock_params *params, uint32_t boids, uint32_t predators);

/** False: out of memory. Free it in both cases. */
bool domain_prey_init(struct domain_prey *prey, const struct flock_params *params, uint32_t boids,
                      uint32_t predators);

/** Collective: find the prey, after all boids have moved. The store has the boids of this rank and no ghosts. To find
 * the nearest boid, it needs one comparison per boid and predator, and three reductions of a few words per predator.
 * To find the centre, it needs a reduction of all boids (16 bytes each, 32 in float64), and every rank adds up all
 * boids. */
void domain_prey_find(struct domain_prey *prey, const struct comm *comm, const struct cell_store *store,
                      const struct flock_agent *predators);

void domain_prey_free(struct domain_prey *prey);

#endif
