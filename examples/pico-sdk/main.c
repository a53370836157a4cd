/* A flock on a Pico or Pico 2, with the Pico SDK: 30 steps per second, each drawn by draw_agent(). Every ten steps, a line `STEP HASH`
 * goes to USB, as `boids --hash 10` prints it. README.md in this folder explains how to build it. */
#include "configuration.h"
#include "flock/flock.h"
#include "pico/stdlib.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEP_MS = 33, REPORT = 10 };
enum colour { BLACK, BOID, PREDATOR };

/* Lists that SIM_PARAMS refers to, if the configuration has obstacles or goals. */
#if defined SIM_OBSTACLES
static const struct flock_obstacle sim_obstacles[] = SIM_OBSTACLES;
#endif
#if defined SIM_GOALS
static const struct flock_vec sim_goals[] = SIM_GOALS;
#endif

static const struct flock_params params = SIM_PARAMS;
static const struct flock_init_params start = SIM_START;
static struct flock flock;

/* Define this function in a file of your own: with the course's VGA library, fillRect(x, y, 2, 2, colour). Coordinates are in world units;
 * an agent may be outside the world. BLACK erases it. */
void draw_agent(int x, int y, enum colour colour);

__attribute__((weak)) void draw_agent(int x, int y, enum colour colour)
{
    (void)x, (void)y, (void)colour;
}

static int whole(flock_num a)
{
#if defined FLOCK_FIXED_CORE
    return a.raw >> 16;
#else
    return (int)a;
#endif
}

static void draw(const struct flock_agent *agents, uint32_t count, enum colour colour)
{
    for (uint32_t i = 0; i < count; i++)
        draw_agent(whole(agents[i].position.x), whole(agents[i].position.y), colour);
}

static void report(uint64_t hash)
{
    printf("%lu %08lx%08lx\n", (unsigned long)flock.step, (unsigned long)(hash >> 32),
           (unsigned long)(hash & UINT32_MAX));
}

int main(void)
{
    stdio_init_all();
    flock_init(&flock, &params, SIM_BOIDS, SIM_PREDATORS,
               malloc(flock_memory(&params, SIM_BOIDS, SIM_PREDATORS)));
    flock_randomise(&flock, &params, &start);
    do {
        const absolute_time_t due = make_timeout_time_ms(STEP_MS);
        draw(flock.boids, SIM_BOIDS, BOID);
        draw(flock.predators, SIM_PREDATORS, PREDATOR);
        if (flock.step % REPORT == 0)
            report(flock_hash(&flock));
        sleep_until(due);
        draw(flock.boids, SIM_BOIDS, BLACK);
        draw(flock.predators, SIM_PREDATORS, BLACK);
    } while (flock_step(&flock, &params) == FLOCK_OK);
    printf("an agent has left the range of numbers\n");
    return EXIT_FAILURE;
}
