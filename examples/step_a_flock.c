/* Step a flock from a C program, without boids:
 *     cc -DFLOCK_FLOAT64_CORE step_a_flock.c $(pkg-config --cflags --libs flock) -o step_a_flock
 */
#include "flock/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The length of the mean heading: 1 if all boids move in one direction, near 0 in disorder. */
static double polarization(const struct flock *flock)
{
    double x = 0, y = 0;
    for (uint32_t i = 0; i < flock->count; i++) {
        const double vx = flock_num_to_double(flock->boids[i].velocity.x);
        const double vy = flock_num_to_double(flock->boids[i].velocity.y);
        x += vx / hypot(vx, vy);
        y += vy / hypot(vx, vy);
    }
    return hypot(x, y) / flock->count;
}

int main(void)
{
    struct flock_model model = flock_model_defaults();
    model.world.border = FLOCK_WRAP;
    model.world.distance = FLOCK_TORUS;
    void *memory = malloc(flock_simulation_memory(&model));
    if (!memory)
        return EXIT_FAILURE;
    struct flock_simulation *simulation = flock_simulation_create(&model, memory);
    for (int step = 0; step <= 300; step++) {
        if (step % 50 == 0)
            printf("step %3d  polarization %.6f\n", step, polarization(&simulation->flock));
        if (flock_simulation_step(simulation) != FLOCK_OK)
            return EXIT_FAILURE;
    }
    free(memory);
    return EXIT_SUCCESS;
}
