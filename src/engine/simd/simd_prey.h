/* The boid nearest to each predator (engine/nearest_prey.h), with one boid per lane.
 *
 * The slots are divided into blocks, and the blocks into groups; each has a bounding box. A search compares the predator with the boids of
 * the block where its prey was in the last step, and then with those of all blocks that are not farther than the nearest boid so far. Even
 * with rounding errors, a distance to a box never exceeds the distance to a boid inside (core/nearest.c). */
#ifndef SIMD_PREY_H
#define SIMD_PREY_H

#include "engine/nearest_prey.h"
#include "simd_boxes.h"

#include <math.h>

_Static_assert(PREY_BOXES % SIMD_LANES == 0, "the boxes of a group fill SIMD vectors");

/* The corners of a box. */
struct prey_box {
    num low_x, low_y, high_x, high_y;
};

static const struct prey_box nowhere = {(num)INFINITY, (num)INFINITY, -(num)INFINITY, -(num)INFINITY};

/* A number that is NaN changes nothing. */
LANE_OP struct prey_box widen_box(struct prey_box a, struct prey_box b)
{
    return (struct prey_box){b.low_x < a.low_x ? b.low_x : a.low_x, b.low_y < a.low_y ? b.low_y : a.low_y,
                             b.high_x > a.high_x ? b.high_x : a.high_x,
                             b.high_y > a.high_y ? b.high_y : a.high_y};
}

/* The bounding box of a block. Whatever is after the last slot may widen it. */
LANE_OP struct prey_box box_of(const struct flock_agent *boids)
{
    lane low_x = lane_set1((num)INFINITY), low_y = low_x;
    lane high_x = lane_set1(-(num)INFINITY), high_y = high_x;
    struct prey_box box = nowhere;
    for (uint32_t k = 0; k < PREY_BLOCK; k += SIMD_LANES) {
        const lane_vec position = load(boids + k).position;
        low_x = simd_min(position.x, low_x);
        low_y = simd_min(position.y, low_y);
        high_x = simd_max(position.x, high_x);
        high_y = simd_max(position.y, high_y);
    }
    for (int m = 0; m < SIMD_LANES; m++)
        box = widen_box(box, (struct prey_box){low_x[m], low_y[m], high_x[m], high_y[m]});
    return box;
}

static void store_prey_box(struct prey_boxes *groups, uint32_t at, struct prey_box box)
{
    struct prey_boxes *to = &groups[at / PREY_BOXES];
    const uint32_t k = at % PREY_BOXES;
    to->low_x[k] = box.low_x;
    to->low_y[k] = box.low_y;
    to->high_x[k] = box.high_x;
    to->high_y[k] = box.high_y;
}

static void bound_blocks(const struct nearest_prey *search, const struct prey_slots *slots, uint32_t blocks)
{
    struct prey_box group = nowhere;
    for (uint32_t block = 0; block < blocks; block++) {
        const struct prey_box box = box_of(slots->boids + block * PREY_BLOCK);
        group = widen_box(block % PREY_BOXES == 0 ? nowhere : group, box);
        store_prey_box(search->boxes, block, box);
        store_prey_box(search->group_boxes, block / PREY_BOXES, group);
    }
}

/* A bit for each of the first `count` boxes that is not farther than the nearest boid so far. */
LANE_OP unsigned near_boxes(const struct prey *nearest, const struct flock_params *params, lane_vec from,
                            const struct prey_boxes *boxes, uint32_t count)
{
    unsigned bits = 0;
    for (uint32_t k = 0; k < PREY_BOXES; k += SIMD_LANES) {
        const lane x = gaps_to(&params->x, from.x, simd_load(boxes->low_x + k), simd_load(boxes->high_x + k));
        const lane y = gaps_to(&params->y, from.y, simd_load(boxes->low_y + k), simd_load(boxes->high_y + k));
        const lane_mask near = simd_is_at_most(lane_norm_squared(x, y), lane_set1(nearest->squared));
        bits |= simd_mask_bits(near) << k;
    }
    return count < PREY_BOXES ? bits & ((1U << count) - 1) : bits;
}

/* Compare the boids in slots [begin, begin + SIMD_LANES) that are before `end`. */
LANE_OP void compare_slots(struct prey *nearest, const struct prey_slots *slots,
                           const struct flock_params *params, lane_vec from, uint32_t begin, uint32_t end)
{
    const lane_vec there = load(slots->boids + begin).position;
    const lane_square squared = lane_vec_norm_squared(offset_between(params, there, from));
    unsigned near = simd_mask_bits(simd_is_at_most(squared, lane_set1(nearest->squared)));
    for (; near != 0; near &= near - 1) {
        const uint32_t m = (uint32_t)__builtin_ctz(near), slot = begin + m;
        if (slot >= end)
            break;
        const uint32_t id = slots->keys ? (uint32_t)slots->keys[slot] : slots->ids[slot];
        if (squared[m] < nearest->squared || (squared[m] == nearest->squared && id < nearest->id))
            *nearest = (struct prey){squared[m], id, slot};
    }
}

static struct prey prey_of(const struct nearest_prey *search, const struct prey_slots *slots,
                           const struct flock_params *params, lane_vec from, uint32_t last_slot,
                           uint32_t blocks)
{
    const uint32_t groups = (blocks + PREY_BOXES - 1) / PREY_BOXES;
    struct prey nearest = {(num)INFINITY, UINT32_MAX, 0};
    if (last_slot < slots->count)
        compare_slots(&nearest, slots, params, from, last_slot, last_slot + 1);
    for (uint32_t first = 0; first < groups; first += PREY_BOXES) {
        unsigned near_groups =
            near_boxes(&nearest, params, from, &search->group_boxes[first / PREY_BOXES], groups - first);
        for (; near_groups != 0; near_groups &= near_groups - 1) {
            const uint32_t group = first + (uint32_t)__builtin_ctz(near_groups), begin = group * PREY_BOXES;
            unsigned near = near_boxes(&nearest, params, from, &search->boxes[group], blocks - begin);
            for (; near != 0; near &= near - 1) {
                const uint32_t slot = (begin + (uint32_t)__builtin_ctz(near)) * PREY_BLOCK;
                for (uint32_t k = 0; k < PREY_BLOCK; k += SIMD_LANES)
                    compare_slots(&nearest, slots, params, from, slot + k, slots->count);
            }
        }
    }
    return nearest;
}

static void search_prey(struct nearest_prey *search, const struct prey_slots *slots,
                        const struct flock_params *params, const struct flock *whole)
{
    const uint32_t blocks = (slots->count + PREY_BLOCK - 1) / PREY_BLOCK;
    bound_blocks(search, slots, blocks);
    for (uint32_t k = 0; k < whole->predator_count; k++)
        search->prey[k] = prey_of(search, slots, params, lane_vec_set1(whole->predators[k].position),
                                  search->prey[k].slot, blocks);
}

#endif
