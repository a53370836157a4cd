/* See guard.h. What is to outlive the restart stands in the watchdog's own registers. */
#include "guard.h"

#include "clock.h"
#include "rp2040.h"

#include <stdbool.h>

/* Microseconds between changes of the LED after a fault. */
enum { LAMP_PIN = 25, FLICKER = 125000 };

/* The boot ROM uses the watchdog to restart the board after an image was copied to its drive. Scratch register 4 tells
 * such a restart from one of ours: it has this value, that of the Pico SDK, while our watchdog is on. */
#define OUR_RESTART      0x6ab73121u
#define FAULT_MARK       0xfa017000u
#define SCRATCH_MARK     WATCHDOG_SCRATCH0
#define SCRATCH_ADDRESS  (WATCHDOG_SCRATCH0 + 4u)
#define WATCHDOG_TIMEOUT (1u << 0)

enum guard_cause guard_start(void)
{
    const bool has_bitten =
        (REGISTER(WATCHDOG_REASON) & WATCHDOG_TIMEOUT) && REGISTER(WATCHDOG_SCRATCH4) == OUR_RESTART;
    const bool was_fault = REGISTER(SCRATCH_MARK) == FAULT_MARK;
    REGISTER(SCRATCH_MARK) = 0;
    REGISTER(WATCHDOG_SCRATCH4) = OUR_RESTART;
    REGISTER(IO_BANK0_GPIO_CTRL(LAMP_PIN)) = GPIO_FUNC_SIO;
    REGISTER(SIO_GPIO_OE_SET) = 1u << LAMP_PIN;
    REGISTER(PSM_WDSEL) = PSM_ALL_BUT_CLOCKS;
    guard_feed();
    SET(WATCHDOG_CTRL) = WATCHDOG_CTRL_ON;
    return !has_bitten ? GUARD_POWER : was_fault ? GUARD_FAULT : GUARD_STILL;
}

uint32_t guard_fault_address(void)
{
    return REGISTER(SCRATCH_ADDRESS);
}

void guard_show(uint32_t is_on)
{
    REGISTER(is_on ? SIO_GPIO_OUT_SET : SIO_GPIO_OUT_CLR) = 1u << LAMP_PIN;
}

void guard_fault(uint32_t address)
{
    REGISTER(SCRATCH_MARK) = FAULT_MARK;
    REGISTER(SCRATCH_ADDRESS) = address;
    for (uint32_t changed = clock_micros();;)
        if (clock_micros() - changed >= FLICKER) {
            REGISTER(SIO_GPIO_OUT_XOR) = 1u << LAMP_PIN;
            changed += FLICKER;
        }
}
