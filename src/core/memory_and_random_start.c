/* The memory of a flock, and its random initial state. */
#include "grid.h"
#include "lane_ops_scalar.h"
#include "rng.h"

/* Divide a block of memory among arrays, from front to back. If `base` is NULL, only add up their sizes. */
struct bump_allocator {
    unsigned char *base;
    size_t used;
};

static void *bump_alloc(struct bump_allocator *bump_allocator, size_t count, size_t size)
{
    const size_t alignment = sizeof(uint64_t);
    void *address = bump_allocator->base ? bump_allocator->base + bump_allocator->used : NULL;
    bump_allocator->used += (count * size + alignment - 1) / alignment * alignment;
    return address;
}

/* Let `pointer` point to an array of `count` elements. */
#define BUMP_ARRAY(pointer, count) ((pointer) = bump_alloc(&bump_allocator, count, sizeof *(pointer)))

/* The arrays that the update order does not need stay NULL. */
static size_t lay_out_arrays(struct flock *flock, const struct flock_params *params, unsigned char *memory)
{
    const bool is_shuffled = params->update == FLOCK_SHUFFLED;
    const bool has_passes = params->update == FLOCK_PASSES || params->update == FLOCK_SHUFFLED_VELOCITIES;
    const size_t n = flock->count;
    struct flock_grid *grid = &flock->grid;
    struct bump_allocator bump_allocator = {memory, 0};
    BUMP_ARRAY(flock->boids, n);
    BUMP_ARRAY(flock->predators, flock->predator_count);
    BUMP_ARRAY(grid->start, (size_t)flock_grid_cells(params) + 1);
    if (is_shuffled || params->update == FLOCK_SHUFFLED_VELOCITIES)
        BUMP_ARRAY(flock->order, n);
    if (is_shuffled || params->update == FLOCK_SEQUENTIAL) {
        BUMP_ARRAY(grid->next, n);
        return bump_allocator.used;
    }
    BUMP_ARRAY(grid->slots, n);
    BUMP_ARRAY(grid->boid_of, n);
    if (has_passes)
        BUMP_ARRAY(grid->slot_of, n);
    else
        BUMP_ARRAY(flock->next_boids, n);
    return bump_allocator.used;
}

size_t flock_memory(const struct flock_params *params, uint32_t count, uint32_t predator_count)
{
    struct flock measured = {.count = count, .predator_count = predator_count};
    return lay_out_arrays(&measured, params, NULL);
}

void flock_init(struct flock *flock, const struct flock_params *params, uint32_t count,
                uint32_t predator_count, void *memory)
{
    *flock = (struct flock){.count = count, .predator_count = predator_count};
    lay_out_arrays(flock, params, memory);
}

/* True if the point whose coordinates are two random words is inside the unit circle. The test uses integers, so
 * all number types accept the same points; a margin of 2^-22 allows for the rounding of the position. */
static bool is_in_circle(uint64_t x, uint64_t y)
{
    const int64_t a = (int64_t)(x >> 32) - (INT64_C(1) << 31), b = (int64_t)(y >> 32) - (INT64_C(1) << 31);
    return (uint64_t)(a * a) + (uint64_t)(b * b) < (UINT64_C(1) << 62) - (UINT64_C(1) << 41);
}

/* If the world is a disc, a point outside of it is replaced by a new random point. */
static struct flock_vec random_position(struct flock_rng rng, const struct flock_params *params)
{
    uint64_t x, y;
    do {
        x = flock_rng_next(&rng);
        y = flock_rng_next(&rng);
    } while (params->is_disc && !is_in_circle(x, y));
    return (struct flock_vec){num_uniform(num_zero(), params->x.length, x),
                              num_uniform(num_zero(), params->y.length, y)};
}

/* A random direction is that of a random point in a ring: points outside of the ring are rejected. This needs no
 * sine and cosine, which differ between C libraries. The test uses integers, so all number types accept the same
 * points. Points near the centre are rejected, because only few directions are possible there. `direction` is used instead, if it is not
 * NULL. */
static struct flock_vec random_velocity_of_speed(struct flock_rng rng, num low, num high,
                                                 const struct flock_direction *direction)
{
    const num speed = num_uniform(low, high, flock_rng_next(&rng));
    if (direction)
        return lane_vec_along(speed, *direction);
    for (;;) {
        const uint64_t bits = flock_rng_next(&rng);
        const int32_t a = (int32_t)(uint32_t)(bits >> 32);
        const int32_t b = (int32_t)(uint32_t)bits;
        const uint64_t squared = (uint64_t)((int64_t)a * a) + (uint64_t)((int64_t)b * b);
        if (squared >= UINT64_C(1) << 62 || squared < UINT64_C(1) << 58)
            continue;
        const struct flock_vec heading = {num_from_q31(a), num_from_q31(b)};
        return lane_vec_scale_to(heading, speed, lane_vec_norm_squared(heading));
    }
}

static struct flock_vec random_components(struct flock_rng rng, num low, num high)
{
    const num x = num_uniform(low, high, flock_rng_next(&rng));
    const num y = num_uniform(low, high, flock_rng_next(&rng));
    return (struct flock_vec){x, y};
}

struct flock_agent flock_random_boid(const struct flock_params *params, const struct flock_init_params *start,
                                     uint32_t id)
{
    const struct flock_rng rng = flock_rng_keyed(params->seed, FLOCK_BOID_VELOCITY, id);
    const struct flock_vec position =
        random_position(flock_rng_keyed(params->seed, FLOCK_BOID_POSITION, id), params);
    return (struct flock_agent){
        position, start->velocity == FLOCK_HEADING
                      ? random_velocity_of_speed(rng, start->low, start->high,
                                                 start->has_direction ? &start->direction : NULL)
                      : random_components(rng, start->low, start->high)};
}

void flock_randomise(struct flock *flock, const struct flock_params *params,
                     const struct flock_init_params *start)
{
    flock->step = 0;
    for (uint32_t i = 0; i < flock->count; i++)
        flock->boids[i] = flock_random_boid(params, start, i);
    for (uint32_t k = 0; k < flock->predator_count; k++) {
        struct flock_agent *predator = &flock->predators[k];
        predator->position =
            random_position(flock_rng_keyed(params->seed, FLOCK_PREDATOR_POSITION, k), params);
        predator->velocity =
            random_velocity_of_speed(flock_rng_keyed(params->seed, FLOCK_PREDATOR_VELOCITY, k),
                                     start->predator_low, start->predator_high, NULL);
    }
}
