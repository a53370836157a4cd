/* The slots are divided into blocks. A search computes the distance to the bounding box of each block. It compares the predator with the
 * boids of the nearest box, and then with those of the other boxes that are not farther than the nearest boid so far. Even with rounding
 * errors, a distance to a box never exceeds the distance to a boid inside (core/nearest.c). */
#include "nearest_prey.h"

#include "lane_scalar.h"
#include "nearest_bounding_boxes.h"
#include "neighbour_selection.h"

#include <math.h>

enum { BLOCK_MIN = 32 };

/* The nearest boid so far. */
struct prey {
    num squared;
    uint32_t id, slot;
};

void nearest_prey_allocate(struct nearest_prey *search, uint32_t slots, uint32_t predators,
                           struct arena *arena)
{
    search->size = BLOCK_MIN;
    while (16 * (uint64_t)search->size * search->size < slots)
        search->size *= 2;
    const size_t groups = slots / (search->size * (size_t)FLOCK_NEAREST_FAN_OUT) + 1;
    search->boxes = arena_alloc(arena, groups, sizeof *search->boxes);
    search->squares = arena_alloc(arena, groups * FLOCK_NEAREST_FAN_OUT, sizeof *search->squares);
    search->agents = arena_alloc(arena, predators, sizeof *search->agents);
}

static uint32_t end_of_block(const struct nearest_prey *search, const struct prey_slots *slots,
                             uint32_t begin)
{
    return slots->count - begin < search->size ? slots->count : begin + search->size;
}

static void bound_blocks(struct nearest_prey *search, const struct prey_slots *slots)
{
    search->count = (slots->count + search->size - 1) / search->size;
    for (uint32_t block = 0; block < search->count; block++) {
        const uint32_t begin = block * search->size, end = end_of_block(search, slots, begin);
        struct flock_vec low = {(num)INFINITY, (num)INFINITY}, high = {-(num)INFINITY, -(num)INFINITY};
        for (uint32_t slot = begin; slot < end; slot++) {
            const struct flock_vec position = slots->boids[slot].position;
            if (isnan(position.x))
                continue;
            low.x = position.x < low.x ? position.x : low.x;
            low.y = position.y < low.y ? position.y : low.y;
            high.x = larger_num(high.x, position.x);
            high.y = larger_num(high.y, position.y);
        }
        struct flock_boxes *boxes = &search->boxes[block / FLOCK_NEAREST_FAN_OUT];
        const uint32_t k = block % FLOCK_NEAREST_FAN_OUT;
        boxes->low_x[k] = low.x;
        boxes->low_y[k] = low.y;
        boxes->high_x[k] = high.x;
        boxes->high_y[k] = high.y;
    }
}

/* Lower bounds of the squared distances from a predator to the boids of each block; returns the block with the smallest. */
static uint32_t measure_blocks(const struct nearest_prey *search, const struct flock_params *params,
                               struct flock_vec from)
{
    uint32_t first = 0;
    for (uint32_t block = 0; block < search->count; block += FLOCK_NEAREST_FAN_OUT) {
        const struct flock_boxes *boxes = &search->boxes[block / FLOCK_NEAREST_FAN_OUT];
        num x[FLOCK_NEAREST_FAN_OUT], y[FLOCK_NEAREST_FAN_OUT];
        gaps_between(&params->x, from.x, from.x, boxes->low_x, boxes->high_x, x);
        gaps_between(&params->y, from.y, from.y, boxes->low_y, boxes->high_y, y);
        for (uint32_t k = 0; k < FLOCK_NEAREST_FAN_OUT; k++)
            search->squares[block + k] = num_norm_squared(x[k], y[k]);
    }
    for (uint32_t block = 1; block < search->count; block++)
        first = search->squares[block] < search->squares[first] ? block : first;
    return first;
}

static void compare_block(struct prey *nearest, const struct nearest_prey *search,
                          const struct prey_slots *slots, const struct flock_params *params,
                          const struct flock_agent *predator, uint32_t block)
{
    const uint32_t begin = block * search->size, end = end_of_block(search, slots, begin);
    for (uint32_t slot = begin; slot < end; slot++) {
        const struct flock_vec way = offset_between(params, slots->boids[slot].position, predator->position);
        const num squared = lane_vec_norm_squared(way);
        if (!(squared <= nearest->squared))
            continue;
        const uint32_t id = slots->keys ? (uint32_t)slots->keys[slot] : slots->ids[slot];
        if (squared < nearest->squared || id < nearest->id)
            *nearest = (struct prey){squared, id, slot};
    }
}

static struct prey nearest_prey_of(const struct nearest_prey *search, const struct prey_slots *slots,
                                   const struct flock_params *params, const struct flock_agent *predator)
{
    struct prey nearest = {(num)INFINITY, UINT32_MAX, 0};
    const uint32_t first = measure_blocks(search, params, predator->position);
    compare_block(&nearest, search, slots, params, predator, first);
    for (uint32_t block = 0; block < search->count; block++)
        if (block != first && search->squares[block] <= nearest.squared)
            compare_block(&nearest, search, slots, params, predator, block);
    return nearest;
}

void nearest_prey_find(struct nearest_prey *search, const struct prey_slots *slots,
                       const struct flock_params *params, struct flock *whole)
{
    bound_blocks(search, slots);
    for (uint32_t k = 0; k < whole->predator_count; k++)
        search->agents[k] = slots->boids[nearest_prey_of(search, slots, params, &whole->predators[k]).slot];
    whole->prey = search->agents;
}
