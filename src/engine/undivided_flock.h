/* What the flocks of all back ends in one process have in common, and the functions of struct backend that are the same
 * for all of them. Compiled once per number type. */
#pragma once

#include "base/agent.h"
#include "flock/flock.h"

#include <stdint.h>

/** Where a back end keeps its boids. There are three cases: each id has a slot; each of the slots 0, 1, 2 ... has an id;
 * or slot and id are the same number. */
struct boid_slots {
    const struct flock_agent *boids; /**< by slot */
    const uint32_t *slot_of;         /**< slot of each id, or NULL */
    const uint64_t *keys;            /**< by slot: the id is the lower half; or NULL */
};

/** The first member of the flock of each of these back ends. */
struct undivided_flock {
    /** The step, the numbers of agents, the predators, and room for the boids in order of id: place() and set() write
     * them there. */
    struct flock whole;
    /** Move the boids from `whole` into their slots. NULL: they are there already. */
    void (*begin)(void *flock);
    /** The slots between two steps. NULL: the boids are in order of id in `whole`. */
    struct boid_slots (*slots)(const void *flock);
};

#define boid_slots_copy                FLOCK_TYPED(boid_slots_copy)
#define boid_slots_first_out_of_range  FLOCK_TYPED(boid_slots_first_out_of_range)
#define undivided_flock_place          FLOCK_TYPED(undivided_flock_place)
#define undivided_flock_round          FLOCK_TYPED(undivided_flock_round)
#define undivided_flock_set            FLOCK_TYPED(undivided_flock_set)
#define undivided_flock_get            FLOCK_TYPED(undivided_flock_get)
#define undivided_flock_set_changes    FLOCK_TYPED(undivided_flock_set_changes)
#define undivided_flock_hash           FLOCK_TYPED(undivided_flock_hash)
#define whole_flock_first_out_of_range FLOCK_TYPED(whole_flock_first_out_of_range)

/** Copy `count` boids in order of id. */
void boid_slots_copy(const struct boid_slots *slots, uint32_t count, struct flock_agent *boids);

/** The lowest id of the boids that have left the range of num; UINT32_MAX: none. */
uint32_t boid_slots_first_out_of_range(const struct boid_slots *slots, uint32_t count);

/* The following are functions of struct backend; `flock` begins with a struct undivided_flock. */

#define UNDIVIDED_FLOCK_FUNCTIONS                                                                       \
    .place = undivided_flock_place, .can_represent = num_holds, .round = undivided_flock_round,         \
    .set = undivided_flock_set, .get = undivided_flock_get, .set_changes = undivided_flock_set_changes, \
    .hash = undivided_flock_hash, .first_out_of_range = whole_flock_first_out_of_range

void undivided_flock_place(void *flock, const struct flock_model *model);
double undivided_flock_round(double value);
void undivided_flock_set(void *flock, const struct agent *agents, uint64_t step);
bool undivided_flock_get(const void *flock, struct agent *agents, uint32_t *ids);
void undivided_flock_set_changes(void *flock, const double (*changes)[2], void *room);
uint64_t undivided_flock_hash(const void *flock);

/** The same for every back end whose flock begins with a struct flock. */
uint32_t whole_flock_first_out_of_range(const void *flock);
