/* The main loop (docs/firmware.md) makes a step, waits until its picture is due, shows it and, every SIM_REPORT steps,
 * sends a line about the step. A late picture appears at the next sync pulse; the pictures after it do not come earlier
 * to make up for that. Without a screen, the timer limits the rate. */
#include "main.h"
#include "caption.h"
#include "clock.h"
#include "core1.h"
#include "draw_flock.h"
#include "inputs.h"
#include "led_and_watchdog.h"
#include "letter_commands.h"
#include "sim.h"
#include "uart.h"
#include "uart_report.h"
#include "vga.h"

#include <stdbool.h>

/* The number of sync pulses, and of microseconds, from one picture to the next. */
enum { PULSES = SIM_PACE > 0 ? (1000000 / VGA_FRAME_MICROS + SIM_PACE) / SIM_PACE : 0 };
enum { PERIOD = SIM_PACE == 0 ? 0 : SIM_SCREEN ? PULSES * VGA_FRAME_MICROS : 1000000 / SIM_PACE };

static uint32_t shown, late;
static bool has_shown;

/* Microseconds until a point in time; negative if it has passed. */
static int32_t micros_until(uint32_t micros)
{
    return (int32_t)(micros - clock_micros());
}

static void await(uint32_t micros)
{
    while (micros_until(micros) > 0)
        ;
}

/* Wait until half a frame before the pulse, so that the previous pulse is over. */
static void await_pulse(void)
{
    if (PERIOD > 0)
        await(shown + PERIOD - VGA_FRAME_MICROS / 2);
    vga_await_sync();
    const uint32_t now = clock_micros();
    if (PERIOD > 0 && has_shown && now - shown > PERIOD + VGA_FRAME_MICROS / 2)
        late++;
    has_shown = true;
    shown = now;
}

/* Compute parts of the hash until the picture is due; the next step completes the hash. If the picture is late, compute none now. If the
 * rate is not limited, compute the whole hash. */
static void hash_until_pulse(void)
{
    enum { PART_MICROS = 250 };
    while ((PERIOD == 0 || micros_until(shown + PERIOD) > PART_MICROS) && sim_hash_part())
        ;
}

static void await_timer(void)
{
    const uint32_t due = shown + PERIOD;
    await(due);
    const uint32_t now = clock_micros();
    const bool is_late = now - due > PERIOD;
    late += is_late;
    shown = is_late ? now : due;
}

static void draw(uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    screen_draw(&sim_flock);
}

static void show(uint32_t cycles)
{
    await_pulse();
    if (SIM_IS_SHARED)
        core1_begin(draw, 1);
    else
        draw(0, 1);
    caption_write(shown, cycles);
}

static void start(void)
{
    clock_start();
    const enum restart_cause cause = watchdog_start();
    uart_start();
    if (SIM_HAS_POT || SIM_BUTTON)
        inputs_start();
    sim_init(0);
    if (SIM_IS_SHARED)
        core1_start();
    if (SIM_SCREEN) {
        caption_start();
        screen_start(&sim_params);
    }
    report_begin(cause);
    shown = clock_micros();
}

void main_loop(void)
{
    start();
    struct clock_moment begun = clock_now();
    for (uint32_t step = 1;; step++) {
        sim_step();
        report_flush();
        report_prepare(step);
        hash_until_pulse();
        const uint32_t cycles = clock_cycles(begun, clock_now());
        watchdog_feed();
        led_beat();
        if (SIM_SCREEN)
            show(cycles);
        else if (PERIOD > 0)
            await_timer();
        begun = clock_now();
        report_step(step, cycles, late);
        if (letter_commands_run(&step, late)) {
            begun = clock_now();
            shown = begun.micros;
            has_shown = false;
        }
    }
}
