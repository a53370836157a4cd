/* A step of the core, with the board's memory and its second core. Only synchronous flocks can be shared; their boids
 * are sorted into slots, looked at there and written back, so the page that is and the next one may be the same. That
 * saves 16 bytes a boid, and nothing can go wrong half-way: a fixed step has no failure. */
#include "flight.h"

#include "flock/hash.h"
#include "near.h"
#include "second.h"

enum { IS_SHARED = FLIGHT_CORES > 1 && FLIGHT_UPDATE == FLOCK_SYNCHRONOUS };
/* What an update order does without has one element, for C has no empty arrays. */
enum {
    SLOTS = FLIGHT_UPDATE == FLOCK_SEQUENTIAL ? 1 : FLIGHT_BOIDS,
    SLOTS_OF = FLIGHT_UPDATE == FLOCK_PASSES ? FLIGHT_BOIDS : 1,
    LINKS = FLIGHT_UPDATE == FLOCK_SEQUENTIAL ? FLIGHT_BOIDS : 1,
};

static struct flock_agent boids[FLIGHT_BOIDS], predators[FLIGHT_PREDATORS + 1], slots[SLOTS];
static uint32_t start[FLIGHT_CELLS + 1], boid_of[SLOTS], slot_of[SLOTS_OF], next[LINKS];

struct flock flight_flock = {
    .count = FLIGHT_BOIDS,
    .predator_count = FLIGHT_PREDATORS,
    .boids = boids,
    .predators = predators,
    .next_boids = boids,
    .grid = {.start = start,
             .slots = slots,
             .boid_of = boid_of,
             .slot_of = FLIGHT_UPDATE == FLOCK_PASSES ? slot_of : NULL,
             .next = next},
};

struct flock_params flight_params = FLIGHT_PARAMS;
static const struct flock_start beginning = FLIGHT_START;

void flight_begin(void)
{
    flock_place(&flight_flock, &flight_params, &beginning);
    near_start(&flight_params);
}

static void fly_range(uint32_t begin, uint32_t end)
{
    flock_step_range(&flight_flock, &flight_params, begin, end);
}

void flight_step(void)
{
    if (FLIGHT_UPDATE != FLOCK_SYNCHRONOUS) {
        flock_step(&flight_flock, &flight_params);
        return;
    }
    if (!near_sort(&flight_flock))
        flock_sort(&flight_flock, &flight_params);
    if (IS_SHARED)
        second_share(fly_range, FLIGHT_BOIDS);
    else
        fly_range(0, FLIGHT_BOIDS);
    flock_turn_page(&flight_flock, &flight_params);
}

uint64_t flight_hash(void)
{
    return flock_hash_agents(boids, FLIGHT_BOIDS, 0) +
           flock_hash_agents(predators, FLIGHT_PREDATORS, FLIGHT_BOIDS);
}
