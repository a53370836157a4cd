/* A flock on a Pico or Pico 2, with the Pico SDK: up to 30 steps per second, each drawn by draw_agent(). Every ten steps, a line
 * `STEP HASH` goes to USB, as `boids --hash 10` prints it. README.md in this folder explains how to build it. */
#include "core1.h"
#include "draw_agent.h"
#include "pico/stdlib.h"
#include "sim.h"

#include <stdio.h>

enum { STEP_MS = 33, REPORT = 10 };

__attribute__((weak)) void draw_begin(void)
{
}

__attribute__((weak)) void draw_agent(int x, int y, enum colour colour)
{
    (void)x, (void)y, (void)colour;
}

__attribute__((weak)) void draw_end(void)
{
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
    draw_begin();
    stdio_init_all();
    if (SIM_IS_SHARED)
        core1_start();
    sim_init(0);
    for (absolute_time_t due = get_absolute_time();; sim_step()) {
        draw(sim_flock.boids, SIM_BOIDS, BOID);
        draw(sim_flock.predators, SIM_PREDATORS, PREDATOR);
        draw_end();
        report();
        busy_wait_until(due);
        due = make_timeout_time_ms(STEP_MS);
        draw(sim_flock.boids, SIM_BOIDS, BLACK);
        draw(sim_flock.predators, SIM_PREDATORS, BLACK);
    }
}
