/* What predators that hunt see of a flock that several ranks fly. Compiled once per number type.
 *
 * flock_end_step() looks for prey among boids that are in order of ids, and so it does here. Those whom no predator would choose it need
 * not be shown: where they hunt the nearest, there is one for each. The centre of a flock is a sum in the order of ids, which
 * takes them all.
 */
#ifndef BANDS_HUNT_H
#define BANDS_HUNT_H

#include "flock/flock.h"
#include "page.h"
#include "ranks/ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The boid that is nearest to a predator. */
struct bands_sighting {
    double squared; /**< how far away, to this rank's own nearest; infinitely where it has nobody */
    uint64_t id;
    uint32_t slot;
    bool is_own; /**< it is this rank's */
};

struct bands_hunt {
    const struct flock_params *params;
    uint32_t boids;                      /**< of the whole flock */
    uint32_t predator_count, prey_count; /**< there is no prey where nobody hunts */
    struct flock_agent *prey;
    struct bands_sighting *sightings; /**< of each predator */
    uint64_t *words;                  /**< what ranks merge */
};

#define bands_hunt_memory FLOCK_TAGGED(bands_hunt_memory)
#define bands_hunt_init   FLOCK_TAGGED(bands_hunt_init)
#define bands_hunt_look   FLOCK_TAGGED(bands_hunt_look)
#define bands_hunt_free   FLOCK_TAGGED(bands_hunt_free)

/** Bytes that bands_hunt_init() takes. */
size_t bands_hunt_memory(const struct flock_params *params, uint32_t boids, uint32_t predators);

/** False: no memory. To be freed either way. */
bool bands_hunt_init(struct bands_hunt *hunt, const struct flock_params *params, uint32_t boids,
                     uint32_t predators);

/** Collective: fill in the prey, when all boids have moved. The page has this rank's boids and nobody else's.
 *
 * Costs a look at each boid for each predator and three merges of a word or a few for each; for the centre, a merge of all boids,
 * and the sum that follows is made by every rank.
 */
void bands_hunt_look(struct bands_hunt *hunt, const struct ranks *ranks, const struct page *page,
                     const struct flock_agent *predators);

void bands_hunt_free(struct bands_hunt *hunt);

#endif
