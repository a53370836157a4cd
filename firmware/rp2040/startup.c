/* From reset to main: the vectors, and RAM as C expects it. No interrupt is used; whatever comes in spite of that stops
 * the core where a debugger finds it. */
#include "board.h"

#include <stdint.h>

void reset(void);

extern uint32_t data_begin[], data_end[], bss_begin[], bss_end[];
extern const uint32_t data_source[];
extern uint32_t stack_top_0[];

static void stop(void)
{
    for (;;)
        __asm volatile("bkpt #0");
}

union vector {
    const void *stack;
    void (*handler)(void);
};

/* The sixteen of the architecture. */
__attribute__((section(".vectors"), used)) const union vector vectors_begin[16] = {
    {.stack = stack_top_0}, {.handler = reset}, {.handler = stop}, {.handler = stop},
    {.handler = stop},      {.handler = stop},  {.handler = stop}, {.handler = stop},
    {.handler = stop},      {.handler = stop},  {.handler = stop}, {.handler = stop},
    {.handler = stop},      {.handler = stop},  {.handler = stop}, {.handler = stop},
};

void reset(void)
{
    const uint32_t *from = data_source;
    for (uint32_t *to = data_begin; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_begin; to < bss_end;)
        *to++ = 0;
    board_fly();
}
