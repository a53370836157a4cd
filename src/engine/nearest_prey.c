/* The slots are divided into blocks, and the blocks into groups; each has a bounding box. A search compares the predator with the boids of
 * the block where its prey was in the last step, and then with those of all blocks that are not farther than the nearest boid so far. Even
 * with rounding errors, a distance to a box never exceeds the distance to a boid inside (core/nearest.c). */
#include "nearest_prey.h"

#include "lane_scalar.h"
#include "nearest_bounding_boxes.h"
#include "neighbour_selection.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 16, FAN_OUT = FLOCK_NEAREST_FAN_OUT };

static uint32_t divide_up(uint32_t count, uint32_t size)
{
    return (count + size - 1) / size;
}

void nearest_prey_allocate(struct nearest_prey *search, uint32_t slots, uint32_t predators,
                           struct arena *arena)
{
    const uint32_t groups = divide_up(slots, BLOCK * FAN_OUT);
    search->boxes = arena_alloc(arena, groups, sizeof *search->boxes);
    search->group_boxes = arena_alloc(arena, divide_up(groups, FAN_OUT), sizeof *search->group_boxes);
    search->prey = arena_alloc(arena, predators, sizeof *search->prey);
    search->agents = arena_alloc(arena, predators, sizeof *search->agents);
    if (search->prey)
        memset(search->prey, 0, predators * sizeof *search->prey);
}

static const struct box nowhere = {{(num)INFINITY, (num)INFINITY}, {-(num)INFINITY, -(num)INFINITY}};

/* A position that is NaN changes nothing. */
static void widen_box(struct box *box, struct flock_vec low, struct flock_vec high)
{
    box->low.x = low.x < box->low.x ? low.x : box->low.x;
    box->low.y = low.y < box->low.y ? low.y : box->low.y;
    box->high.x = larger_num(box->high.x, high.x);
    box->high.y = larger_num(box->high.y, high.y);
}

static uint32_t end_of_block(const struct prey_slots *slots, uint32_t block)
{
    return slots->count - block * BLOCK < BLOCK ? slots->count : (block + 1) * BLOCK;
}

static void bound_blocks(const struct nearest_prey *search, const struct prey_slots *slots)
{
    const uint32_t blocks = divide_up(slots->count, BLOCK);
    struct box group = nowhere;
    for (uint32_t block = 0; block < blocks; block++) {
        struct box box = nowhere;
        for (uint32_t slot = block * BLOCK; slot < end_of_block(slots, block); slot++)
            widen_box(&box, slots->boids[slot].position, slots->boids[slot].position);
        group = block % FAN_OUT == 0 ? nowhere : group;
        widen_box(&group, box.low, box.high);
        store_box(search->boxes, block, &box);
        store_box(search->group_boxes, block / FAN_OUT, &group);
    }
}

static void compare_block(struct prey *nearest, const struct prey_slots *slots,
                          const struct flock_params *params, struct flock_vec from, uint32_t block)
{
    const uint32_t end = end_of_block(slots, block);
    for (uint32_t slot = block * BLOCK; slot < end; slot++) {
        const num squared = lane_vec_norm_squared(offset_between(params, slots->boids[slot].position, from));
        if (!(squared <= nearest->squared))
            continue;
        const uint32_t id = slots->keys ? (uint32_t)slots->keys[slot] : slots->ids[slot];
        if (squared < nearest->squared || id < nearest->id)
            *nearest = (struct prey){squared, id, slot};
    }
}

static struct prey prey_of(const struct nearest_prey *search, const struct prey_slots *slots,
                           const struct flock_params *params, struct flock_vec from, uint32_t last_slot)
{
    const uint32_t blocks = divide_up(slots->count, BLOCK), groups = divide_up(blocks, FAN_OUT);
    struct nearest_reach reach = {&params->x, &params->y, from, from, 0};
    struct prey nearest = {(num)INFINITY, UINT32_MAX, 0};
    if (last_slot < slots->count)
        compare_block(&nearest, slots, params, from, last_slot / BLOCK);
    for (uint32_t first = 0; first < groups; first += FAN_OUT) {
        reach.farthest = nearest.squared;
        unsigned near_groups =
            boxes_in_reach(&reach, &search->group_boxes[first / FAN_OUT], groups - first, UINT32_MAX);
        for (; near_groups != 0; near_groups &= near_groups - 1) {
            const uint32_t group = first + (uint32_t)__builtin_ctz(near_groups), block = group * FAN_OUT;
            reach.farthest = nearest.squared;
            unsigned near = boxes_in_reach(&reach, &search->boxes[group], blocks - block, UINT32_MAX);
            for (; near != 0; near &= near - 1)
                compare_block(&nearest, slots, params, from, block + (uint32_t)__builtin_ctz(near));
        }
    }
    return nearest;
}

void nearest_prey_search(struct nearest_prey *search, const struct prey_slots *slots,
                         const struct flock_params *params, const struct flock *whole)
{
    bound_blocks(search, slots);
    for (uint32_t k = 0; k < whole->predator_count; k++)
        search->prey[k] = prey_of(search, slots, params, whole->predators[k].position, search->prey[k].slot);
}

void nearest_prey_find(struct nearest_prey *search, const struct prey_slots *slots,
                       const struct flock_params *params, struct flock *whole)
{
    nearest_prey_search(search, slots, params, whole);
    for (uint32_t k = 0; k < whole->predator_count; k++)
        search->agents[k] = slots->boids[search->prey[k].slot];
    whole->prey = search->agents;
}
