#include "nearest_prey.h"

#include <string.h>

void nearest_prey_allocate(struct nearest_prey *search, uint32_t slots, uint32_t predators,
                           struct arena *arena)
{
    const uint32_t groups = slots / (PREY_BLOCK * PREY_BOXES) + 1;
    search->boxes = arena_alloc(arena, groups, sizeof *search->boxes);
    search->group_boxes = arena_alloc(arena, groups / PREY_BOXES + 1, sizeof *search->group_boxes);
    search->prey = arena_alloc(arena, predators, sizeof *search->prey);
    search->agents = arena_alloc(arena, predators, sizeof *search->agents);
    if (search->prey)
        memset(search->prey, 0, predators * sizeof *search->prey);
}

void nearest_prey_find(struct nearest_prey *search, const struct prey_slots *slots,
                       const struct flock_params *params, struct flock *whole)
{
    search->search(search, slots, params, whole);
    for (uint32_t k = 0; k < whole->predator_count; k++)
        search->agents[k] = slots->boids[search->prey[k].slot];
    whole->prey = search->agents;
}
