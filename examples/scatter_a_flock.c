/* Step a preset with the fast engine, and turn its cohesion round at step 200:
 *     cc scatter_a_flock.c $(pkg-config --cflags --libs boids) -o scatter_a_flock && ./scatter_a_flock murmuration
 */
#include <boids/boids.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(struct boids *flock)
{
    fprintf(stderr, "scatter_a_flock: %s\n", flock ? boids_message(flock) : "out of memory");
    boids_free(flock);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct boids *flock = boids_create();
    if (!flock || boids_preset(flock, argc > 1 ? argv[1] : "murmuration") ||
        boids_set(flock, "flock.count", "2000") || boids_begin(flock, 0))
        return fail(flock);
    size_t predators;
    const size_t boids = boids_count(flock, &predators);
    struct boids_agent *agents = malloc((boids + predators) * sizeof *agents);
    for (int step = 0; agents && step <= 400; step += 50) {
        double values[2];
        if (boids_measure(flock, "polarization,nearest_neighbour_distance", values, 2))
            break;
        boids_get(flock, agents);
        printf("step %3d  polarization %.4f  spacing %6.3f  boid 0 at %7.2f %7.2f\n", step, values[0],
               values[1], agents[0].x, agents[0].y);
        if ((step == 200 && boids_set(flock, "flock.cohesion.factor", "-0.001")) || boids_step(flock, 50))
            break;
    }
    free(agents);
    if (boids_steps(flock) != 450)
        return fail(flock);
    printf("hash %016" PRIx64 "\n", boids_hash(flock));
    boids_free(flock);
    return EXIT_SUCCESS;
}
