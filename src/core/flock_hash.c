/* A hash of the state of a flock. */
#include "flock_hash.h"

uint64_t flock_hash(const struct flock *flock)
{
    return flock_hash_agents(flock->boids, flock->count, 0) +
           flock_hash_agents(flock->predators, flock->predator_count, flock->count);
}
