/* See led_and_watchdog.h. The scratch registers of the watchdog keep their values during a restart. */
#include "led_and_watchdog.h"

#include "clock.h"
#include "rp2040.h"

#include <stdbool.h>

/* Microseconds between changes of the LED after a fault. */
enum { FLICKER = 125000 };

/* The boot ROM uses the watchdog to restart the board after an image was copied to its drive. Scratch register 4
 * distinguishes such a restart from a restart by this firmware: while the watchdog of the firmware is on, the
 * register has this value, which the Pico SDK also uses. */
#define OUR_RESTART      0x6ab73121u
#define FAULT_MARK       0xfa017000u
#define SCRATCH_MARK     WATCHDOG_SCRATCH0
#define SCRATCH_ADDRESS  (WATCHDOG_SCRATCH0 + 4u)
#define WATCHDOG_TIMEOUT (1u << 0)

enum restart_cause watchdog_start(void)
{
    const bool has_bitten =
        (REGISTER(WATCHDOG_REASON) & WATCHDOG_TIMEOUT) && REGISTER(WATCHDOG_SCRATCH4) == OUR_RESTART;
    const bool was_fault = REGISTER(SCRATCH_MARK) == FAULT_MARK;
    REGISTER(SCRATCH_MARK) = 0;
    REGISTER(WATCHDOG_SCRATCH4) = OUR_RESTART;
    REGISTER(IO_BANK0_GPIO_CTRL(LED_PIN)) = GPIO_FUNC_SIO;
    REGISTER(SIO_GPIO_OE_SET) = 1u << LED_PIN;
    REGISTER(PSM_WDSEL) = PSM_ALL_BUT_CLOCKS;
    watchdog_feed();
    SET(WATCHDOG_CTRL) = WATCHDOG_CTRL_ON | WATCHDOG_CTRL_PAUSE;
    return !has_bitten ? RESTART_POWER : was_fault ? RESTART_FAULT : RESTART_TIMEOUT;
}

uint32_t watchdog_fault_address(void)
{
    return REGISTER(SCRATCH_ADDRESS);
}

void led_beat(void)
{
    REGISTER(clock_micros() & 1u << 20 ? SIO_GPIO_OUT_SET : SIO_GPIO_OUT_CLR) = 1u << LED_PIN;
}

void watchdog_await_restart(uint32_t address)
{
    REGISTER(SCRATCH_MARK) = FAULT_MARK;
    REGISTER(SCRATCH_ADDRESS) = address;
    for (uint32_t changed = clock_micros();;)
        if (clock_micros() - changed >= FLICKER) {
            REGISTER(SIO_GPIO_OUT_XOR) = 1u << LED_PIN;
            changed += FLICKER;
        }
}
