/* See guard.h. What is to outlive the restart stands in the watchdog's own registers. */
#include "guard.h"

#include "rp2040.h"

#include <stdbool.h>

/* Turns of an idle loop from one flicker to the next, a few a second. */
enum { LAMP_PIN = 25, FLICKER = 1 << 20 };
/* It counts down two for each microsecond (erratum RP2040-E1). */
enum { PATIENCE = 2 * 2000000 };

#define FAULT_MARK       0xfa017000u
#define SCRATCH_MARK     WATCHDOG_SCRATCH0
#define SCRATCH_ADDRESS  (WATCHDOG_SCRATCH0 + 4u)
#define WATCHDOG_TIMEOUT (1u << 0)

enum guard_cause guard_start(void)
{
    const bool has_bitten = REGISTER(WATCHDOG_REASON) & WATCHDOG_TIMEOUT;
    const bool was_fault = REGISTER(SCRATCH_MARK) == FAULT_MARK;
    REGISTER(SCRATCH_MARK) = 0;
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

void guard_feed(void)
{
    REGISTER(WATCHDOG_LOAD) = PATIENCE;
}

void guard_show(uint32_t is_on)
{
    REGISTER(is_on ? SIO_GPIO_OUT_SET : SIO_GPIO_OUT_CLR) = 1u << LAMP_PIN;
}

void guard_fault(uint32_t address)
{
    REGISTER(SCRATCH_MARK) = FAULT_MARK;
    REGISTER(SCRATCH_ADDRESS) = address;
    for (uint32_t i = 0;; i++)
        if (i % FLICKER == 0)
            REGISTER(SIO_GPIO_OUT_XOR) = 1u << LAMP_PIN;
}
