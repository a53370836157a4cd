/* The main loop: a step, a picture of it, a line about it every FLIGHT_REPORT steps. */
#include "board.h"
#include "clock.h"
#include "flight.h"
#include "second.h"
#include "uart.h"

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
    line_add_number(line, FLIGHT_CORES);
    uart_send(line);
}

static void report(uint32_t step, uint32_t cycles)
{
    struct line *line = uart_line();
    line_add_number(line, step);
    line_add(line, " ");
    line_add_hex(line, flight_hash());
    line_add(line, " ");
    line_add_number(line, cycles);
    uart_send(line);
}

void board_fly(void)
{
    clock_start();
    uart_start();
    flight_begin();
    if (FLIGHT_CORES > 1)
        second_start();
    greet();
    report(0, 0);
    for (uint32_t step = 1;; step++) {
        const struct clock_moment begun = clock_now();
        flight_step();
        const uint32_t cycles = clock_cycles(begun, clock_now());
        if (step % FLIGHT_REPORT == 0)
            report(step, cycles);
    }
}
