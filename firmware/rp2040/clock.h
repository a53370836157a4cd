/* Clocks: 125 MHz or more from a crystal of 12 MHz, and two counters, of microseconds and of cycles. */
#ifndef CLOCK_H
#define CLOCK_H

#include "configuration.h"
#include "rp2040.h"

enum { CLOCK_MHZ = SIM_CLOCK };
/* The peripherals that this firmware uses, without the PLL. */
enum {
    USED = RESETS_ADC | RESETS_DMA | RESETS_IO_BANK0 | RESETS_PADS_BANK0 | RESETS_PIO0 | RESETS_TIMER |
           RESETS_UART0
};

/** Start the crystal, the PLL, the peripherals, the timer and SysTick. */
void clock_start(void);

/** Microseconds since the start; wraps every 71 minutes. */
static inline uint32_t clock_micros(void)
{
    return REGISTER(TIMER_TIMERAWL);
}

/** A point in time, in both counters. The counter of cycles wraps at least every 134 ms; the microseconds give the
 * number of wraps. */
struct clock_moment {
    uint32_t micros, ticks;
};

static inline struct clock_moment clock_now(void)
{
    return (struct clock_moment){clock_micros(), REGISTER(SYST_CVR)};
}

/** Number of cycles between two points in time that are at most 17 s apart. */
uint32_t clock_cycles(struct clock_moment from, struct clock_moment to);

#endif
