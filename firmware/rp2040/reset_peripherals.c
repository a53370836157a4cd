/* See reset_peripherals.h. The order matters: first stop everything that writes to memory, then reset the state that
 * it may have left. clock_start() resets the PLL later, because it may be the clock of this core. */
#include "reset_peripherals.h"

#include "core1.h"
#include "rp2040.h"

enum { USED = RESETS_DMA | RESETS_IO_BANK0 | RESETS_PADS_BANK0 | RESETS_PIO0 | RESETS_TIMER | RESETS_UART0 };

/* It stays off until core1_start(). */
static void stop_second_core(void)
{
    SET(PSM_FRCE_OFF) = PSM_FRCE_OFF_PROC1;
    while (!(REGISTER(PSM_FRCE_OFF) & PSM_FRCE_OFF_PROC1))
        ;
}

void reset_peripherals(void)
{
    CLEAR(WATCHDOG_CTRL) = WATCHDOG_CTRL_ON;
    stop_second_core();
    SET(RESETS_RESET) = USED;
    REGISTER(SIO_SPINLOCK0) = 1;
    core1_empty_mailbox();
}
