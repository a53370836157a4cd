/* The first state of a flock, and the hash of any: seldom called, so not worth RAM. */
#include "flight.h"

#include "flock/hash.h"
#include "near.h"

#include "core/place.c"

static const struct flock_start beginning = FLIGHT_START;

void flight_begin(void)
{
    flock_place(&flight_flock, &flight_params, &beginning);
    if (NEAR_IS_ON)
        near_start(&flight_flock, &flight_params);
}

uint64_t flight_hash(void)
{
    const struct flock *flock = &flight_flock;
    return flock_hash_agents(flock->boids, FLIGHT_BOIDS, 0) +
           flock_hash_agents(flock->predators, FLIGHT_PREDATORS, FLIGHT_BOIDS);
}
