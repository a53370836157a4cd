/* The boid nearest to each predator (engine/nearest_prey.h), with one boid per lane.
 *
 * The slots are divided into blocks, and the blocks into groups; each has a bounding box. A search compares the predator with the boids of
 * the block where its prey was in the last step, and then with those of all blocks that are not farther than the nearest boid so far. Even
 * with rounding errors, a distance to a box never exceeds the distance to a boid inside (nearest_tree.h). */
#ifndef SIMD_PREY_H
#define SIMD_PREY_H

#include "engine/nearest_prey.h"
#include "simd_neighbours.h"

#include <math.h>

/* The distances along an axis from a position to intervals: lower bounds of the distances to boids in them. On a torus, the shorter way
 * counts. */
LANE_OP lane gaps_to(const struct flock_axis *axis, lane from, lane low, lane high)
{
    const lane zero = lane_set1(0), before = low - from, after = from - high;
    const lane gap = simd_max(zero, simd_max(before, after));
    const lane other = lane_set1(axis->length) + simd_min(before, after);
    return axis->is_torus ? simd_min(gap, simd_max(zero, other)) : gap;
}

_Static_assert(PREY_BOXES % SIMD_LANES == 0, "the boxes of a group fill SIMD vectors");

/* Bound the blocks and groups. What is after the last slot may widen a box; a position that is NaN changes nothing. */
static void bound_blocks(const struct nearest_prey *search, const struct prey_slots *slots, uint32_t blocks)
{
    for (uint32_t block = 0; block < blocks; block++) {
        const uint32_t group = block / PREY_BOXES, k = block % PREY_BOXES, g = group % PREY_BOXES;
        struct prey_boxes *boxes = &search->boxes[group], *groups = &search->group_boxes[group / PREY_BOXES];
        lane low[PREY_SIDES];
        for (int side = 0; side < PREY_SIDES; side++)
            low[side] = lane_set1((num)INFINITY);
        for (uint32_t at = 0; at < PREY_BLOCK; at += SIMD_LANES) {
            const lane_vec position = load(slots->boids + block * PREY_BLOCK + at).position;
            const lane sides[PREY_SIDES] = {position.x, position.y, -position.x, -position.y};
            for (int side = 0; side < PREY_SIDES; side++)
                low[side] = simd_min(sides[side], low[side]);
        }
        for (int side = 0; side < PREY_SIDES; side++) {
            num lowest = (num)INFINITY;
            for (int m = 0; m < SIMD_LANES; m++)
                lowest = low[side][m] < lowest ? low[side][m] : lowest;
            boxes->low[side][k] = lowest;
            if (k == 0 || lowest < groups->low[side][g])
                groups->low[side][g] = lowest;
        }
    }
}

/* A bit for each lane that is not farther than the nearest boid so far, or NaN. */
LANE_OP unsigned lanes_not_farther(const struct prey *nearest, lane_square squared)
{
    return simd_mask_bits(lane_less(lane_set1(nearest->squared), squared)) ^ ((1U << SIMD_LANES) - 1);
}

/* A bit for each of the first `count` boxes that is not farther than the nearest boid so far. */
LANE_OP unsigned near_boxes(const struct prey *nearest, const struct flock_params *params, lane_vec from,
                            const struct prey_boxes *boxes, uint32_t count)
{
    unsigned bits = 0;
    for (uint32_t k = 0; k < PREY_BOXES; k += SIMD_LANES) {
        const lane x =
            gaps_to(&params->x, from.x, simd_load(boxes->low[0] + k), -simd_load(boxes->low[2] + k));
        const lane y =
            gaps_to(&params->y, from.y, simd_load(boxes->low[1] + k), -simd_load(boxes->low[3] + k));
        bits |= lanes_not_farther(nearest, lane_norm_squared(x, y)) << k;
    }
    return count < PREY_BOXES ? bits & ((1U << count) - 1) : bits;
}

/* Compare the boids in slots [begin, begin + SIMD_LANES) that are before `end`. */
LANE_OP void compare_slots(struct prey *nearest, const struct prey_slots *slots,
                           const struct flock_params *params, lane_vec from, uint32_t begin, uint32_t end)
{
    const lane_vec there = load(slots->boids + begin).position;
    const lane_square squared = lane_vec_norm_squared(offset_between(params, there, from));
    unsigned near = lanes_not_farther(nearest, squared);
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
