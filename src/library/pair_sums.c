/* The pairs of agents by their distance. For one agent, the distances to a block of others and the products with them are
 * computed first, in a loop that the compiler vectorises. Then each product is added to the sum of its ring. */
#include "boids/boids.h"

#include <math.h>
#include <stdlib.h>

enum {
    BLOCK = 256,
    COPIES = 4, /* copies of each ring, so that an addition does not wait for the one before it */
};

/* On a torus, all lengths are less than `size`; on a plane, `size` is INFINITY. */
static inline double shortest(double length, double size)
{
    return size - length < length ? size - length : length;
}

enum boids_status boids_pairs(const struct boids_agent *agents, size_t count, size_t begin, size_t end,
                              double width, double height, struct boids_ring *rings, uint32_t ring_count)
{
    const double beyond = ring_count;
    struct boids_ring *copies = calloc(((size_t)ring_count + 1) * COPIES, sizeof *copies);
    if (!copies)
        return BOIDS_FAILED;
    for (size_t i = begin; i < end; i++) {
        const struct boids_agent one = agents[i];
        for (size_t j = i + 1; j < count; j += BLOCK) {
            const struct boids_agent *other = agents + j;
            const size_t size = count - j < BLOCK ? count - j : BLOCK;
            int32_t ring[BLOCK];
            double product[BLOCK];
            for (size_t k = 0; k < size; k++) {
                const double dx = shortest(fabs(other[k].x - one.x), width);
                const double dy = shortest(fabs(other[k].y - one.y), height);
                const double distance = sqrt(dx * dx + dy * dy);
                ring[k] = (int32_t)(distance < beyond ? distance : beyond);
                product[k] = other[k].vx * one.vx + other[k].vy * one.vy;
            }
            for (size_t k = 0; k < size; k++) {
                struct boids_ring *sums = &copies[(size_t)ring[k] * COPIES + k % COPIES];
                sums->pairs++;
                sums->products += product[k];
            }
        }
    }
    for (size_t k = 0; k < (size_t)ring_count * COPIES; k++) {
        rings[k / COPIES].pairs += copies[k].pairs;
        rings[k / COPIES].products += copies[k].products;
    }
    free(copies);
    return BOIDS_OK;
}
