/* From reset to main_loop(): the vector table, and the initialisation of RAM for C. The firmware uses no interrupts,
 * so any exception is a fault.
 *
 * A debugger that loads a new image resets only one core. Without reset_peripherals(), core 1, DMA and the state
 * machines of the previous image would continue, and write to RAM that the new image uses. */
#include "clock.h"
#include "core1.h"
#include "led_and_watchdog.h"
#include "main.h"
#include "stack_guard.h"

#include <stdint.h>

void reset(void);

extern uint32_t data_begin[], data_end[], bss_begin[], bss_end[];
extern const uint32_t data_source[];
extern uint32_t stack_top_0[], stack_bottom_0[];

/* The registers that the core saves on the stack: r0 to r3, r12, lr, the address of the instruction, the flags. */
void report_fault(const uint32_t *frame) __attribute__((noreturn));

void report_fault(const uint32_t *frame)
{
    watchdog_await_restart(frame[6]);
}

__attribute__((naked)) static void stop(void)
{
    __asm volatile("mov r0, sp\n\tldr r1, =report_fault\n\tbx r1\n\t.ltorg");
}

union vector {
    const void *stack;
    void (*handler)(void);
};

/* The sixteen vectors of the architecture. */
__attribute__((section(".vectors"), used)) const union vector vectors_begin[16] = {
    {.stack = stack_top_0}, {.handler = reset}, {.handler = stop}, {.handler = stop},
    {.handler = stop},      {.handler = stop},  {.handler = stop}, {.handler = stop},
    {.handler = stop},      {.handler = stop},  {.handler = stop}, {.handler = stop},
    {.handler = stop},      {.handler = stop},  {.handler = stop}, {.handler = stop},
};

/* First stop everything that writes to memory, then reset the state that it may have left. Core 1 stays off until
 * core1_start(). The PLL may be the clock of this core, so clock_start() resets it later. */
static void reset_peripherals(void)
{
    CLEAR(WATCHDOG_CTRL) = WATCHDOG_CTRL_ON;
    SET(PSM_FRCE_OFF) = PSM_FRCE_OFF_PROC1;
    while (!(REGISTER(PSM_FRCE_OFF) & PSM_FRCE_OFF_PROC1))
        ;
    SET(RESETS_RESET) = USED;
    REGISTER(SIO_SPINLOCK0) = 1;
    core1_empty_mailbox();
}

/* Until RAM is initialised, only the stack is used. */
void reset(void)
{
    reset_peripherals();
    stack_guard_start(stack_bottom_0);
    const uint32_t *from = data_source;
    for (uint32_t *to = data_begin; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_begin; to < bss_end;)
        *to++ = 0;
    main_loop();
}
