/* See uart_report.h. */
#include "uart_report.h"

#include "sim.h"
#include "uart.h"

#include <stdbool.h>

enum { EVERY = SIM_FRAMES > 0 ? SIM_FRAMES : SIM_REPORT };

static uint32_t worst;
static bool is_off;
/* The line that waits for its hash. */
static struct pending {
    uint32_t step, cycles, late;
    bool is_waiting;
} pending;

static bool is_due(uint32_t step)
{
    return !is_off && step % EVERY == 0;
}

static void greet(void)
{
    uart_print("# %s", SIM_TITLE);
    uart_print("# configuration %llx, fixed, boids %lu, predators %lu, cores %lu", SIM_CONFIGURATION_HASH,
               (uint32_t)SIM_BOIDS, (uint32_t)SIM_PREDATORS, (uint32_t)(SIM_IS_SHARED ? SIM_CORES : 1));
    uart_print("# keys: p pause, s step, n next seed, h hash, r reports, b boot%s",
               SIM_LIVE ? ", and enter; set KEY VALUE; keys lists each KEY" : "");
}

static void send_cause(enum restart_cause cause)
{
    if (cause == RESTART_FAULT)
        uart_print("# restarted by the watchdog: a fault at %llx", (uint64_t)watchdog_fault_address());
    else if (cause == RESTART_TIMEOUT)
        uart_print("# restarted by the watchdog: no progress for two seconds");
}

void report_flush(void)
{
    if (!pending.is_waiting)
        return;
    uart_print("%lu %llx %lu %lu %lu", pending.step, sim_hash(), pending.cycles, worst, pending.late);
    worst = 0;
    pending.is_waiting = false;
}

static void send_agent(uint32_t step, uint32_t id, const char *type, const struct flock_agent *agent)
{
    const flock_num numbers[] = {agent->position.x, agent->position.y, agent->velocity.x, agent->velocity.y};
    struct line *line = uart_line();
    line_add(line, "%lu,%lu,%lu,%s", step, step, id, type);
    for (int i = 0; i < 4; i++) {
        line_add(line, ",");
        line_add_fixed(line, numbers[i].raw);
    }
    uart_send(line);
}

static void send_frame(uint32_t step)
{
    const struct flock *flock = &sim_flock;
    for (uint32_t i = 0; i < flock->count; i++)
        send_agent(step, i, "boid", &flock->boids[i]);
    for (uint32_t k = 0; k < flock->predator_count; k++)
        send_agent(step, flock->count + k, "predator", &flock->predators[k]);
}

void report_begin(enum restart_cause cause)
{
    if (SIM_FRAMES == 0) {
        send_cause(cause);
        greet();
    } else {
        uart_print("step,time,id,type,x,y,vx,vy");
    }
    report_prepare(0);
    report_step(0, 0, 0);
    report_flush();
}

void report_switch(void)
{
    is_off = !is_off;
    uart_print(is_off ? "# reports are off" : "# reports are on");
}

void report_now(uint32_t step, uint32_t late)
{
    report_flush();
    sim_hash_begin();
    pending = (struct pending){step, worst, late, true};
    report_flush();
}

void report_prepare(uint32_t step)
{
    if (SIM_FRAMES == 0 && is_due(step))
        sim_hash_begin();
}

void report_step(uint32_t step, uint32_t cycles, uint32_t late)
{
    worst = cycles > worst ? cycles : worst;
    if (!is_due(step))
        return;
    if (SIM_FRAMES > 0)
        send_frame(step);
    else
        pending = (struct pending){step, cycles, late, true};
}
