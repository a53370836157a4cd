/* See report.h. */
#include "report.h"

#include "flight.h"
#include "uart.h"

enum { EVERY = FLIGHT_FRAMES > 0 ? FLIGHT_FRAMES : FLIGHT_REPORT };

static void greet(void)
{
    struct line *line = uart_line();
    line_add(line, "# ");
    line_add(line, FLIGHT_TITLE);
    uart_send(line);
    line = uart_line();
    line_add(line, "# configuration ");
    line_add_hex(line, FLIGHT_CONFIGURATION_HASH);
    line_add(line, ", fixed, boids ");
    line_add_number(line, FLIGHT_BOIDS);
    line_add(line, ", predators ");
    line_add_number(line, FLIGHT_PREDATORS);
    line_add(line, ", cores ");
    line_add_number(line, FLIGHT_IS_SHARED ? FLIGHT_CORES : 1);
    uart_send(line);
}

static void send_state(uint32_t step, uint32_t flown, uint32_t drawn)
{
    struct line *line = uart_line();
    line_add_number(line, step);
    line_add(line, " ");
    line_add_hex(line, flight_hash());
    line_add(line, " ");
    line_add_number(line, flown);
    line_add(line, " ");
    line_add_number(line, drawn);
    uart_send(line);
}

static void send_agent(uint32_t step, uint32_t id, const char *type, const struct flock_agent *agent)
{
    const flock_num numbers[] = {agent->position.x, agent->position.y, agent->velocity.x, agent->velocity.y};
    struct line *line = uart_line();
    line_add_number(line, step);
    line_add(line, ",");
    line_add_number(line, step);
    line_add(line, ",");
    line_add_number(line, id);
    line_add(line, type);
    for (int i = 0; i < 4; i++) {
        line_add(line, ",");
        line_add_fixed(line, numbers[i].raw);
    }
    uart_send(line);
}

static void send_frame(uint32_t step)
{
    const struct flock *flock = &flight_flock;
    for (uint32_t i = 0; i < flock->count; i++)
        send_agent(step, i, ",boid", &flock->boids[i]);
    for (uint32_t k = 0; k < flock->predator_count; k++)
        send_agent(step, flock->count + k, ",predator", &flock->predators[k]);
}

void report_begin(void)
{
    if (FLIGHT_FRAMES == 0) {
        greet();
    } else {
        struct line *line = uart_line();
        line_add(line, "step,time,id,type,x,y,vx,vy");
        uart_send(line);
    }
    report_step(0, 0, 0);
}

void report_step(uint32_t step, uint32_t flown, uint32_t drawn)
{
    if (step % EVERY != 0)
        return;
    if (FLIGHT_FRAMES > 0)
        send_frame(step);
    else
        send_state(step, flown, drawn);
}
