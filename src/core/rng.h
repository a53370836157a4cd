/* Counter-based random numbers: each is a function of (seed, stream, id, step). So the initial position of boid 7
 * does not depend on the number of boids, the update order or the number of threads.
 *
 * Each word of the key is mixed by the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators", 2014; variant Mix13 of David Stafford). If one bit of its argument changes, about half of the
 * bits of its result change. The random numbers of a key are the SplitMix64 sequence that starts with the key.
 */
#pragma once

#include <stdint.h>

/** There is one stream per use of random numbers. Never reuse the number of a stream that was removed. */
enum flock_rng_stream {
    FLOCK_BOID_POSITION = 1,
    FLOCK_BOID_VELOCITY = 2,
    FLOCK_PREDATOR_POSITION = 3,
    FLOCK_PREDATOR_VELOCITY = 4,
    FLOCK_NOISE = 5,
    FLOCK_ORDER = 6,
    FLOCK_BOID_SPEED = 7,
};

struct flock_rng {
    uint64_t state;
};

#define FLOCK_RNG_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The finalizer, for one word or a vector of them. */
#define FLOCK_RNG_MIX(name, words)                          \
    static inline words name(words z)                       \
    {                                                       \
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9); \
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb); \
        return z ^ (z >> 31);                               \
    }

FLOCK_RNG_MIX(flock_rng_mix, uint64_t)

/** Mix a word into a key or a hash. */
static inline uint64_t flock_rng_add(uint64_t key, uint64_t word)
{
    return flock_rng_mix((key ^ word) + FLOCK_RNG_GOLDEN);
}

/** The part of the key that is the same for all boids in one step and stream. */
struct flock_rng_key {
    uint64_t key;
};

static inline struct flock_rng_key flock_rng_key_for_step(uint64_t seed, enum flock_rng_stream purpose,
                                                          uint64_t step)
{
    return (struct flock_rng_key){flock_rng_add(flock_rng_add(flock_rng_add(0, seed), purpose), step)};
}

/** The random numbers of one boid in that step. Because the id is the last part of the key, they need two mixes
 * instead of five. */
static inline struct flock_rng flock_rng_of(struct flock_rng_key moment, uint64_t id)
{
    return (struct flock_rng){flock_rng_add(moment.key, id)};
}

/** The random numbers of one boid at step 0. In this key, the id comes before the step. */
static inline struct flock_rng flock_rng_keyed(uint64_t seed, enum flock_rng_stream purpose, uint64_t id)
{
    return flock_rng_of(flock_rng_key_for_step(seed, purpose, id), 0);
}

/** The next 64 random bits of this key. */
static inline uint64_t flock_rng_next(struct flock_rng *rng)
{
    rng->state += FLOCK_RNG_GOLDEN;
    return flock_rng_mix(rng->state);
}

/** The keys of `count` boids in the random order of a step: 32 random bits, then the id. */
static inline void flock_rng_order_keys(uint64_t *keys, uint32_t count, uint64_t seed, uint64_t step)
{
    const struct flock_rng_key moment = flock_rng_key_for_step(seed, FLOCK_ORDER, step);
    for (uint32_t id = 0; id < count; id++) {
        struct flock_rng rng = flock_rng_of(moment, id);
        keys[id] = (flock_rng_next(&rng) & ~(uint64_t)UINT32_MAX) | id;
    }
}
