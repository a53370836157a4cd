/* Step a flock from a program of one's own, without boids: memory, rules, placing and stepping.
 *
 *     cc -DFLOCK_FLOAT64_CORE step_a_flock.c $(pkg-config --cflags --libs flock) -o step_a_flock
 *
 * FLOCK_FLOAT32_CORE and FLOCK_FIXED_CORE fly the same flock in other numbers.
 */
#include "flock/flock.h"
#include "flock/from_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BOIDS = 400, STEPS = 300 };

static const struct flock_model model = {
    .seed = 1,
    .world = {.width = 640, .height = 480, .border = FLOCK_WRAP, .distance = FLOCK_TORUS},
    .min_speed = 3,
    .max_speed = 6,
    .max_force = NAN, /* none */
    .inertia = 1,
    .separation = {.radius = 8, .factor = 0.05},
    .alignment = {.radius = 40, .factor = 0.05},
    .cohesion = {.radius = 40, .factor = 0.0005},
    .init_speed = {3, 6},
};

/* The length of the mean heading: 1 when all fly one way, near 0 in disorder. */
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
    struct flock flock;
    const struct flock_params params = flock_params_from_model(&model, BOIDS);
    const struct flock_start start = flock_start_from_model(&model);
    void *memory = malloc(flock_memory(&params, BOIDS, 0));
    if (!memory)
        return EXIT_FAILURE;
    flock_init(&flock, &params, BOIDS, 0, memory);
    flock_place(&flock, &params, &start);
    for (int step = 0; step <= STEPS; step++) {
        if (step % 50 == 0)
            printf("step %3d  polarization %.6f\n", step, polarization(&flock));
        if (flock_step(&flock, &params) != FLOCK_OK)
            return EXIT_FAILURE;
    }
    free(memory);
    return EXIT_SUCCESS;
}
