/* A flock on a Pico or Pico 2, with the Pico SDK: up to 30 steps per second, each drawn by draw_agent(). Every ten steps, a line
 * `STEP HASH` goes to USB, as `boids --hash 10` prints it. README.md in this folder explains how to build it. */
#include "core1.h"
#include "pico/stdlib.h"
#include "sim.h"

#include <stdio.h>

enum { STEP_MS = 33, REPORT = 10 };
enum colour { BLACK, BOID, PREDATOR };

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

static void report(void)
{
    if (sim_flock.step % REPORT > 0)
        return;
    sim_hash_begin();
    const uint64_t hash = sim_hash();
    printf("%lu %08lx%08lx\n", (unsigned long)sim_flock.step, (unsigned long)(hash >> 32),
           (unsigned long)(hash & UINT32_MAX));
}

int main(void)
{
    stdio_init_all();
    if (SIM_IS_SHARED)
        core1_start();
    sim_init(0);
    for (absolute_time_t due = get_absolute_time();; sim_step()) {
        draw(sim_flock.boids, SIM_BOIDS, BOID);
        draw(sim_flock.predators, SIM_PREDATORS, PREDATOR);
        report();
        busy_wait_until(due);
        due = make_timeout_time_ms(STEP_MS);
        draw(sim_flock.boids, SIM_BOIDS, BLACK);
        draw(sim_flock.predators, SIM_PREDATORS, BLACK);
    }
}
