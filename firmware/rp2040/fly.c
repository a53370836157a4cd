/* The main loop: a step, its turn to be shown, a picture, a line about it every FLIGHT_REPORT steps.
 *
 *     step ... | wait for its turn | wait for the sync pulse | picture | report | step ...
 *
 * When steps are shared the second core draws while the first one sorts the boids for the next step, which changes
 * nobody's place.
 *
 * Turns come FLIGHT_PACE times a second by the timer. Who is late gets the next pulse, and a turn that was missed by a
 * whole period is not made up for.
 */
#include "board.h"
#include "caption.h"
#include "clock.h"
#include "flight.h"
#include "report.h"
#include "screen.h"
#include "second.h"
#include "uart.h"
#include "vga.h"

enum { PERIOD = FLIGHT_PACE > 0 ? 1000000 / FLIGHT_PACE : 0, CAPTION_EVERY = 15 };

static void await_turn(void)
{
    static uint32_t turn;
    while ((int32_t)(clock_micros() - turn) < 0)
        ;
    const uint32_t late = clock_micros() - turn;
    turn += late <= PERIOD ? PERIOD : late + PERIOD;
}

static void tell(uint32_t cycles)
{
    static uint32_t before;
    const uint32_t now = clock_micros();
    caption_write(FLIGHT_BOIDS, CAPTION_EVERY * 10000000 / (now - before), cycles / (CLOCK_MHZ * 100));
    before = now;
}

static void draw(uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    screen_draw(&flight_flock);
}

/* The cycles that it took, waiting not counted. */
static uint32_t show(uint32_t step, uint32_t flown)
{
    vga_await_sync();
    const struct clock_moment begun = clock_now();
    if (FLIGHT_IS_SHARED)
        second_begin(draw);
    else
        draw(0, 1);
    if (step % CAPTION_EVERY == 0)
        tell(flown);
    return clock_cycles(begun, clock_now());
}

static void start(void)
{
    clock_start();
    uart_start();
    flight_begin();
    if (FLIGHT_IS_SHARED)
        second_start();
    if (FLIGHT_SCREEN)
        screen_start(&flight_params);
    report_begin();
}

void board_fly(void)
{
    start();
    for (uint32_t step = 1;; step++) {
        const struct clock_moment begun = clock_now();
        flight_step();
        const uint32_t flown = clock_cycles(begun, clock_now());
        if (FLIGHT_PACE > 0)
            await_turn();
        report_step(step, flown, FLIGHT_SCREEN ? show(step, flown) : 0);
    }
}
