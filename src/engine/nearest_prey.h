/* The boid that is nearest to each predator, for predators that hunt. Compiled once per number type. */
#ifndef ENGINE_NEAREST_PREY_H
#define ENGINE_NEAREST_PREY_H

#include "base/arena.h"
#include "flock/flock.h"
#include "simd/simd_step.h"

#include <stdint.h>

/** The boids, in an order in which adjacent slots hold boids that are near each other: a block of slots is a small part of the world. */
struct prey_slots {
    const struct flock_agent
        *boids;           /**< the x of an empty slot is NaN; with room for one SIMD vector after the last */
    const uint64_t *keys; /**< by slot: the id is the lower half; NULL: `ids` */
    const uint32_t *ids;
    uint32_t count;
};

/** The boid nearest to a predator. */
struct prey {
    flock_num squared; /**< squared distance; infinity if there is no boid */
    uint32_t id, slot;
};

/** Slots of a block, and boxes that are compared at once; both fill SIMD vectors. The sides of a box. */
enum { PREY_BLOCK = SIMD_LANES_MAX, PREY_BOXES = SIMD_LANES_MAX, PREY_SIDES = 4 };

/** Bounding boxes: the lowest x, y, -x and -y in each. */
struct prey_boxes {
    flock_num low[PREY_SIDES][PREY_BOXES];
};

/** The search, with the bounding boxes of blocks of slots and of groups of blocks. */
struct nearest_prey {
    simd_prey_search *search; /**< of the instruction set (struct simd_kernels) */
    struct prey_boxes *boxes, *group_boxes;
    struct prey *prey;          /**< of each predator, in this or the last step */
    struct flock_agent *agents; /**< copies of these boids */
};

#define nearest_prey_allocate FLOCK_TYPED(nearest_prey_allocate)
#define nearest_prey_find     FLOCK_TYPED(nearest_prey_find)

/** Take memory for up to `slots` slots from the arena (which only counts the bytes if its base is NULL). */
void nearest_prey_allocate(struct nearest_prey *search, uint32_t slots, uint32_t predators,
                           struct arena *arena);

/** Find the boid that is nearest to each predator, if the slots have all boids of the flock, and set whole->prey for flock_end_step(). */
void nearest_prey_find(struct nearest_prey *search, const struct prey_slots *slots,
                       const struct flock_params *params, struct flock *whole);

#endif
