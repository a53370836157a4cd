/* See letter_commands.h. One command is read after each step; during a pause, commands are read continuously. */
#include "letter_commands.h"

#include "core1.h"
#include "inputs.h"
#include "led_and_watchdog.h"
#include "live_console.h"
#include "rp2040.h"
#include "sim.h"
#include "uart.h"
#include "uart_report.h"

static bool is_paused;
static uint32_t seeds;

/* The ROM contains 16-bit addresses. The compiler must not know them, because it reports objects near address 0 as
 * errors. */
static uintptr_t rom_address(uintptr_t at)
{
    __asm volatile("" : "+r"(at));
    return *(const volatile uint16_t *)at;
}

/* The LED shows the activity of the drive. Both interfaces are on: the drive, and the one of picotool. */
static void restart_as_drive(void)
{
    typedef uintptr_t lookup(uintptr_t table, uint32_t code);
    typedef void reset_usb_boot(uint32_t activity_pins, uint32_t disabled_interfaces);
    lookup *find = (lookup *)rom_address(ROM_LOOKUP);
    ((reset_usb_boot *)find(rom_address(ROM_FUNCTIONS), ROM_RESET_USB_BOOT))(1u << LED_PIN, 0);
}

/* Refused with noise, speeds of each boid or shuffled orders: they always use the seed in `sim_params`, and a new seed changes only
 * the initial state. */
static void start_again(uint32_t *step)
{
    if (sim_params.has_noise || sim_params.has_speed_spread || SIM_UPDATE == FLOCK_SHUFFLED ||
        SIM_UPDATE == FLOCK_SHUFFLED_VELOCITIES) {
        uart_print("# refused: rules of this flock use the seed; build it with another seed: SET=seed=2");
        return;
    }
    core1_await();
    sim_init(++seeds);
    *step = 0;
    uart_print("# seed %lu", (uint32_t)sim_params.seed + seeds);
    report_prepare(0);
    report_step(0, 0, 0);
    report_flush();
}

bool letter_commands_run(uint32_t *step, uint32_t late)
{
    bool is_delayed = false;
    do {
        char command = SIM_LIVE ? live_read(*step) : uart_read();
        if ((SIM_HAS_POT || SIM_BUTTON) && command == '\0')
            command = inputs_read(*step);
        if (is_paused || command != '\0')
            report_flush();
        is_delayed = is_delayed || is_paused || command != '\0';
        switch (command) {
        case 'p':
            is_paused = !is_paused;
            uart_print(is_paused ? "# paused" : "# running");
            break;
        case 's': is_paused = true; return true;
        case 'n': start_again(step); break;
        case 'h': report_now(*step, late); break;
        case 'r': report_switch(); break;
        case 'b': restart_as_drive(); break;
        default: break;
        }
        watchdog_feed();
        led_beat();
    } while (is_paused);
    return is_delayed;
}
